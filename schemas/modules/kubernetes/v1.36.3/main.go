// Program schemas writes the built-in kinds of Kubernetes as CustomResourceDefinitions: the schema
// that controller-gen makes of their Go types, with ObjectMeta spelled out and with the merge keys
// of strategic merge patches.
//
//	go run . FOLDER
package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	gopackages "golang.org/x/tools/go/packages"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

type kind struct {
	group, plural string
	clusterWide   bool
	object        any
}

var kinds = []kind{
	{"", "configmaps", false, corev1.ConfigMap{}},
	{"", "endpoints", false, corev1.Endpoints{}},
	{"", "limitranges", false, corev1.LimitRange{}},
	{"", "namespaces", true, corev1.Namespace{}},
	{"", "nodes", true, corev1.Node{}},
	{"", "persistentvolumeclaims", false, corev1.PersistentVolumeClaim{}},
	{"", "persistentvolumes", true, corev1.PersistentVolume{}},
	{"", "pods", false, corev1.Pod{}},
	{"", "podtemplates", false, corev1.PodTemplate{}},
	{"", "replicationcontrollers", false, corev1.ReplicationController{}},
	{"", "resourcequotas", false, corev1.ResourceQuota{}},
	{"", "secrets", false, corev1.Secret{}},
	{"", "serviceaccounts", false, corev1.ServiceAccount{}},
	{"", "services", false, corev1.Service{}},
	{"admissionregistration.k8s.io", "mutatingadmissionpolicies", true, admissionregistrationv1.MutatingAdmissionPolicy{}},
	{"admissionregistration.k8s.io", "mutatingadmissionpolicybindings", true, admissionregistrationv1.MutatingAdmissionPolicyBinding{}},
	{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", true, admissionregistrationv1.MutatingWebhookConfiguration{}},
	{"admissionregistration.k8s.io", "validatingadmissionpolicies", true, admissionregistrationv1.ValidatingAdmissionPolicy{}},
	{"admissionregistration.k8s.io", "validatingadmissionpolicybindings", true, admissionregistrationv1.ValidatingAdmissionPolicyBinding{}},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations", true, admissionregistrationv1.ValidatingWebhookConfiguration{}},
	{"apps", "daemonsets", false, appsv1.DaemonSet{}},
	{"apps", "deployments", false, appsv1.Deployment{}},
	{"apps", "replicasets", false, appsv1.ReplicaSet{}},
	{"apps", "statefulsets", false, appsv1.StatefulSet{}},
	{"autoscaling", "horizontalpodautoscalers", false, autoscalingv2.HorizontalPodAutoscaler{}},
	{"batch", "cronjobs", false, batchv1.CronJob{}},
	{"batch", "jobs", false, batchv1.Job{}},
	{"coordination.k8s.io", "leases", false, coordinationv1.Lease{}},
	{"discovery.k8s.io", "endpointslices", false, discoveryv1.EndpointSlice{}},
	{"networking.k8s.io", "ingressclasses", true, networkingv1.IngressClass{}},
	{"networking.k8s.io", "ingresses", false, networkingv1.Ingress{}},
	{"networking.k8s.io", "networkpolicies", false, networkingv1.NetworkPolicy{}},
	{"node.k8s.io", "runtimeclasses", true, nodev1.RuntimeClass{}},
	{"policy", "poddisruptionbudgets", false, policyv1.PodDisruptionBudget{}},
	{"rbac.authorization.k8s.io", "clusterrolebindings", true, rbacv1.ClusterRoleBinding{}},
	{"rbac.authorization.k8s.io", "clusterroles", true, rbacv1.ClusterRole{}},
	{"rbac.authorization.k8s.io", "rolebindings", false, rbacv1.RoleBinding{}},
	{"rbac.authorization.k8s.io", "roles", false, rbacv1.Role{}},
	{"resource.k8s.io", "deviceclasses", true, resourcev1.DeviceClass{}},
	{"resource.k8s.io", "resourceclaims", false, resourcev1.ResourceClaim{}},
	{"resource.k8s.io", "resourceclaimtemplates", false, resourcev1.ResourceClaimTemplate{}},
	{"resource.k8s.io", "resourceslices", true, resourcev1.ResourceSlice{}},
	{"scheduling.k8s.io", "priorityclasses", true, schedulingv1.PriorityClass{}},
	{"storage.k8s.io", "csidrivers", true, storagev1.CSIDriver{}},
	{"storage.k8s.io", "storageclasses", true, storagev1.StorageClass{}},
	{"storage.k8s.io", "volumeattributesclasses", true, storagev1.VolumeAttributesClass{}},
	{"meta", "objectmetas", false, metav1.ObjectMeta{}},
}

func main() {
	parser, packages := load()
	for _, kind := range kinds {
		t := reflect.TypeOf(kind.object)
		schema := annotated(schemaOf(parser, packages[t.PkgPath()], t.Name()), t)
		write(os.Args[1], kind, t, schema)
	}
	for _, loaded := range packages {
		// As controller-gen does: its type checker does not follow every import, so type errors mean nothing.
		if loader.PrintErrors([]*loader.Package{loaded}, gopackages.TypeError) {
			os.Exit(1)
		}
	}
	timeZones(os.Args[1])
}

// timeZones writes the names of the time zones that Go knows, and so a server that is written in it.
func timeZones(folder string) {
	archive, err := zip.OpenReader(filepath.Join(build.Default.GOROOT, "lib", "time", "zoneinfo.zip"))
	fail(err)
	var names []string
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "/") {
			names = append(names, file.Name+"\n")
		}
	}
	sort.Strings(names)
	fail(os.WriteFile(filepath.Join(folder, "timezones.txt"), []byte(strings.Join(names, "")), 0o644))
}

