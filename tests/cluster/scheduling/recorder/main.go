// recorder: the real kube-scheduler, in process, on clusters and pods from standard input.
//
// Each line of the input is a cluster: {"objects": [...], "pods": [...]}. Objects are Nodes, Pods that run on them, and what the
// plugins look up (claims, volumes, storage classes, services, priority ...). Each pod of "pods" is scheduled in turn. A line of the
// output has for each of them the node, or the message of the event FailedScheduling and the nominated node.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type input struct {
	Objects []json.RawMessage `json:"objects"`
	Pods    []json.RawMessage `json:"pods"`
}

type verdict struct {
	Node      string `json:"node,omitempty"`
	Message   string `json:"message,omitempty"`
	Nominated string `json:"nominated,omitempty"`
}

func main() {
	jobs := flag.Int("jobs", 2, "clusters at a time")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	var lines [][]byte
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<20), 1<<28)
	for scanner.Scan() {
		lines = append(lines, append([]byte(nil), scanner.Bytes()...))
	}
	answers := make([][]verdict, len(lines))
	var wait sync.WaitGroup
	gate := make(chan bool, *jobs)
	for i, line := range lines {
		wait.Add(1)
		gate <- true
		go func() {
			defer wait.Done()
			defer func() { <-gate }()
			verdicts, err := judge(line)
			if err != nil {
				fmt.Fprintf(os.Stderr, "line %d: %v\n", i+1, err)
				os.Exit(1)
			}
			answers[i] = verdicts
		}()
	}
	wait.Wait()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, answer := range answers {
		out.Encode(answer)
	}
}

func judge(line []byte) ([]verdict, error) {
	var in input
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var objects []runtime.Object
	for _, raw := range in.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, err
		}
		switch one := object.(type) {
		case *v1.Pod:
			one.UID = types.UID(one.Namespace + "/" + one.Name)
			corev1.SetObjectDefaults_Pod(one)
		case *v1.PersistentVolumeClaim:
			corev1.SetObjectDefaults_PersistentVolumeClaim(one)
		case *v1.PersistentVolume:
			corev1.SetObjectDefaults_PersistentVolume(one)
		}
		objects = append(objects, object)
	}
	client := fake.NewClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	sched, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster), scheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	logger := klog.FromContext(ctx)
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return nil, err
	}
	fwk := sched.Profiles[v1.DefaultSchedulerName]
	snapshot := fwk.SnapshotSharedLister().(*cache.Snapshot)
	var verdicts []verdict
	for _, raw := range in.Pods {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, err
		}
		pod := object.(*v1.Pod)
		pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
		corev1.SetObjectDefaults_Pod(pod)
		// Preemption looks the pod up.
		if err := factory.Core().V1().Pods().Informer().GetIndexer().Add(pod); err != nil {
			return nil, err
		}
		if err := sched.Cache.UpdateSnapshot(logger, snapshot); err != nil {
			return nil, err
		}
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return nil, err
		}
		state := framework.NewCycleState()
		result, err := sched.SchedulePod(ctx, fwk, state, &framework.QueuedPodInfo{PodInfo: info})
		if err == nil {
			bound := pod.DeepCopy()
			bound.Spec.NodeName = result.SuggestedHost
			if err := sched.Cache.AddPod(logger, bound); err != nil {
				return nil, err
			}
			verdicts = append(verdicts, verdict{Node: result.SuggestedHost})
			continue
		}
		one := verdict{}
		if fit, ok := err.(*framework.FitError); ok {
			nominated, status := fwk.RunPostFilterPlugins(ctx, state, pod, fit.Diagnosis.NodeToStatus)
			fit.Diagnosis.PostFilterMsg = status.Message()
			if nominated != nil && nominated.NominatingInfo != nil {
				one.Nominated = nominated.NominatedNodeName
			}
		}
		one.Message = err.Error()
		verdicts = append(verdicts, one)
		if one.Nominated != "" {
			break // Victims are deleted from now on, at some time.
		}
	}
	return verdicts, nil
}
