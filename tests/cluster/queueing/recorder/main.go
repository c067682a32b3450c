// recorder: Kueue's assignment of flavors, in process, for workloads from standard input.
//
// Each line of the input is a cluster: {"flavors": [...], "queues": [...], "workloads": [...]}, with ResourceFlavors, ClusterQueues and
// Workloads, whose queueName is that of a ClusterQueue. A cluster with topologies also has "topologies", "nodes", and the "pods" of
// others on these nodes. The workloads are assigned in turn, and keep their quota if they fit. A
// workload that evicts others takes their quota. A line of the output has for each of them the mode with the quota that others use
// and with all quota, the flavors, the topology domains, whether it borrows, the workloads that it evicts, and the messages: Kueue looks at resources in
// any order, so there may be several.
//
// The output also has what the scheduler does in its cycles if all workloads are submitted at once (schedule.go).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/tas"
	"sigs.k8s.io/kueue/pkg/workload"
)

const (
	repeats      = 40
	repeatedRuns = 8
)

type input struct {
	Flavors   []kueue.ResourceFlavor `json:"flavors"`
	Queues    []kueue.ClusterQueue   `json:"queues"`
	Workloads []kueue.Workload       `json:"workloads"`

	Topologies []kueue.Topology `json:"topologies"`
	Nodes      []corev1.Node    `json:"nodes"`
	Pods       []corev1.Pod     `json:"pods"`
}

type answer struct {
	InTurn   []verdict `json:"inTurn"`
	Together outcome   `json:"together"`
	// A pod set group begins with any flavor if its pod sets request different resources, so there may be several ends.
	Alternatives []outcome `json:"alternatives,omitempty"`
}

type verdict struct {
	Mode     string            `json:"mode"`
	Alone    string            `json:"alone"`
	Borrows  int               `json:"borrows"`
	Flavors  map[string]string `json:"flavors,omitempty"`
	Domains  domains           `json:"domains,omitempty"`
	Targets  [][2]string       `json:"targets,omitempty"`
	Messages []string          `json:"messages,omitempty"`
}

// domains has the path and the number of pods of each domain of a pod set.
type domains map[string][]domain

type domain struct {
	Path  []string `json:"path"`
	Count int32    `json:"count"`
}

func (all domains) add(podSet kueue.PodSetReference, assignment *tas.TopologyAssignment) {
	if assignment != nil {
		for _, one := range assignment.Domains {
			all[string(podSet)] = append(all[string(podSet)], domain{one.Values, one.Count})
		}
	}
}

func main() {
	log.SetLogger(logr.Discard())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for number := 1; in.Scan(); number++ {
		verdicts, err := record(in.Bytes())
		if err != nil {
			fmt.Fprintf(os.Stderr, "line %d: %v\n", number, err)
			os.Exit(1)
		}
		out.Encode(verdicts)
	}
}

func record(line []byte) (answer, error) {
	var all answer
	for again := range repeatedRuns {
		var in input
		if err := json.Unmarshal(line, &in); err != nil {
			return all, err
		}
		end, err := run(in)
		if err != nil {
			return all, err
		}
		if again == 0 {
			all.Together = end
		} else if !slices.ContainsFunc(append(all.Alternatives, all.Together), func(one outcome) bool { return reflect.DeepEqual(one, end) }) {
			all.Alternatives = append(all.Alternatives, end)
		}
		if len(in.Topologies) == 0 {
			break
		}
	}
	var in input
	if err := json.Unmarshal(line, &in); err != nil {
		return all, err
	}
	inTurn, err := judge(in)
	all.InTurn = inTurn
	return all, err
}

// addNodes adds the flavors, and what topologies consist of.
func addNodes(in input, known *scheduler.Cache) {
	for i := range in.Flavors {
		known.AddOrUpdateResourceFlavor(logr.Discard(), &in.Flavors[i])
	}
	for i := range in.Topologies {
		known.AddOrUpdateTopology(logr.Discard(), &in.Topologies[i])
	}
	for i := range in.Nodes {
		known.TASCache().SyncNode(&in.Nodes[i])
	}
	for i := range in.Pods {
		known.TASCache().Update(&in.Pods[i], logr.Discard())
	}
}

