// Runs the Job controller of Volcano against the cluster of KUBECONFIG, and lets each PodGroup enqueue: without a scheduler
// that is what lets the controller create pods.
package main

import (
	"context"
	"log"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	scheduling "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"
	vcinformers "volcano.sh/apis/pkg/client/informers/externalversions"
	"volcano.sh/volcano/pkg/controllers/framework"
	_ "volcano.sh/volcano/pkg/controllers/job"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	config.QPS, config.Burst = 500, 500
	kube, volcano := kubernetes.NewForConfigOrDie(config), versioned.NewForConfigOrDie(config)
	stop := make(chan struct{})
	framework.ForeachController(func(one framework.Controller) {
		if one.Name() != "job-controller" {
			return
		}
		options := &framework.ControllerOption{
			KubeClient: kube, VolcanoClient: volcano, WorkerNum: 3, MaxRequeueNum: 15, Config: config,
			SharedInformerFactory:   informers.NewSharedInformerFactory(kube, 0),
			VCSharedInformerFactory: vcinformers.NewSharedInformerFactory(volcano, 0),
			SchedulerNames:          []string{"volcano"},
		}
		if err := one.Initialize(options); err != nil {
			log.Fatal(err)
		}
		go one.Run(stop)
	})
	log.Print("running")
	for ; ; time.Sleep(200 * time.Millisecond) {
		groups, err := volcano.SchedulingV1beta1().PodGroups("").List(context.TODO(), metav1.ListOptions{})
		if err != nil {
			log.Print(err)
			continue
		}
		for i := range groups.Items {
			group := &groups.Items[i]
			if group.Status.Phase == "" || group.Status.Phase == scheduling.PodGroupPending {
				group.Status.Phase = scheduling.PodGroupInqueue
				if _, err := volcano.SchedulingV1beta1().PodGroups(group.Namespace).Update(context.TODO(), group, metav1.UpdateOptions{}); err != nil {
					log.Print(err)
				}
			}
		}
	}
}
