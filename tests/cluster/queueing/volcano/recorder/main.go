// recorder: sessions of Volcano's scheduler, in process, for PodGroups from standard input.
//
// Each line of the input is a cluster: {"plugin": "proportion" or "capacity", "nodes": [...], "queues": [...], "hyperNodes": [...],
// "jobs": [...]}, with Nodes, Queues and HyperNodes, and jobs as below. All jobs are submitted at once. The scheduler has the
// configuration that Volcano installs, with the plugin of queues that the case names, and with network-topology-aware if there are
// HyperNodes. Sessions follow each other until nothing changes; pods with a node run.
//
// A line of the output has the jobs in the order in which they start, with their nodes, and for the others the conditions of their
// PodGroup and the events that the last session writes. The scheduler tries HyperNodes of one tier, and divides the nodes among
// queues, in any order. So the last session is repeated, and all conditions are kept.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	clientcache "k8s.io/client-go/tools/cache"
	"volcano.sh/apis/pkg/apis/scheduling"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"
	"volcano.sh/volcano/pkg/scheduler"
	_ "volcano.sh/volcano/pkg/scheduler/actions"
	"volcano.sh/volcano/pkg/scheduler/api"
	"volcano.sh/volcano/pkg/scheduler/cache"
	"volcano.sh/volcano/pkg/scheduler/conf"
	"volcano.sh/volcano/pkg/scheduler/framework"
	"volcano.sh/volcano/pkg/scheduler/metrics"
	"volcano.sh/volcano/pkg/scheduler/util"
)

const (
	namespace = "vision"
	name      = "volcano"
	most      = 12
	repeated  = 20
)

type input struct {
	Plugin string          `json:"plugin"`
	Nodes  []v1.Node       `json:"nodes"`
	Queues []v1beta1.Queue `json:"queues"`
	Jobs   []job           `json:"jobs"`

	HyperNodes []topologyv1alpha1.HyperNode `json:"hyperNodes"`
}

// Pods of a job with Later exist only when its PodGroup is Inqueue, as those of a Volcano Job.
type job struct {
	Name         string            `json:"name"`
	Queue        string            `json:"queue"`
	Priority     int32             `json:"priority"`
	Pods         int               `json:"pods"`
	MinMember    int32             `json:"minMember"`
	Requests     v1.ResourceList   `json:"requests"`
	MinResources *v1.ResourceList  `json:"minResources"`
	Selector     map[string]string `json:"selector"`
	Later        bool              `json:"later"`

	NetworkTopology *v1beta1.NetworkTopologySpec `json:"networkTopology"`

	phase    v1beta1.PodGroupPhase
	placed   map[string]string
	message  string
	messages []string
}

type started struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
}

type answer struct {
	Started []started           `json:"started"`
	Waiting map[string][]string `json:"waiting"`
	Phases  map[string]string   `json:"phases"`
	Events  map[string][]string `json:"events"`
}

type binder struct{}

func (binder) Bind(kubernetes.Interface, []*api.TaskInfo) map[api.TaskID]string { return nil }

type events struct {
	lock  sync.Mutex
	byJob map[string][]string
}

func (e *events) Event(object runtime.Object, _, _, message string) {
	group, is := object.(*v1beta1.PodGroup)
	if is && !strings.Contains(message, "tasks in gang") {
		e.lock.Lock()
		defer e.lock.Unlock()
		if !slices.Contains(e.byJob[group.Name], message) {
			e.byJob[group.Name] = append(e.byJob[group.Name], message)
		}
	}
}

func (e *events) Eventf(object runtime.Object, kind, reason, format string, arguments ...interface{}) {
	e.Event(object, kind, reason, fmt.Sprintf(format, arguments...))
}

func (e *events) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, arguments ...interface{}) {
	e.Eventf(object, kind, reason, format, arguments...)
}

func main() {
	metrics.InitKubeSchedulerRelatedMetrics()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one input
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		text, err := json.Marshal(one.decide())
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}

func (in *input) decide() answer {
	for i := range in.Jobs {
		in.Jobs[i].phase, in.Jobs[i].placed = v1beta1.PodGroupPending, map[string]string{}
	}
	result := answer{[]started{}, map[string][]string{}, map[string]string{}, nil}
	order := []string{}
	for range most {
		changed, written, allocated := in.session()
		for _, each := range allocated {
			if !slices.Contains(order, each) {
				order = append(order, each)
			}
		}
		result.Events = written
		if !changed {
			break
		}
	}
	last := make([]job, len(in.Jobs))
	for i, one := range in.Jobs {
		one.messages = []string{one.message}
		last[i] = one
	}
	isInqueue := func(one job) bool { return one.phase == v1beta1.PodGroupInqueue }
	for i := 0; i < repeated && slices.ContainsFunc(last, isInqueue); i++ {
		for i, one := range last {
			in.Jobs[i] = one
			in.Jobs[i].placed = maps.Clone(one.placed)
		}
		in.session()
		for i := range last {
			if message := in.Jobs[i].message; !slices.Contains(last[i].messages, message) {
				last[i].messages = append(last[i].messages, message)
			}
		}
	}
	in.Jobs = last
	for _, each := range order {
		one := in.Jobs[slices.IndexFunc(in.Jobs, func(j job) bool { return j.Name == each })]
		nodes := slices.Sorted(maps.Values(one.placed))
		result.Started = append(result.Started, started{each, nodes})
	}
	for _, one := range in.Jobs {
		if len(one.placed) == 0 {
			result.Waiting[one.Name], result.Phases[one.Name] = one.messages, string(one.phase)
		}
	}
	return result
}

