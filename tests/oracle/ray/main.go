// Command ray-operator runs the reconcilers of KubeRay on RayJobs, with the fake client of controller-runtime.
//
// It reads a JSON line {"id", "manifest", "stored"} for each RayJob, where "stored" has the defaults of the API server. It writes the
// line without "stored", with "refused" (what the validation of the operator reports) or with "created" (all created objects).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils/dashboardclient"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const uid = "00000000-0000-4000-8000-000000000001"

type line struct {
	ID       string          `json:"id"`
	Manifest json.RawMessage `json:"manifest"`
	Stored   json.RawMessage `json:"stored,omitempty"`
	Refused  string          `json:"refused,omitempty"`
	Created  []client.Object `json:"created,omitempty"`
}

// programManager has the parts of a manager that the constructors of the reconcilers read.
type programManager struct {
	manager.Manager
	client client.Client
	scheme *runtime.Scheme
}

func (m programManager) GetClient() client.Client   { return m.client }
func (m programManager) GetScheme() *runtime.Scheme { return m.scheme }
func (m programManager) GetEventRecorderFor(string) record.EventRecorder {
	return record.NewFakeRecorder(10000)
}
func (m programManager) GetFieldIndexer() client.FieldIndexer { return m }
func (m programManager) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

type noDashboard struct{}

func (noDashboard) GetDashboardClient(manager.Manager) func(*rayv1.RayCluster, string) (dashboardclient.RayDashboardClientInterface, error) {
	return func(*rayv1.RayCluster, string) (dashboardclient.RayDashboardClientInterface, error) {
		return nil, fmt.Errorf("no dashboard")
	}
}

func (noDashboard) GetHttpProxyClient(manager.Manager) func(string, string, string, int) utils.RayHttpProxyClientInterface {
	return nil
}

func main() {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(rayv1.AddToScheme(scheme))
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for input.Scan() {
		var one line
		must(json.Unmarshal(input.Bytes(), &one))
		follow(&one, scheme)
		one.Stored = nil
		text, err := json.Marshal(one)
		must(err)
		fmt.Fprintln(output, string(text))
	}
	must(input.Err())
}

func follow(one *line, scheme *runtime.Scheme) {
	job := &rayv1.RayJob{}
	must(json.Unmarshal(one.Stored, job))
	for _, err := range []error{utils.ValidateRayJobMetadata(job.ObjectMeta), utils.ValidateRayJobSpec(job)} {
		if err != nil {
			one.Refused = err.Error()
			return
		}
	}
	job.UID = uid
	isRecorded := false
	created := interceptor.Funcs{Create: func(ctx context.Context, writer client.WithWatch, object client.Object, options ...client.CreateOption) error {
		object.SetUID(uid)
		copied := object.DeepCopyObject().(client.Object)
		kind, err := apiutil.GVKForObject(object, scheme)
		must(err)
		copied.GetObjectKind().SetGroupVersionKind(kind)
		if isRecorded {
			one.Created = append(one.Created, copied)
		}
		return writer.Create(ctx, object, options...)
	}}
	store := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&rayv1.RayJob{}, &rayv1.RayCluster{}).
		WithInterceptorFuncs(created).WithObjects(job).Build()
	from := programManager{client: store, scheme: scheme}
	ctx := context.Background()
	jobs := ray.NewRayJobReconciler(ctx, from, ray.RayJobReconcilerOptions{}, noDashboard{})
	clusters := ray.NewReconciler(ctx, from, ray.RayClusterReconcilerOptions{})
	if name := job.Spec.ClusterSelector[utils.RayJobClusterSelectorKey]; name != "" {
		head := corev1.PodSpec{Containers: []corev1.Container{{Name: "head", Image: "registry.example/ray:2.52.0"}}}
		existing := &rayv1.RayCluster{}
		existing.Namespace, existing.Name, existing.Spec.HeadGroupSpec.Template.Spec = job.Namespace, name, head
		must(store.Create(ctx, existing))
		_, _ = clusters.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(existing)})
		must(store.Get(ctx, client.ObjectKeyFromObject(existing), existing))
		existing.Status.State = rayv1.Ready
		must(store.Status().Update(ctx, existing))
	}
	isRecorded = true
	request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: job.Namespace, Name: job.Name}}
	for step := 0; step < 6; step++ {
		_, _ = jobs.Reconcile(ctx, request) // Without a dashboard, the last step of a run reports an error.
		var known rayv1.RayClusterList
		must(store.List(ctx, &known))
		for _, cluster := range known.Items {
			_, _ = clusters.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&cluster)})
			must(store.Get(ctx, client.ObjectKeyFromObject(&cluster), &cluster))
			cluster.Status.State = rayv1.Ready
			must(store.Status().Update(ctx, &cluster))
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
