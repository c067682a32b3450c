// recorder: Kueue's assignment of flavors, in process, for workloads from standard input.
//
// Each line of the input is a cluster: {"flavors": [...], "queues": [...], "workloads": [...]}, with ResourceFlavors, ClusterQueues and
// Workloads, whose queueName is that of a ClusterQueue. The workloads are assigned in turn, and keep their quota if they fit. A
// line of the output has for each of them the mode with the quota that others use and with all quota, the flavors, and the messages:
// Kueue looks at resources in any order, so there may be several.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	preemption "sigs.k8s.io/kueue/pkg/scheduler/preemption/common"
	"sigs.k8s.io/kueue/pkg/workload"
)

const repeats = 40

type input struct {
	Flavors   []kueue.ResourceFlavor `json:"flavors"`
	Queues    []kueue.ClusterQueue   `json:"queues"`
	Workloads []kueue.Workload       `json:"workloads"`
}

type verdict struct {
	Mode     string            `json:"mode"`
	Alone    string            `json:"alone"`
	Flavors  map[string]string `json:"flavors,omitempty"`
	Messages []string          `json:"messages,omitempty"`
}

// noPreemption finds no workloads to preempt.
type noPreemption struct{}

func (noPreemption) SimulatePreemption(context.Context, *scheduler.ClusterQueueSnapshot, workload.Info, resources.FlavorResource, resources.Amount) (preemption.PreemptionPossibility, int) {
	return preemption.NoCandidates, 0
}

func main() {
	log.SetLogger(logr.Discard())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for number := 1; in.Scan(); number++ {
		verdicts, err := judge(in.Bytes())
		if err != nil {
			fmt.Fprintf(os.Stderr, "line %d: %v\n", number, err)
			os.Exit(1)
		}
		out.Encode(verdicts)
	}
}

func judge(line []byte) ([]verdict, error) {
	var in input
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, err
	}
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
		cache.AddOrUpdateResourceFlavor(logr.Discard(), &in.Flavors[i])
	}
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
	var verdicts []verdict
	for i := range in.Workloads {
		assign := func(snapshot *scheduler.Snapshot) flavorassigner.Assignment {
			info := workload.NewInfo(&in.Workloads[i])
			queue := snapshot.ClusterQueue(kueue.ClusterQueueReference(in.Workloads[i].Spec.QueueName))
			assigner := flavorassigner.New(info, queue, flavors, false, noPreemption{}, nil, configapi.QuotaCheckBlockUndeclared, resources.NewResourceFormatter())
			return assigner.Assign(ctx, nil)
		}
		alone, last := assign(empty), assign(used)
		one := verdict{Mode: last.RepresentativeMode().String(), Alone: alone.RepresentativeMode().String()}
		if last.RepresentativeMode() == flavorassigner.Fit {
			one.Flavors = map[string]string{}
			for _, podSet := range last.PodSets {
				for _, flavor := range podSet.Flavors {
					one.Flavors[string(podSet.Name)] = string(flavor.Name)
				}
			}
			used.ClusterQueue(kueue.ClusterQueueReference(in.Workloads[i].Spec.QueueName)).AddUsage(workload.Usage{Quota: last.Usage.Quota})
		} else {
			for range repeats {
				again := assign(used)
				if text := again.Message(); !slices.Contains(one.Messages, text) {
					one.Messages = append(one.Messages, text)
				}
			}
			slices.Sort(one.Messages)
		}
		verdicts = append(verdicts, one)
	}
	return verdicts, nil
}