func load() (*crd.Parser, map[string]*loader.Package) {
	paths := map[string]bool{}
	for _, kind := range kinds {
		paths[reflect.TypeOf(kind.object).PkgPath()] = true
	}
	var sorted []string
	for path := range paths {
		sorted = append(sorted, path)
	}
	sort.Strings(sorted)
	roots, err := loader.LoadRoots(sorted...)
	fail(err)
	registry := &markers.Registry{}
	fail(crdmarkers.Register(registry))
	parser := &crd.Parser{Collector: &markers.Collector{Registry: registry}, Checker: &loader.TypeChecker{}, AllowDangerousTypes: true}
	crd.AddKnownTypes(parser)
	known := parser.PackageOverrides[metaPackage]
	parser.PackageOverrides[metaPackage] = func(p *crd.Parser, pkg *loader.Package) {
		known(p, pkg)
		// controller-gen knows ObjectMeta only as some object; here its fields matter.
		delete(p.Schemata, crd.TypeIdent{Name: "ObjectMeta", Package: pkg})
		keep := true
		p.Schemata[crd.TypeIdent{Name: "FieldsV1", Package: pkg}] = apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}
	}
	packages := map[string]*loader.Package{}
	for _, root := range roots {
		packages[root.PkgPath] = root
	}
	return parser, packages
}

// schemaOf is the type's schema as a tree, without descriptions.
func schemaOf(parser *crd.Parser, from *loader.Package, name string) map[string]any {
	ident := crd.TypeIdent{Package: from, Name: name}
	parser.NeedFlattenedSchemaFor(ident)
	schema := parser.FlattenedSchemata[ident]
	crd.TruncateDescription(&schema, 0)
	text, err := json.Marshal(schema)
	fail(err)
	var tree map[string]any
	fail(json.Unmarshal(text, &tree))
	return tree
}

// annotated adds the merge key of every list that strategic merge patches merge, which only the Go
// struct tags say.
func annotated(schema map[string]any, t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return annotated(schema, t.Elem())
	case reflect.Slice:
		if items, ok := schema["items"].(map[string]any); ok {
			annotated(items, t.Elem())
		}
	case reflect.Map:
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			annotated(values, t.Elem())
		}
	case reflect.Struct:
		properties, _ := schema["properties"].(map[string]any)
		for i := range t.NumField() {
			field := t.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && field.Anonymous {
				annotated(schema, field.Type)
				continue
			}
			property, ok := properties[name].(map[string]any)
			if !ok {
				continue
			}
			if key := field.Tag.Get("patchMergeKey"); key != "" {
				property["x-kubernetes-patch-merge-key"] = key
			}
			if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
				property["x-kubernetes-patch-strategy"] = strategy
			}
			annotated(property, field.Type)
		}
	}
	return schema
}

func write(folder string, kind kind, t reflect.Type, schema map[string]any) {
	scope := "Namespaced"
	if kind.clusterWide {
		scope = "Cluster"
	}
	path := strings.Split(t.PkgPath(), "/")
	version := map[string]any{"name": path[len(path)-1], "served": true, "schema": map[string]any{"openAPIV3Schema": schema}}
	if properties, ok := schema["properties"].(map[string]any); ok && properties["status"] != nil {
		version["subresources"] = map[string]any{"status": map[string]any{}}
	}
	definition := map[string]any{"spec": map[string]any{
		"group": kind.group, "scope": scope,
		"names":    map[string]any{"kind": t.Name(), "plural": kind.plural},
		"versions": []any{version},
	}}
	text, err := json.Marshal(definition)
	fail(err)
	fail(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s_%s.yaml", kind.group, kind.plural)), text, 0o644))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