func (in *input) session() (bool, map[string][]string, []string) {
	recorder := &events{byJob: map[string][]string{}}
	c := cache.NewCustomMockSchedulerCache(name, binder{}, util.NewFakeEvictor(0), &util.FakeStatusUpdater{}, nil, recorder)
	// The cache does not run: it gets its objects here, and binds nothing.
	for i := range in.Nodes {
		c.AddOrUpdateNode(&in.Nodes[i])
	}
	for i := range in.Queues {
		in.Queues[i].Status.State = v1beta1.QueueStateOpen
		c.AddQueueV1beta1(&in.Queues[i])
	}
	for i := range in.Jobs {
		one := &in.Jobs[i]
		created := metav1.NewTime(time.Unix(int64(1000+i), 0))
		class := fmt.Sprintf("class-%d", one.Priority)
		c.AddPriorityClass(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Value: one.Priority})
		c.AddPodGroupV1beta1(&v1beta1.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Name: one.Name, Namespace: namespace, CreationTimestamp: created},
			Spec: v1beta1.PodGroupSpec{
				Queue: one.Queue, MinMember: one.MinMember, MinResources: one.MinResources, PriorityClassName: class,
				NetworkTopology: one.NetworkTopology,
			},
			Status: v1beta1.PodGroupStatus{Phase: one.phase},
		})
		for number := 0; number < one.Pods && !(one.Later && one.phase == v1beta1.PodGroupPending); number++ {
			pod := fmt.Sprintf("%s-%d", one.Name, number)
			phase := v1.PodPending
			if one.placed[pod] != "" {
				phase = v1.PodRunning
			}
			c.AddPod(&v1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Name: pod, Namespace: namespace, UID: types.UID(pod), CreationTimestamp: created,
					Annotations: map[string]string{v1beta1.KubeGroupNameAnnotationKey: one.Name},
				},
				Spec: v1.PodSpec{
					NodeName: one.placed[pod], SchedulerName: name, Priority: &one.Priority, NodeSelector: one.Selector,
					Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: one.Requests}}},
				},
				Status: v1.PodStatus{Phase: phase},
			})
		}
	}
	indexer := clientcache.NewIndexer(clientcache.MetaNamespaceKeyFunc, clientcache.Indexers{})
	for i := range in.Nodes {
		if err := indexer.Add(&in.Nodes[i]); err != nil {
			panic(err)
		}
	}
	c.HyperNodesInfo = api.NewHyperNodesInfo(listers.NewNodeLister(indexer))
	for i := range in.HyperNodes {
		if err := c.HyperNodesInfo.UpdateHyperNode(&in.HyperNodes[i]); err != nil {
			panic(err)
		}
	}

	text := strings.ReplaceAll(configuration, "PLUGIN", in.Plugin)
	if len(in.HyperNodes) > 0 {
		text += "  - name: network-topology-aware\n"
	}
	actions, tiers, configurations, _, err := scheduler.UnmarshalSchedulerConf(text)
	if err != nil {
		panic(err)
	}
	conf.EnabledActionMap = map[string]bool{}
	for _, action := range actions {
		conf.EnabledActionMap[action.Name()] = true
	}
	session := framework.OpenSession(c, tiers, configurations)
	var allocated []string
	session.AddEventHandler(&framework.EventHandler{
		AllocateFunc:   func(event *framework.Event) { allocated = append(allocated, session.Jobs[event.Task.Job].Name) },
		DeallocateFunc: func(*framework.Event) {},
	})
	for _, action := range actions {
		action.Initialize()
		action.Execute(session)
		action.UnInitialize()
	}
	jobs := session.Jobs
	framework.CloseSession(session)
	changed := false
	kept := []string{}
	for i := range in.Jobs {
		one := &in.Jobs[i]
		info := jobs[api.JobID(namespace+"/"+one.Name)]
		if info == nil {
			panic("no job " + one.Name)
		}
		before := len(one.placed)
		for _, tasks := range info.TaskStatusIndex {
			for _, task := range tasks {
				if task.NodeName != "" && task.Status != api.Pipelined {
					one.placed[task.Name] = task.NodeName
				}
			}
		}
		phase := one.phase
		if phase == v1beta1.PodGroupPending && info.PodGroup.Status.Phase == scheduling.PodGroupInqueue {
			phase = v1beta1.PodGroupInqueue
		}
		if len(one.placed) >= int(one.MinMember) && len(one.placed) > 0 {
			phase = v1beta1.PodGroupRunning
			kept = append(kept, one.Name)
		}
		changed = changed || phase != one.phase || len(one.placed) != before
		one.phase, one.message = phase, ""
		for _, condition := range info.PodGroup.Status.Conditions {
			if condition.Type == scheduling.PodGroupUnschedulableType && condition.Status == v1.ConditionTrue {
				one.message = condition.Message
			}
		}
	}
	allocated = slices.DeleteFunc(allocated, func(each string) bool { return !slices.Contains(kept, each) })
	return changed, recorder.byJob, allocated
}

// The file volcano-scheduler.conf of Volcano's Helm chart.
const configuration = `
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: PLUGIN
  - name: nodeorder
  - name: binpack
`