func judge(in input) ([]verdict, error) {
	ctx := context.Background()
	scheme := runtime.NewScheme()
	if err := kueue.AddToScheme(scheme); err != nil {
		return nil, err
	}
	client := fake.NewClientBuilder().WithScheme(scheme).
		WithIndex(&kueue.LocalQueue{}, indexer.QueueClusterQueueKey, indexer.IndexQueueClusterQueue).
		WithIndex(&kueue.Workload{}, indexer.WorkloadClusterQueueKey, indexer.IndexWorkloadClusterQueue).Build()
	cache := scheduler.New(client)
	flavors := map[kueue.ResourceFlavorReference]*kueue.ResourceFlavor{}
	for i := range in.Flavors {
		flavors[kueue.ResourceFlavorReference(in.Flavors[i].Name)] = &in.Flavors[i]
	}
	addNodes(in, cache)
	for i := range in.Queues {
		if err := cache.AddClusterQueue(ctx, &in.Queues[i]); err != nil {
			return nil, err
		}
	}
	used, err := cache.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	empty, err := cache.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	formatter := resources.NewResourceFormatter()
	preemptor := preemption.New(client, workload.Ordering{}, events.NewFakeRecorder(1), nil, false, clock.RealClock{}, nil, expectations.New(), nil)
	assign := func(snapshot *scheduler.Snapshot, info *workload.Info) flavorassigner.Assignment {
		queue := snapshot.ClusterQueue(info.ClusterQueue)
		oracle := preemption.NewOracle(preemptor, snapshot)
		assigner := flavorassigner.New(info, queue, flavors, false, oracle, nil, configapi.QuotaCheckBlockUndeclared, formatter)
		return assigner.Assign(ctx, nil)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var verdicts []verdict
	for i := range in.Workloads {
		obj := &in.Workloads[i]
		pending := func() *workload.Info {
			info := workload.NewInfo(obj)
			info.ClusterQueue = kueue.ClusterQueueReference(obj.Spec.QueueName)
			return info
		}
		alone, last := assign(empty, pending()), assign(used, pending())
		one := verdict{Mode: last.RepresentativeMode().String(), Alone: alone.RepresentativeMode().String(), Borrows: last.Borrows()}
		if last.RepresentativeMode() != flavorassigner.Fit {
			for range repeats {
				again := assign(used, pending())
				if text := again.Message(); !slices.Contains(one.Messages, text) {
					one.Messages = append(one.Messages, text)
				}
			}
			slices.Sort(one.Messages)
		}
		admitted := last.RepresentativeMode() == flavorassigner.Fit
		if last.RepresentativeMode() == flavorassigner.Preempt {
			targets := preemptor.GetTargets(ctx, *pending(), last, used)
			updateAssignmentForTAS(ctx, used, used.ClusterQueue(pending().ClusterQueue), pending(), &last, targets)
			for _, target := range targets {
				one.Targets = append(one.Targets, [2]string{target.WorkloadInfo.Obj.Name, target.Reason})
				used.RemoveWorkload(target.WorkloadInfo)
				admitted = true
			}
		}
		if last.RepresentativeMode() != flavorassigner.NoFit {
			one.Flavors = map[string]string{}
			one.Domains = domains{}
			for _, podSet := range last.PodSets {
				one.Domains.add(podSet.Name, podSet.TopologyAssignment)
				for _, flavor := range podSet.Flavors {
					one.Flavors[string(podSet.Name)] = string(flavor.Name)
				}
			}
		}
		if admitted {
			quota := &kueue.Admission{ClusterQueue: kueue.ClusterQueueReference(obj.Spec.QueueName), PodSetAssignments: last.ToAPI(logr.Discard())}
			workload.SetQuotaReservation(obj, quota, testingclock.NewFakeClock(start.Add(time.Duration(i)*time.Minute)))
			used.AddWorkload(workload.NewInfo(obj))
		}
		verdicts = append(verdicts, one)
	}
	return verdicts, nil
}
