"""The Go types of Kubernetes' own kinds, as a table: what an object becomes on its way through them, and how an apply merges it.

One line a struct: `field:type` with `!` where Go prints even a zero, and after the type `@key` where strategic merge
patches know the elements of a list by that field (`@` alone: a merged list of scalars), `^` where they drop the keys that
a patch does not name (retainKeys) and `%` where they replace the whole. `*` is a pointer, whose zero is kept.

The lines that the table of the controller has are taken from there, so each struct is written once.

Made by `python -m schemas.gotypes.builtin_table` from the tags of Kubernetes 1.36 (k8s.io/api 0.36.3).
"""

from __future__ import annotations

from tjgen.cluster.trainer.gotypes import TYPES as OF_CONTROLLER

TYPES = {
    **OF_CONTROLLER,
    "AggregationRule": "clusterRoleSelectors:[]LabelSelector",
    "AzureDiskVolumeSource": "diskName:string! diskURI:string! cachingMode:*string fsType:*string readOnly:*bool kind:*string",
    "AzureFilePersistentVolumeSource": "secretName:string! shareName:string! readOnly:bool secretNamespace:*string!",
    "CELDeviceSelector": "expression:string!",
    "CSIPersistentVolumeSource": (
        "driver:string! volumeHandle:string! readOnly:bool fsType:string volumeAttributes:map[string]string"
        " controllerPublishSecretRef:*SecretReference nodeStageSecretRef:*SecretReference"
        " nodePublishSecretRef:*SecretReference controllerExpandSecretRef:*SecretReference"
        " nodeExpandSecretRef:*SecretReference"
    ),
    "CapacityRequirements": "requests:map[string]Quantity",
    "CephFSPersistentVolumeSource": (
        "monitors:[]string! path:string user:string secretFile:string secretRef:*SecretReference readOnly:bool"
    ),
    "CephFSVolumeSource": (
        "monitors:[]string! path:string user:string secretFile:string secretRef:*LocalObjectReference readOnly:bool"
    ),
    "CinderPersistentVolumeSource": "volumeID:string! fsType:string readOnly:bool secretRef:*SecretReference",
    "ClientIPConfig": "timeoutSeconds:*int32",
    "ClusterRole": "kind:string apiVersion:string metadata:ObjectMeta! rules:[]PolicyRule! aggregationRule:*AggregationRule",
    "ClusterRoleBinding": "kind:string apiVersion:string metadata:ObjectMeta! subjects:[]Subject roleRef:RoleRef!",
    "ConfigMap": (
        "kind:string apiVersion:string metadata:ObjectMeta! immutable:*bool data:map[string]string binaryData:map[string][]uint8"
    ),
    "ContainerPort": "name:string hostPort:int32 containerPort:int32! protocol:string hostIP:string",
    "ContainerResourceClaim": "name:string! request:string",
    "CronJob": "kind:string apiVersion:string metadata:ObjectMeta! spec:CronJobSpec!",
    "CronJobSpec": (
        "schedule:string! timeZone:*string startingDeadlineSeconds:*int64 concurrencyPolicy:string suspend:*bool"
        " jobTemplate:JobTemplateSpec! successfulJobsHistoryLimit:*int32 failedJobsHistoryLimit:*int32"
    ),
    "DaemonSet": "kind:string apiVersion:string metadata:ObjectMeta! spec:DaemonSetSpec!",
    "DaemonSetSpec": (
        "selector:*LabelSelector! template:PodTemplateSpec! updateStrategy:DaemonSetUpdateStrategy! minReadySeconds:int32"
        " revisionHistoryLimit:*int32"
    ),
    "DaemonSetUpdateStrategy": "type:string rollingUpdate:*RollingUpdateDaemonSet",
    "Deployment": "kind:string apiVersion:string metadata:ObjectMeta! spec:DeploymentSpec!",
    "DeploymentSpec": (
        "replicas:*int32 selector:*LabelSelector! template:PodTemplateSpec! strategy:DeploymentStrategy^!"
        " minReadySeconds:int32 revisionHistoryLimit:*int32 paused:bool progressDeadlineSeconds:*int32"
    ),
    "DeploymentStrategy": "type:string rollingUpdate:*RollingUpdateDeployment",
    "DeviceClaim": "requests:[]DeviceRequest! constraints:[]DeviceConstraint config:[]DeviceClaimConfiguration",
    "DeviceClaimConfiguration": "requests:[]string opaque:*OpaqueDeviceConfiguration",
    "DeviceClass": "kind:string apiVersion:string metadata:ObjectMeta! spec:DeviceClassSpec!",
    "DeviceClassConfiguration": "opaque:*OpaqueDeviceConfiguration",
    "DeviceClassSpec": "selectors:[]DeviceSelector config:[]DeviceClassConfiguration extendedResourceName:*string",
    "DeviceConstraint": "requests:[]string matchAttribute:*string distinctAttribute:*string",
    "DeviceRequest": "name:string! exactly:*ExactDeviceRequest firstAvailable:[]DeviceSubRequest",
    "DeviceSelector": "cel:*CELDeviceSelector",
    "DeviceSubRequest": (
        "name:string! deviceClassName:string! selectors:[]DeviceSelector allocationMode:string count:int64"
        " tolerations:[]DeviceToleration capacity:*CapacityRequirements"
    ),
    "DeviceToleration": "key:string operator:string value:string effect:string tolerationSeconds:*int64",
    "ExactDeviceRequest": (
        "deviceClassName:string! selectors:[]DeviceSelector allocationMode:string count:int64 adminAccess:*bool"
        " tolerations:[]DeviceToleration capacity:*CapacityRequirements"
    ),
    "FileKeySelector": "volumeName:string! path:string! key:string! optional:*bool",
    "FlexPersistentVolumeSource": (
        "driver:string! fsType:string secretRef:*SecretReference readOnly:bool options:map[string]string"
    ),
    "GRPCAction": "port:int32! service:*string!",
    "GlusterfsPersistentVolumeSource": "endpoints:string! path:string! readOnly:bool endpointsNamespace:*string",
    "IPBlock": "cidr:string! except:[]string",
    "ISCSIPersistentVolumeSource": (
        "targetPortal:string! iqn:string! lun:int32! iscsiInterface:string fsType:string readOnly:bool portals:[]string"
        " chapAuthDiscovery:bool chapAuthSession:bool secretRef:*SecretReference initiatorName:*string"
    ),
    "ISCSIVolumeSource": (
        "targetPortal:string! iqn:string! lun:int32! iscsiInterface:string fsType:string readOnly:bool portals:[]string"
        " chapAuthDiscovery:bool chapAuthSession:bool secretRef:*LocalObjectReference initiatorName:*string"
    ),
    "Job": "kind:string apiVersion:string metadata:ObjectMeta! spec:JobSpec!",
    "JobSpec": (
        "parallelism:*int32 completions:*int32 activeDeadlineSeconds:*int64 podFailurePolicy:*PodFailurePolicy"
        " successPolicy:*SuccessPolicy backoffLimit:*int32 backoffLimitPerIndex:*int32 maxFailedIndexes:*int32"
        " selector:*LabelSelector manualSelector:*bool template:PodTemplateSpec! ttlSecondsAfterFinished:*int32"
        " completionMode:*string suspend:*bool podReplacementPolicy:*string managedBy:*string"
    ),
    "LimitRange": "kind:string apiVersion:string metadata:ObjectMeta! spec:LimitRangeSpec!",
    "LimitRangeItem": (
        "type:string! max:map[string]Quantity min:map[string]Quantity default:map[string]Quantity"
        " defaultRequest:map[string]Quantity maxLimitRequestRatio:map[string]Quantity"
    ),
    "LimitRangeSpec": "limits:[]LimitRangeItem!",
    "LocalVolumeSource": "path:string! fsType:*string",
    "Namespace": "kind:string apiVersion:string metadata:ObjectMeta! spec:NamespaceSpec!",
    "NamespaceSpec": "finalizers:[]string",
    "NetworkPolicy": "kind:string apiVersion:string metadata:ObjectMeta! spec:NetworkPolicySpec!",
    "NetworkPolicyEgressRule": "ports:[]NetworkPolicyPort to:[]NetworkPolicyPeer",
    "NetworkPolicyIngressRule": "ports:[]NetworkPolicyPort from:[]NetworkPolicyPeer",
    "NetworkPolicyPeer": "podSelector:*LabelSelector namespaceSelector:*LabelSelector ipBlock:*IPBlock",
    "NetworkPolicyPort": "protocol:*string port:*IntOrString endPort:*int32",
    "NetworkPolicySpec": (
        "podSelector:LabelSelector! ingress:[]NetworkPolicyIngressRule egress:[]NetworkPolicyEgressRule policyTypes:[]string"
    ),
    "NodeSelector": "nodeSelectorTerms:[]NodeSelectorTerm!",
    "ObjectMeta": (
        "name:string generateName:string namespace:string selfLink:string uid:string resourceVersion:string generation:int64"
        " creationTimestamp:Time deletionTimestamp:*Time deletionGracePeriodSeconds:*int64 labels:map[string]string"
        " annotations:map[string]string ownerReferences:[]OwnerReference@uid finalizers:[]string@ managedFields:[]any"
    ),
    "ObjectReference": (
        "kind:string namespace:string name:string uid:string apiVersion:string resourceVersion:string fieldPath:string"
    ),
    "OpaqueDeviceConfiguration": "driver:string! parameters:any!",
    "OwnerReference": "apiVersion:string! kind:string! name:string! uid:string! controller:*bool blockOwnerDeletion:*bool",
    "PersistentVolume": "kind:string apiVersion:string metadata:ObjectMeta! spec:PersistentVolumeSpec!",
    "PersistentVolumeClaim": "kind:string apiVersion:string metadata:ObjectMeta! spec:PersistentVolumeClaimSpec!",
    "PersistentVolumeSpec": (
        "capacity:map[string]Quantity gcePersistentDisk:*GCEPersistentDiskVolumeSource"
        " awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource hostPath:*HostPathVolumeSource"
        " glusterfs:*GlusterfsPersistentVolumeSource nfs:*NFSVolumeSource rbd:*RBDPersistentVolumeSource"
        " iscsi:*ISCSIPersistentVolumeSource cinder:*CinderPersistentVolumeSource cephfs:*CephFSPersistentVolumeSource"
        " fc:*FCVolumeSource flocker:*FlockerVolumeSource flexVolume:*FlexPersistentVolumeSource"
        " azureFile:*AzureFilePersistentVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource"
        " quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource"
        " photonPersistentDisk:*PhotonPersistentDiskVolumeSource portworxVolume:*PortworxVolumeSource"
        " scaleIO:*ScaleIOPersistentVolumeSource local:*LocalVolumeSource storageos:*StorageOSPersistentVolumeSource"
        " csi:*CSIPersistentVolumeSource accessModes:[]string claimRef:*ObjectReference persistentVolumeReclaimPolicy:string"
        " storageClassName:string mountOptions:[]string volumeMode:*string nodeAffinity:*VolumeNodeAffinity"
        " volumeAttributesClassName:*string"
    ),
    "Pod": "kind:string apiVersion:string metadata:ObjectMeta! spec:PodSpec!",
    "PodDisruptionBudget": "kind:string apiVersion:string metadata:ObjectMeta! spec:PodDisruptionBudgetSpec!",
    "PodDisruptionBudgetSpec": (
        "minAvailable:*IntOrString selector:*LabelSelector% maxUnavailable:*IntOrString unhealthyPodEvictionPolicy:*string"
    ),
    "PodFailurePolicy": "rules:[]PodFailurePolicyRule!",
    "PodFailurePolicyOnExitCodesRequirement": "containerName:*string operator:string! values:[]int32!",
    "PodSpec": (
        "volumes:[]Volume@name^ initContainers:[]Container@name containers:[]Container@name!"
        " ephemeralContainers:[]EphemeralContainer@name restartPolicy:string terminationGracePeriodSeconds:*int64"
        " activeDeadlineSeconds:*int64 dnsPolicy:string nodeSelector:map[string]string serviceAccountName:string"
        " serviceAccount:string automountServiceAccountToken:*bool nodeName:string hostNetwork:bool hostPID:bool"
        " hostIPC:bool shareProcessNamespace:*bool securityContext:*PodSecurityContext"
        " imagePullSecrets:[]LocalObjectReference@name hostname:string subdomain:string affinity:*Affinity"
        " schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias@ip priorityClassName:string priority:*int32"
        " dnsConfig:*PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName:*string enableServiceLinks:*bool"
        " preemptionPolicy:*string overhead:map[string]Quantity"
        " topologySpreadConstraints:[]TopologySpreadConstraint@topologyKey setHostnameAsFQDN:*bool os:*PodOS hostUsers:*bool"
        " schedulingGates:[]PodSchedulingGate@name resourceClaims:[]PodResourceClaim@name^ resources:*ResourceRequirements"
        " hostnameOverride:*string schedulingGroup:*PodSchedulingGroup"
    ),
    "PodTemplate": "kind:string apiVersion:string metadata:ObjectMeta! template:PodTemplateSpec!",
    "PolicyRule": "verbs:[]string! apiGroups:[]string resources:[]string resourceNames:[]string nonResourceURLs:[]string",
    "PriorityClass": (
        "kind:string apiVersion:string metadata:ObjectMeta! value:int32! globalDefault:bool description:string"
        " preemptionPolicy:*string"
    ),
    "ProjectedVolumeSource": "sources:[]VolumeProjection! defaultMode:*int32",
    "RBDPersistentVolumeSource": (
        "monitors:[]string! image:string! fsType:string pool:string user:string keyring:string secretRef:*SecretReference"
        " readOnly:bool"
    ),
    "RBDVolumeSource": (
        "monitors:[]string! image:string! fsType:string pool:string user:string keyring:string"
        " secretRef:*LocalObjectReference readOnly:bool"
    ),
    "ReplicaSet": "kind:string apiVersion:string metadata:ObjectMeta! spec:ReplicaSetSpec!",
    "ReplicaSetSpec": "replicas:*int32 minReadySeconds:int32 selector:*LabelSelector! template:PodTemplateSpec!",
    "ResourceClaim": "kind:string apiVersion:string metadata:ObjectMeta! spec:ResourceClaimSpec!",
    "ResourceClaimSpec": "devices:DeviceClaim!",
    "ResourceClaimTemplate": "kind:string apiVersion:string metadata:ObjectMeta! spec:ResourceClaimTemplateSpec!",
    "ResourceClaimTemplateSpec": "metadata:ObjectMeta! spec:ResourceClaimSpec!",
    "ResourceQuota": "kind:string apiVersion:string metadata:ObjectMeta! spec:ResourceQuotaSpec!",
    "ResourceQuotaSpec": "hard:map[string]Quantity scopes:[]string scopeSelector:*ScopeSelector",
    "ResourceRequirements": "limits:map[string]Quantity requests:map[string]Quantity claims:[]ContainerResourceClaim",
    "Role": "kind:string apiVersion:string metadata:ObjectMeta! rules:[]PolicyRule!",
    "RoleBinding": "kind:string apiVersion:string metadata:ObjectMeta! subjects:[]Subject roleRef:RoleRef!",
    "RoleRef": "apiGroup:string! kind:string! name:string!",
    "RollingUpdateDaemonSet": "maxUnavailable:*IntOrString maxSurge:*IntOrString",
    "RollingUpdateDeployment": "maxUnavailable:*IntOrString maxSurge:*IntOrString",
    "RollingUpdateStatefulSetStrategy": "partition:*int32 maxUnavailable:*IntOrString",
    "ScaleIOPersistentVolumeSource": (
        "gateway:string! system:string! secretRef:*SecretReference! sslEnabled:bool protectionDomain:string"
        " storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool"
    ),
    "ScaleIOVolumeSource": (
        "gateway:string! system:string! secretRef:*LocalObjectReference! sslEnabled:bool protectionDomain:string"
        " storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool"
    ),
    "ScopeSelector": "matchExpressions:[]ScopedResourceSelectorRequirement",
    "ScopedResourceSelectorRequirement": "scopeName:string! operator:string! values:[]string",
    "Secret": (
        "kind:string apiVersion:string metadata:ObjectMeta! immutable:*bool data:map[string][]uint8"
        " stringData:map[string]string type:string"
    ),
    "SecretReference": "name:string namespace:string",
    "Service": "kind:string apiVersion:string metadata:ObjectMeta! spec:ServiceSpec!",
    "ServiceAccount": (
        "kind:string apiVersion:string metadata:ObjectMeta! secrets:[]ObjectReference@name"
        " imagePullSecrets:[]LocalObjectReference automountServiceAccountToken:*bool"
    ),
    "ServicePort": "name:string protocol:string appProtocol:*string port:int32! targetPort:IntOrString! nodePort:int32",
    "ServiceSpec": (
        "ports:[]ServicePort@port selector:map[string]string clusterIP:string clusterIPs:[]string type:string"
        " externalIPs:[]string sessionAffinity:string loadBalancerIP:string loadBalancerSourceRanges:[]string"
        " externalName:string externalTrafficPolicy:string healthCheckNodePort:int32 publishNotReadyAddresses:bool"
        " sessionAffinityConfig:*SessionAffinityConfig ipFamilies:[]string ipFamilyPolicy:*string"
        " allocateLoadBalancerNodePorts:*bool loadBalancerClass:*string internalTrafficPolicy:*string"
        " trafficDistribution:*string"
    ),
    "SessionAffinityConfig": "clientIP:*ClientIPConfig",
    "StatefulSet": "kind:string apiVersion:string metadata:ObjectMeta! spec:StatefulSetSpec!",
    "StatefulSetOrdinals": "start:int32!",
    "StatefulSetPersistentVolumeClaimRetentionPolicy": "whenDeleted:string whenScaled:string",
    "StatefulSetSpec": (
        "replicas:*int32 selector:*LabelSelector! template:PodTemplateSpec! volumeClaimTemplates:[]PersistentVolumeClaim"
        " serviceName:string! podManagementPolicy:string updateStrategy:StatefulSetUpdateStrategy!"
        " revisionHistoryLimit:*int32 minReadySeconds:int32"
        " persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy"
        " ordinals:*StatefulSetOrdinals"
    ),
    "StatefulSetUpdateStrategy": "type:string rollingUpdate:*RollingUpdateStatefulSetStrategy",
    "StorageClass": (
        "kind:string apiVersion:string metadata:ObjectMeta! provisioner:string! parameters:map[string]string"
        " reclaimPolicy:*string mountOptions:[]string allowVolumeExpansion:*bool volumeBindingMode:*string"
        " allowedTopologies:[]TopologySelectorTerm"
    ),
    "StorageOSPersistentVolumeSource": (
        "volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:*ObjectReference"
    ),
    "Subject": "kind:string! apiGroup:string name:string! namespace:string",
    "SuccessPolicy": "rules:[]SuccessPolicyRule!",
    "SuccessPolicyRule": "succeededIndexes:*string succeededCount:*int32",
    "TopologySelectorLabelRequirement": "key:string! values:[]string!",
    "TopologySelectorTerm": "matchLabelExpressions:[]TopologySelectorLabelRequirement",
    "TypedLocalObjectReference": "apiGroup:*string! kind:string! name:string!",
    "TypedObjectReference": "apiGroup:*string! kind:string! name:string! namespace:*string",
    "VolumeNodeAffinity": "required:*NodeSelector",
}
