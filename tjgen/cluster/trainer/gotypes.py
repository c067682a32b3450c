"""The Go types that the controller decodes into, as a table: what a value becomes on its way through them.

One line a struct: `field:type` with `!` where Go prints even a zero, `=value` for what the API server
fills in, and after a list's type `@key` where strategic merge knows the elements by that field (`@`
alone: a merged list of scalars). `*` is a pointer, whose zero is kept. `?` marks what Go prints as null
where it is absent. Only fields that the CRDs have stand here: the API server prunes the others.

Made by schemas/gotypes/table.py from the tags of Trainer v2.3.0, JobSet v0.12.0 and Kubernetes 0.36 and the
defaults of their CRDs; defaults that Go drops again (`name: ""`) are left out. Pods go through apply
configurations, which drop those nulls; claim templates do not, hence their own types.
"""

from __future__ import annotations

TYPES = {
    "AWSElasticBlockStoreVolumeSource": "volumeID:string! fsType:string partition:int32 readOnly:bool",
    "Affinity": "nodeAffinity:*NodeAffinity podAffinity:*PodAffinity podAntiAffinity:*PodAntiAffinity",
    "AppArmorProfile": "type:string! localhostProfile:*string",
    "AzureDiskVolumeSource": (
        "diskName:string! diskURI:string! cachingMode:*string fsType:*string=ext4 readOnly:*bool=false kind:*string"
    ),
    "AzureFileVolumeSource": "secretName:string! shareName:string! readOnly:bool",
    "CSIVolumeSource": (
        "driver:string! readOnly:*bool fsType:*string volumeAttributes:map[string]string"
        " nodePublishSecretRef:*LocalObjectReference"
    ),
    "Capabilities": "add:[]string drop:[]string",
    "CephFSVolumeSource": (
        "monitors:[]string? path:string user:string secretFile:string secretRef:*LocalObjectReference readOnly:bool"
    ),
    "CinderVolumeSource": "volumeID:string! fsType:string readOnly:bool secretRef:*LocalObjectReference",
    "ClaimSpec": (
        "accessModes:[]string selector:*LabelSelector resources:VolumeResourceRequirements! volumeName:string"
        " storageClassName:*string volumeMode:*string dataSource:*ClaimTypedLocalObjectReference"
        " dataSourceRef:*ClaimTypedObjectReference volumeAttributesClassName:*string"
    ),
    "ClaimTypedLocalObjectReference": "apiGroup:*string! kind:string! name:string!",
    "ClaimTypedObjectReference": "apiGroup:*string! kind:string! name:string! namespace:*string",
    "ClusterTrustBundleProjection": "name:*string signerName:*string labelSelector:*LabelSelector optional:*bool path:string!",
    "ConfigMapEnvSource": "name:string optional:*bool",
    "ConfigMapKeySelector": "name:string key:string! optional:*bool",
    "ConfigMapProjection": "name:string items:[]KeyToPath optional:*bool",
    "ConfigMapVolumeSource": "name:string items:[]KeyToPath defaultMode:*int32 optional:*bool",
    "Container": (
        "name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort@containerPort"
        " envFrom:[]EnvFromSource env:[]EnvVar@name resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy"
        " restartPolicy:*string restartPolicyRules:[]ContainerRestartRule volumeMounts:[]VolumeMount@mountPath"
        " volumeDevices:[]VolumeDevice@devicePath livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe"
        " lifecycle:*Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string"
        " securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool"
    ),
    "ContainerPatch": "name:string env:[]EnvVar volumeMounts:[]VolumeMount securityContext:*SecurityContext",
    "ContainerPort": "name:string hostPort:int32 containerPort:int32! protocol:string=TCP hostIP:string",
    "ContainerResizePolicy": "resourceName:string! restartPolicy:string!",
    "ContainerRestartRule": "action:string exitCodes:*ContainerRestartRuleOnExitCodes",
    "ContainerRestartRuleOnExitCodes": "operator:string values:[]int32",
    "Coordinator": "replicatedJob:string! jobIndex:int podIndex:int",
    "CoschedulingPodGroupPolicySource": "scheduleTimeoutSeconds:*int32=60",
    "DatasetInitializer": "storageUri:*string env:[]EnvVar secretRef:*LocalObjectReference",
    "DependsOn": "name:string! status:string!",
    "DownwardAPIProjection": "items:[]DownwardAPIVolumeFile",
    "DownwardAPIVolumeFile": "path:string! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*int32",
    "DownwardAPIVolumeSource": "items:[]DownwardAPIVolumeFile defaultMode:*int32",
    "EmptyDirVolumeSource": "medium:string sizeLimit:*Quantity",
    "EnvFromSource": "prefix:string configMapRef:*ConfigMapEnvSource secretRef:*SecretEnvSource",
    "EnvInjection": "targets:[]EnvInjectionTarget",
    "EnvInjectionTarget": "jobName:string containerNames:[]string",
    "EnvVar": "name:string! value:string valueFrom:*EnvVarSource",
    "EnvVarSource": (
        "fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector configMapKeyRef:*ConfigMapKeySelector"
        " secretKeyRef:*SecretKeySelector fileKeyRef:*FileKeySelector"
    ),
    "EphemeralContainer": (
        "name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort@containerPort"
        " envFrom:[]EnvFromSource env:[]EnvVar@name resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy"
        " restartPolicy:*string restartPolicyRules:[]ContainerRestartRule volumeMounts:[]VolumeMount@mountPath"
        " volumeDevices:[]VolumeDevice@devicePath livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe"
        " lifecycle:*Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string"
        " securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool targetContainerName:string"
    ),
    "EphemeralVolumeSource": "volumeClaimTemplate:*PersistentVolumeClaimTemplate",
    "ExecAction": "command:[]string",
    "FCVolumeSource": "targetWWNs:[]string lun:*int32 fsType:string readOnly:bool wwids:[]string",
    "FailurePolicy": "maxRestarts:int32 restartStrategy:string=Recreate rules:[]FailurePolicyRule",
    "FailurePolicyRule": (
        "name:string! action:string! onJobFailureReasons:[]string onJobFailureMessagePatterns:[]string"
        " targetReplicatedJobs:[]string"
    ),
    "FileKeySelector": "volumeName:string! path:string! key:string! optional:*bool=false",
    "FlexVolumeSource": "driver:string! fsType:string secretRef:*LocalObjectReference readOnly:bool options:map[string]string",
    "FlockerVolumeSource": "datasetName:string datasetUUID:string",
    "FluxMLPolicySource": "numProcPerNode:*int32=1",
    "GCEPersistentDiskVolumeSource": "pdName:string! fsType:string partition:int32 readOnly:bool",
    "GRPCAction": "port:int32! service:*string!=",
    "GitRepoVolumeSource": "repository:string! revision:string directory:string",
    "GlusterfsVolumeSource": "endpoints:string! path:string! readOnly:bool",
    "HTTPGetAction": "path:string port:IntOrString! host:string scheme:string httpHeaders:[]HTTPHeader",
    "HTTPHeader": "name:string! value:string!",
    "HostAlias": "ip:string! hostnames:[]string",
    "HostPathVolumeSource": "path:string! type:*string",
    "ISCSIVolumeSource": (
        "targetPortal:string! iqn:string! lun:int32! iscsiInterface:string=default fsType:string readOnly:bool"
        " portals:[]string chapAuthDiscovery:bool chapAuthSession:bool secretRef:*LocalObjectReference initiatorName:*string"
    ),
    "ImageVolumeSource": "reference:string pullPolicy:string",
    "Initializer": "dataset:*DatasetInitializer model:*ModelInitializer",
    "JAXMLPolicySource": "",
    "JobSetSpec": (
        "replicatedJobs:[]ReplicatedJob@name network:*Network successPolicy:*SuccessPolicy failurePolicy:*FailurePolicy"
        " startupPolicy:*StartupPolicy suspend:*bool coordinator:*Coordinator managedBy:*string"
        " ttlSecondsAfterFinished:*int32 volumeClaimPolicies:[]VolumeClaimPolicy"
    ),
    "JobSetSpecPatch": "replicatedJobs:[]ReplicatedJobPatch",
    "JobSetTemplatePatch": "metadata:*ObjectMeta spec:*JobSetSpecPatch",
    "JobSetTemplateSpec": "metadata:ObjectMeta! spec:JobSetSpec!",
    "JobSpec": (
        "parallelism:*int32 completions:*int32 activeDeadlineSeconds:*int64 podFailurePolicy:*PodFailurePolicy"
        " successPolicy:*JobSuccessPolicy backoffLimit:*int32 backoffLimitPerIndex:*int32 maxFailedIndexes:*int32"
        " selector:*LabelSelector manualSelector:*bool template:PodTemplateSpec! ttlSecondsAfterFinished:*int32"
        " completionMode:*string suspend:*bool podReplacementPolicy:*string managedBy:*string"
    ),
    "JobSpecPatch": "template:*PodTemplatePatch",
    "JobSuccessPolicy": "rules:[]JobSuccessPolicyRule?",
    "JobSuccessPolicyRule": "succeededIndexes:*string succeededCount:*int32",
    "JobTemplatePatch": "metadata:*ObjectMeta spec:*JobSpecPatch",
    "JobTemplateSpec": "metadata:ObjectMeta! spec:JobSpec!",
    "KeyToPath": "key:string! path:string! mode:*int32",
    "LabelSelector": "matchLabels:map[string]string matchExpressions:[]LabelSelectorRequirement",
    "LabelSelectorRequirement": "key:string! operator:string! values:[]string",
    "Lifecycle": "postStart:*LifecycleHandler preStop:*LifecycleHandler stopSignal:*string",
    "LifecycleHandler": "exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction sleep:*SleepAction",
    "LocalObjectReference": "name:string",
    "MLPolicy": (
        "numNodes:*int32 torch:*TorchMLPolicySource mpi:*MPIMLPolicySource flux:*FluxMLPolicySource jax:*JAXMLPolicySource"
        " xgboost:*XGBoostMLPolicySource"
    ),
    "MPIMLPolicySource": (
        "numProcPerNode:*int32=1 mpiImplementation:*string=OpenMPI sshAuthMountPath:*string=/root/.ssh"
        " runLauncherAsNode:*bool=false"
    ),
    "ModelInitializer": "storageUri:*string env:[]EnvVar secretRef:*LocalObjectReference",
    "ModifyVolumeStatus": "targetVolumeAttributesClassName:string status:string!",
    "NFSVolumeSource": "server:string! path:string! readOnly:bool",
    "Network": "enableDNSHostnames:*bool subdomain:string publishNotReadyAddresses:*bool",
    "NetworkTopologySpec": "mode:string=hard highestTierAllowed:*int=1",
    "NodeAffinity": (
        "requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector"
        " preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm"
    ),
    "NodeSelector": "nodeSelectorTerms:[]NodeSelectorTerm?",
    "NodeSelectorRequirement": "key:string! operator:string! values:[]string",
    "NodeSelectorTerm": "matchExpressions:[]NodeSelectorRequirement matchFields:[]NodeSelectorRequirement",
    "ObjectFieldSelector": "apiVersion:string fieldPath:string!",
    "ObjectMeta": "name:string namespace:string labels:map[string]string annotations:map[string]string finalizers:[]string@",
    "PersistentVolumeClaim": (
        "kind:string apiVersion:string metadata:ObjectMeta! spec:ClaimSpec! status:PersistentVolumeClaimStatus!"
    ),
    "PersistentVolumeClaimCondition": (
        "type:string! status:string! lastProbeTime:Time! lastTransitionTime:Time! reason:string message:string"
    ),
    "PersistentVolumeClaimSpec": (
        "accessModes:[]string selector:*LabelSelector resources:VolumeResourceRequirements! volumeName:string"
        " storageClassName:*string volumeMode:*string dataSource:*TypedLocalObjectReference"
        " dataSourceRef:*TypedObjectReference volumeAttributesClassName:*string"
    ),
    "PersistentVolumeClaimStatus": (
        "phase:string accessModes:[]string capacity:map[string]Quantity conditions:[]PersistentVolumeClaimCondition@type"
        " allocatedResources:map[string]Quantity allocatedResourceStatuses:map[string]string"
        " currentVolumeAttributesClassName:*string modifyVolumeStatus:*ModifyVolumeStatus"
    ),
    "PersistentVolumeClaimTemplate": "metadata:ObjectMeta! spec:PersistentVolumeClaimSpec!",
    "PersistentVolumeClaimVolumeSource": "claimName:string! readOnly:bool",
    "PhotonPersistentDiskVolumeSource": "pdID:string! fsType:string",
    "PodAffinity": (
        "requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm"
        " preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm"
    ),
    "PodAffinityTerm": (
        "labelSelector:*LabelSelector namespaces:[]string topologyKey:string! namespaceSelector:*LabelSelector"
        " matchLabelKeys:[]string mismatchLabelKeys:[]string"
    ),
    "PodAntiAffinity": (
        "requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm"
        " preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm"
    ),
    "PodCertificateProjection": (
        "signerName:string keyType:string maxExpirationSeconds:*int32 credentialBundlePath:string keyPath:string"
        " certificateChainPath:string userAnnotations:map[string]string"
    ),
    "PodDNSConfig": "nameservers:[]string searches:[]string options:[]PodDNSConfigOption",
    "PodDNSConfigOption": "name:string value:*string",
    "PodFailurePolicy": "rules:[]PodFailurePolicyRule?",
    "PodFailurePolicyOnExitCodesRequirement": "containerName:*string operator:string! values:[]int32?",
    "PodFailurePolicyOnPodConditionsPattern": "type:string! status:string!",
    "PodFailurePolicyRule": (
        "action:string! onExitCodes:*PodFailurePolicyOnExitCodesRequirement"
        " onPodConditions:[]PodFailurePolicyOnPodConditionsPattern"
    ),
    "PodGroupPolicy": "coscheduling:*CoschedulingPodGroupPolicySource volcano:*VolcanoPodGroupPolicySource",
    "PodOS": "name:string!",
    "PodReadinessGate": "conditionType:string!",
    "PodResourceClaim": "name:string! resourceClaimName:*string resourceClaimTemplateName:*string",
    "PodSchedulingGate": "name:string!",
    "PodSchedulingGroup": "podGroupName:*string",
    "PodSecurityContext": (
        "seLinuxOptions:*SELinuxOptions windowsOptions:*WindowsSecurityContextOptions runAsUser:*int64 runAsGroup:*int64"
        " runAsNonRoot:*bool supplementalGroups:[]int64 supplementalGroupsPolicy:*string fsGroup:*int64 sysctls:[]Sysctl"
        " fsGroupChangePolicy:*string seccompProfile:*SeccompProfile appArmorProfile:*AppArmorProfile"
        " seLinuxChangePolicy:*string"
    ),
    "PodSpec": (
        "volumes:[]Volume@name initContainers:[]Container@name containers:[]Container@name?"
        " ephemeralContainers:[]EphemeralContainer@name restartPolicy:string terminationGracePeriodSeconds:*int64"
        " activeDeadlineSeconds:*int64 dnsPolicy:string nodeSelector:map[string]string serviceAccountName:string"
        " serviceAccount:string automountServiceAccountToken:*bool nodeName:string hostNetwork:bool hostPID:bool"
        " hostIPC:bool shareProcessNamespace:*bool securityContext:*PodSecurityContext"
        " imagePullSecrets:[]LocalObjectReference@name hostname:string subdomain:string affinity:*Affinity"
        " schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias@ip priorityClassName:string priority:*int32"
        " dnsConfig:*PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName:*string enableServiceLinks:*bool"
        " preemptionPolicy:*string overhead:map[string]Quantity"
        " topologySpreadConstraints:[]TopologySpreadConstraint@topologyKey setHostnameAsFQDN:*bool os:*PodOS hostUsers:*bool"
        " schedulingGates:[]PodSchedulingGate@name resourceClaims:[]PodResourceClaim@name resources:*ResourceRequirements"
        " hostnameOverride:*string schedulingGroup:*PodSchedulingGroup"
    ),
    "PodSpecPatch": (
        "serviceAccountName:*string volumes:[]Volume initContainers:[]ContainerPatch containers:[]ContainerPatch"
        " imagePullSecrets:[]LocalObjectReference securityContext:*PodSecurityContext nodeSelector:map[string]string"
        " affinity:*Affinity tolerations:[]Toleration schedulingGates:[]PodSchedulingGate"
        " terminationGracePeriodSeconds:*int64"
    ),
    "PodTemplatePatch": "metadata:*ObjectMeta spec:*PodSpecPatch",
    "PodTemplateSpec": "metadata:ObjectMeta! spec:PodSpec!",
    "PortworxVolumeSource": "volumeID:string! fsType:string readOnly:bool",
    "PreferredSchedulingTerm": "weight:int32! preference:NodeSelectorTerm!",
    "Probe": (
        "exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction grpc:*GRPCAction initialDelaySeconds:int32"
        " timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32 failureThreshold:int32"
        " terminationGracePeriodSeconds:*int64"
    ),
    "ProjectedVolumeSource": "sources:[]VolumeProjection? defaultMode:*int32",
    "QuobyteVolumeSource": "registry:string! volume:string! readOnly:bool user:string group:string tenant:string",
    "RBDVolumeSource": (
        "monitors:[]string? image:string! fsType:string pool:string=rbd user:string=admin keyring:string=/etc/ceph/keyring"
        " secretRef:*LocalObjectReference readOnly:bool"
    ),
    "ReplicatedJob": (
        "name:string! groupName:string=default template:JobTemplateSpec! replicas:int32=1 dependsOn:[]DependsOn@name"
    ),
    "ReplicatedJobPatch": "name:string template:*JobTemplatePatch",
    "ResourceClaim": "name:string! request:string",
    "ResourceFieldSelector": "containerName:string resource:string! divisor:Quantity!",
    "ResourceRequirements": "limits:map[string]Quantity requests:map[string]Quantity claims:[]ResourceClaim",
    "RuntimePatch": "manager:string time:*Time trainingRuntimeSpec:*TrainingRuntimeSpecPatch",
    "RuntimeRef": "name:string apiGroup:*string=trainer.kubeflow.org kind:*string=ClusterTrainingRuntime",
    "SELinuxOptions": "user:string role:string type:string level:string",
    "ScaleIOVolumeSource": (
        "gateway:string! system:string! secretRef:*LocalObjectReference? sslEnabled:bool protectionDomain:string"
        " storagePool:string storageMode:string=ThinProvisioned volumeName:string fsType:string=xfs readOnly:bool"
    ),
    "SeccompProfile": "type:string! localhostProfile:*string",
    "SecretEnvSource": "name:string optional:*bool",
    "SecretKeySelector": "name:string key:string! optional:*bool",
    "SecretProjection": "name:string items:[]KeyToPath optional:*bool",
    "SecretVolumeSource": "secretName:string items:[]KeyToPath defaultMode:*int32 optional:*bool",
    "SecurityContext": (
        "capabilities:*Capabilities privileged:*bool seLinuxOptions:*SELinuxOptions"
        " windowsOptions:*WindowsSecurityContextOptions runAsUser:*int64 runAsGroup:*int64 runAsNonRoot:*bool"
        " readOnlyRootFilesystem:*bool allowPrivilegeEscalation:*bool procMount:*string seccompProfile:*SeccompProfile"
        " appArmorProfile:*AppArmorProfile"
    ),
    "ServiceAccountTokenProjection": "audience:string expirationSeconds:*int64 path:string!",
    "SleepAction": "seconds:int64!",
    "StartupPolicy": "startupPolicyOrder:string!",
    "StorageOSVolumeSource": (
        "volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:*LocalObjectReference"
    ),
    "SuccessPolicy": "operator:string! targetReplicatedJobs:[]string",
    "Sysctl": "name:string! value:string!",
    "TCPSocketAction": "port:IntOrString! host:string",
    "Toleration": "key:string operator:string value:string effect:string tolerationSeconds:*int64",
    "TopologySpreadConstraint": (
        "maxSkew:int32! topologyKey:string! whenUnsatisfiable:string! labelSelector:*LabelSelector minDomains:*int32"
        " nodeAffinityPolicy:*string nodeTaintsPolicy:*string matchLabelKeys:[]string"
    ),
    "TorchMLPolicySource": "envInjection:*EnvInjection",
    "TrainJobSpec": (
        "runtimeRef:RuntimeRef! initializer:*Initializer trainer:*Trainer runtimePatches:[]RuntimePatch suspend:*bool=false"
        " activeDeadlineSeconds:int64 managedBy:*string=trainer.kubeflow.org/trainjob-controller"
    ),
    "Trainer": (
        "image:*string command:[]string args:[]string env:[]EnvVar numNodes:*int32 resourcesPerNode:*ResourceRequirements"
        " numProcPerNode:*int32"
    ),
    "TrainingRuntimeSpec": "mlPolicy:*MLPolicy podGroupPolicy:*PodGroupPolicy template:JobSetTemplateSpec!",
    "TrainingRuntimeSpecPatch": "template:*JobSetTemplatePatch",
    "TypedLocalObjectReference": "apiGroup:*string? kind:string! name:string!",
    "TypedObjectReference": "apiGroup:*string? kind:string! name:string! namespace:*string",
    "VolcanoPodGroupPolicySource": "networkTopology:*NetworkTopologySpec",
    "Volume": (
        "name:string! hostPath:*HostPathVolumeSource emptyDir:*EmptyDirVolumeSource"
        " gcePersistentDisk:*GCEPersistentDiskVolumeSource awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource"
        " gitRepo:*GitRepoVolumeSource secret:*SecretVolumeSource nfs:*NFSVolumeSource iscsi:*ISCSIVolumeSource"
        " glusterfs:*GlusterfsVolumeSource persistentVolumeClaim:*PersistentVolumeClaimVolumeSource rbd:*RBDVolumeSource"
        " flexVolume:*FlexVolumeSource cinder:*CinderVolumeSource cephfs:*CephFSVolumeSource flocker:*FlockerVolumeSource"
        " downwardAPI:*DownwardAPIVolumeSource fc:*FCVolumeSource azureFile:*AzureFileVolumeSource"
        " configMap:*ConfigMapVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource"
        " azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource"
        " projected:*ProjectedVolumeSource portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOVolumeSource"
        " storageos:*StorageOSVolumeSource csi:*CSIVolumeSource ephemeral:*EphemeralVolumeSource image:*ImageVolumeSource"
    ),
    "VolumeClaimPolicy": "templates:[]PersistentVolumeClaim retentionPolicy:*VolumeRetentionPolicy",
    "VolumeDevice": "name:string! devicePath:string!",
    "VolumeMount": (
        "name:string! readOnly:bool recursiveReadOnly:*string mountPath:string! subPath:string mountPropagation:*string"
        " subPathExpr:string"
    ),
    "VolumeProjection": (
        "secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection"
        " serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection"
        " podCertificate:*PodCertificateProjection"
    ),
    "VolumeResourceRequirements": "limits:map[string]Quantity requests:map[string]Quantity",
    "VolumeRetentionPolicy": "whenDeleted:*string=Delete",
    "VsphereVirtualDiskVolumeSource": "volumePath:string! fsType:string storagePolicyName:string storagePolicyID:string",
    "WeightedPodAffinityTerm": "weight:int32! podAffinityTerm:PodAffinityTerm!",
    "WindowsSecurityContextOptions": (
        "gmsaCredentialSpecName:*string gmsaCredentialSpec:*string runAsUserName:*string hostProcess:*bool"
    ),
    "XGBoostMLPolicySource": "",
}
