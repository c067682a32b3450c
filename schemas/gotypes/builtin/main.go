// Prints the Go types of the built-in kinds that are checked as JSON, as the program for Trainer does.
package main

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
)

func main() {
	for _, kind := range []any{
		appsv1.DaemonSet{}, appsv1.Deployment{}, appsv1.ReplicaSet{}, appsv1.StatefulSet{},
		batchv1.CronJob{}, batchv1.Job{},
		corev1.ConfigMap{}, corev1.LimitRange{}, corev1.Namespace{}, corev1.PersistentVolume{}, corev1.PersistentVolumeClaim{}, corev1.Pod{}, corev1.PodTemplate{}, corev1.ResourceQuota{}, corev1.Secret{}, corev1.Service{}, corev1.ServiceAccount{},
		networkingv1.NetworkPolicy{},
		policyv1.PodDisruptionBudget{},
		rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{}, rbacv1.Role{}, rbacv1.RoleBinding{},
		resourcev1.DeviceClass{}, resourcev1.ResourceClaim{}, resourcev1.ResourceClaimTemplate{},
		schedulingv1.PriorityClass{},
		storagev1.StorageClass{},
	} {
		visit(reflect.TypeOf(kind))
	}
	printed()
}
