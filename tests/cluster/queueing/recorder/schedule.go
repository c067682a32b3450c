package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	_ "unsafe" // go:linkname

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	queues "sigs.k8s.io/kueue/pkg/cache/queue"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/routine"
	utiltesting "sigs.k8s.io/kueue/pkg/util/testing"
	"sigs.k8s.io/kueue/pkg/util/wait"
	"sigs.k8s.io/kueue/pkg/workload"
)

// The scheduler has no public functions for one cycle, and for the domains of a workload that evicts others.
//
//go:linkname schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func schedule(*scheduler.Scheduler, context.Context) wait.SpeedSignal

//go:linkname setAdmissionRoutineWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutineWrapper(*scheduler.Scheduler, routine.Wrapper)

//go:linkname updateAssignmentForTAS sigs.k8s.io/kueue/pkg/scheduler.updateAssignmentForTAS
func updateAssignmentForTAS(context.Context, *cache.Snapshot, *cache.ClusterQueueSnapshot, *workload.Info, *flavorassigner.Assignment, []*preemption.Target)

const (
	namespace  = "vision"
	mostCycles = 60
	// The scheduler tries the flavors of a workload in several cycles.
	mostFlavors = 12
)

// outcome is what the scheduler does with workloads that are submitted at once.
type outcome struct {
	Admitted  map[string]map[string]string `json:"admitted"`
	Domains   map[string]domains           `json:"domains,omitempty"`
	Evictions [][3]string                  `json:"evictions,omitempty"`
	Cycles    int                          `json:"cycles"`
}

// run executes scheduling cycles until a cycle changes nothing. Evicted workloads return their quota after the cycle.
func run(in input) (outcome, error) {
	result := outcome{Admitted: map[string]map[string]string{}, Domains: map[string]domains{}}
	ctx := context.Background()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{kueue.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return result, err
		}
	}
	objects := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}}
	for i := range in.Workloads {
		objects = append(objects, in.Workloads[i].DeepCopy())
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&kueue.Workload{}).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: utiltesting.TreatSSAAsStrategicMerge}).
		WithIndex(&kueue.LocalQueue{}, indexer.QueueClusterQueueKey, indexer.IndexQueueClusterQueue).
		WithIndex(&kueue.Workload{}, indexer.WorkloadClusterQueueKey, indexer.IndexWorkloadClusterQueue).
		WithIndex(&kueue.Workload{}, indexer.WorkloadQueueKey, indexer.IndexWorkloadQueue).Build()
	known := cache.New(api)
	expected := expectations.New()
	manager, requeuer := queues.NewManagerForUnitTestsWithRequeuer(api, known, queues.WithPreemptionExpectations(expected))
	addNodes(in, known)
	for i := range in.Queues {
		if err := known.AddClusterQueue(ctx, &in.Queues[i]); err != nil {
			return result, err
		}
		if err := manager.AddClusterQueue(ctx, &in.Queues[i]); err != nil {
			return result, err
		}
		name := in.Queues[i].Name
		local := &kueue.LocalQueue{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
			Spec:       kueue.LocalQueueSpec{ClusterQueue: kueue.ClusterQueueReference(name)},
		}
		if err := manager.AddLocalQueue(ctx, local); err != nil {
			return result, err
		}
	}
	clock := testingclock.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	subject := scheduler.New(manager, known, api, events.NewFakeRecorder(10000), scheduler.WithPreemptionExpectations(expected), scheduler.WithClock(nil, clock))
	var admissions sync.WaitGroup
	setAdmissionRoutineWrapper(subject, routine.NewWrapper(func() { admissions.Add(1) }, func() { admissions.Done() }))
	// New queues are notifications, too.
	requeuer.ProcessRequeues(ctx)
	previous, repeated := "", 0
	for result.Cycles = 0; result.Cycles < mostCycles && len(manager.Dump()) > 0; result.Cycles++ {
		schedule(subject, ctx)
		admissions.Wait()
		evicted, err := evict(ctx, in, api, known, manager)
		if err != nil {
			return result, err
		}
		result.Evictions = append(result.Evictions, evicted...)
		requeuer.ProcessRequeues(ctx)
		clock.Step(time.Minute)
		state := ""
		for _, pending := range []map[kueue.ClusterQueueReference][]workload.Reference{manager.Dump(), manager.DumpInadmissible()} {
			for _, names := range pending {
				slices.Sort(names)
			}
			state += fmt.Sprint(pending)
		}
		if state != previous || len(evicted) > 0 {
			previous, repeated = state, 0
		} else if repeated++; repeated == mostFlavors {
			break
		}
	}
	snapshot, err := known.Snapshot(ctx)
	if err != nil {
		return result, err
	}
	for i := range in.Queues {
		for _, info := range snapshot.ClusterQueue(kueue.ClusterQueueReference(in.Queues[i].Name)).Workloads {
			flavors := map[string]string{}
			places := domains{}
			for _, podSet := range info.TotalRequests {
				if podSet.TopologyRequest != nil {
					for _, one := range podSet.TopologyRequest.DomainRequests {
						places[string(podSet.Name)] = append(places[string(podSet.Name)], domain{one.Values, one.Count})
					}
				}
				for _, flavor := range podSet.Flavors {
					flavors[string(podSet.Name)] = string(flavor)
				}
			}
			result.Admitted[info.Obj.Name] = flavors
			if len(places) > 0 {
				result.Domains[info.Obj.Name] = places
			}
		}
	}
	return result, nil
}

// evict does what the controllers do: admitted workloads leave their queue, and evicted ones return their quota and wait again.
func evict(ctx context.Context, in input, api client.Client, known *cache.Cache, manager *queues.Manager) ([][3]string, error) {
	var evicted [][3]string
	for i := range in.Workloads {
		current := &kueue.Workload{}
		if err := api.Get(ctx, client.ObjectKeyFromObject(&in.Workloads[i]), current); err != nil {
			return nil, err
		}
		if !meta.IsStatusConditionTrue(current.Status.Conditions, kueue.WorkloadEvicted) {
			if workload.HasQuotaReservation(current) {
				manager.DeleteWorkload(logr.Discard(), workload.Key(current))
			}
			continue
		}
		preempted := meta.FindStatusCondition(current.Status.Conditions, kueue.WorkloadPreempted)
		_, after, _ := strings.Cut(preempted.Message, "(UID: ")
		preemptor, _, _ := strings.Cut(after, ",")
		evicted = append(evicted, [3]string{current.Name, preemptor, preempted.Reason})
		current.Status = kueue.WorkloadStatus{}
		if err := api.Status().Update(ctx, current); err != nil {
			return nil, err
		}
		key := workload.Key(current)
		var failed error
		manager.QueueAssociatedInadmissibleWorkloadsAfter(ctx, key, func() { failed = known.DeleteWorkload(logr.Discard(), key) })
		if failed != nil {
			return nil, failed
		}
		if err := manager.AddOrUpdateWorkload(logr.Discard(), current); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(evicted, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	return evicted, nil
}
