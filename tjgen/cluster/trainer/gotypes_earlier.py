"""What is different in the table of Go types of each earlier Trainer release, against the release after it.

A line replaces the line of its name in the next newer release's table; None removes it. Read from the
top: what 2.2 changes in 2.3, then what 2.1 changes in 2.2, and so on. Made by schemas/gotypes/table.py.
"""

from __future__ import annotations

CHANGES: dict[str, dict[str, str | None]] = {
    "v2.2.1": {
        "EnvInjection": None,
        "EnvInjectionTarget": None,
        "JobSetSpec": (
            "replicatedJobs:[]ReplicatedJob network:*Network successPolicy:*SuccessPolicy failurePolicy:*FailurePolicy"
            " startupPolicy:*StartupPolicy suspend:*bool coordinator:*Coordinator managedBy:*string"
            " ttlSecondsAfterFinished:*int32 volumeClaimPolicies:[]VolumeClaimPolicy"
        ),
        "PodSpecPatch": (
            "serviceAccountName:*string volumes:[]Volume initContainers:[]ContainerPatch containers:[]ContainerPatch"
            " imagePullSecrets:[]LocalObjectReference securityContext:*PodSecurityContext nodeSelector:map[string]string"
            " affinity:*Affinity tolerations:[]Toleration schedulingGates:[]PodSchedulingGate"
        ),
        "ReplicatedJob": "name:string! groupName:string=default template:JobTemplateSpec! replicas:int32=1 dependsOn:[]DependsOn",
        "TorchMLPolicySource": "",
    },
    "v2.1.0": {
        "ClaimSpec": None,
        "ClaimTypedLocalObjectReference": None,
        "ClaimTypedObjectReference": None,
        "ContainerOverride": "name:string env:[]EnvVar volumeMounts:[]VolumeMount",
        "ContainerPatch": None,
        "ContainerResourceMetricSource": "name:string! target:MetricTarget! container:string!",
        "CrossVersionObjectReference": "kind:string! name:string! apiVersion:string",
        "ExternalMetricSource": "metric:MetricIdentifier! target:MetricTarget!",
        "FluxMLPolicySource": None,
        "JAXMLPolicySource": None,
        "JobSetSpec": (
            "replicatedJobs:[]ReplicatedJob network:*Network successPolicy:*SuccessPolicy failurePolicy:*FailurePolicy"
            " startupPolicy:*StartupPolicy suspend:*bool coordinator:*Coordinator managedBy:*string"
            " ttlSecondsAfterFinished:*int32"
        ),
        "JobSetSpecPatch": None,
        "JobSetTemplatePatch": None,
        "JobSpecPatch": None,
        "JobTemplatePatch": None,
        "MLPolicy": "numNodes:*int32 torch:*TorchMLPolicySource mpi:*MPIMLPolicySource",
        "MetricIdentifier": "name:string! selector:*LabelSelector",
        "MetricSpec": (
            "type:string! object:*ObjectMetricSource pods:*PodsMetricSource resource:*ResourceMetricSource"
            " containerResource:*ContainerResourceMetricSource external:*ExternalMetricSource"
        ),
        "MetricTarget": "type:string! value:*Quantity averageValue:*Quantity averageUtilization:*int32",
        "ModifyVolumeStatus": None,
        "ObjectMetricSource": "describedObject:CrossVersionObjectReference! target:MetricTarget! metric:MetricIdentifier!",
        "PersistentVolumeClaim": None,
        "PersistentVolumeClaimCondition": None,
        "PersistentVolumeClaimStatus": None,
        "PodCertificateProjection": (
            "signerName:string keyType:string maxExpirationSeconds:*int32 credentialBundlePath:string keyPath:string"
            " certificateChainPath:string"
        ),
        "PodSchedulingGroup": None,
        "PodSpec": (
            "volumes:[]Volume@name initContainers:[]Container@name containers:[]Container@name?"
            " ephemeralContainers:[]EphemeralContainer@name restartPolicy:string terminationGracePeriodSeconds:*int64"
            " activeDeadlineSeconds:*int64 dnsPolicy:string nodeSelector:map[string]string serviceAccountName:string"
            " serviceAccount:string automountServiceAccountToken:*bool nodeName:string hostNetwork:bool hostPID:bool"
            " hostIPC:bool shareProcessNamespace:*bool securityContext:*PodSecurityContext"
            " imagePullSecrets:[]LocalObjectReference@name hostname:string subdomain:string affinity:*Affinity"
            " schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias@ip priorityClassName:string"
            " priority:*int32 dnsConfig:*PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName:*string"
            " enableServiceLinks:*bool preemptionPolicy:*string overhead:map[string]Quantity"
            " topologySpreadConstraints:[]TopologySpreadConstraint@topologyKey setHostnameAsFQDN:*bool os:*PodOS"
            " hostUsers:*bool schedulingGates:[]PodSchedulingGate@name resourceClaims:[]PodResourceClaim@name"
            " resources:*ResourceRequirements hostnameOverride:*string"
        ),
        "PodSpecPatch": None,
        "PodTemplateOverride": "targetJobs:[]PodTemplateOverrideTargetJob metadata:*ObjectMeta spec:*PodTemplateSpecOverride",
        "PodTemplateOverrideTargetJob": "name:string",
        "PodTemplatePatch": None,
        "PodTemplateSpecOverride": (
            "serviceAccountName:*string nodeSelector:map[string]string affinity:*Affinity tolerations:[]Toleration"
            " volumes:[]Volume initContainers:[]ContainerOverride containers:[]ContainerOverride"
            " schedulingGates:[]PodSchedulingGate imagePullSecrets:[]LocalObjectReference"
        ),
        "PodsMetricSource": "metric:MetricIdentifier! target:MetricTarget!",
        "ReplicatedJobPatch": None,
        "ResourceMetricSource": "name:string! target:MetricTarget!",
        "RuntimePatch": None,
        "TorchElasticPolicy": "maxRestarts:*int32 minNodes:*int32 maxNodes:*int32 metrics:[]MetricSpec",
        "TorchMLPolicySource": "numProcPerNode:*IntOrString=auto elasticPolicy:*TorchElasticPolicy",
        "TrainJobSpec": (
            "runtimeRef:RuntimeRef! initializer:*Initializer trainer:*Trainer labels:map[string]string"
            " annotations:map[string]string podTemplateOverrides:[]PodTemplateOverride suspend:*bool=false"
            " managedBy:*string=trainer.kubeflow.org/trainjob-controller"
        ),
        "Trainer": (
            "image:*string command:[]string args:[]string env:[]EnvVar numNodes:*int32"
            " resourcesPerNode:*ResourceRequirements numProcPerNode:*IntOrString"
        ),
        "TrainingRuntimeSpecPatch": None,
        "VolumeClaimPolicy": None,
        "VolumeRetentionPolicy": None,
        "XGBoostMLPolicySource": None,
    },
    "v2.0.1": {
        "Container": (
            "name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort@containerPort"
            " envFrom:[]EnvFromSource env:[]EnvVar@name resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy"
            " restartPolicy:*string volumeMounts:[]VolumeMount@mountPath volumeDevices:[]VolumeDevice@devicePath"
            " livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe lifecycle:*Lifecycle"
            " terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string"
            " securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool"
        ),
        "ContainerOverride": "name:string! env:[]EnvVar volumeMounts:[]VolumeMount",
        "ContainerRestartRule": None,
        "ContainerRestartRuleOnExitCodes": None,
        "EnvVarSource": (
            "fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector configMapKeyRef:*ConfigMapKeySelector"
            " secretKeyRef:*SecretKeySelector"
        ),
        "EphemeralContainer": (
            "name:string! image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort@containerPort"
            " envFrom:[]EnvFromSource env:[]EnvVar@name resources:ResourceRequirements! resizePolicy:[]ContainerResizePolicy"
            " restartPolicy:*string volumeMounts:[]VolumeMount@mountPath volumeDevices:[]VolumeDevice@devicePath"
            " livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe lifecycle:*Lifecycle"
            " terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string"
            " securityContext:*SecurityContext stdin:bool stdinOnce:bool tty:bool targetContainerName:string"
        ),
        "FailurePolicyRule": "name:string! action:string! onJobFailureReasons:[]string targetReplicatedJobs:[]string",
        "FileKeySelector": None,
        "Lifecycle": "postStart:*LifecycleHandler preStop:*LifecycleHandler",
        "NetworkTopologySpec": None,
        "PodCertificateProjection": None,
        "PodGroupPolicy": "coscheduling:*CoschedulingPodGroupPolicySource",
        "PodSpec": (
            "volumes:[]Volume@name initContainers:[]Container@name containers:[]Container@name?"
            " ephemeralContainers:[]EphemeralContainer@name restartPolicy:string terminationGracePeriodSeconds:*int64"
            " activeDeadlineSeconds:*int64 dnsPolicy:string nodeSelector:map[string]string serviceAccountName:string"
            " serviceAccount:string automountServiceAccountToken:*bool nodeName:string hostNetwork:bool hostPID:bool"
            " hostIPC:bool shareProcessNamespace:*bool securityContext:*PodSecurityContext"
            " imagePullSecrets:[]LocalObjectReference@name hostname:string subdomain:string affinity:*Affinity"
            " schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias@ip priorityClassName:string"
            " priority:*int32 dnsConfig:*PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName:*string"
            " enableServiceLinks:*bool preemptionPolicy:*string overhead:map[string]Quantity"
            " topologySpreadConstraints:[]TopologySpreadConstraint@topologyKey setHostnameAsFQDN:*bool os:*PodOS"
            " hostUsers:*bool schedulingGates:[]PodSchedulingGate@name resourceClaims:[]PodResourceClaim@name"
            " resources:*ResourceRequirements"
        ),
        "PodSpecOverride": (
            "targetJobs:[]PodSpecOverrideTargetJob? serviceAccountName:*string nodeSelector:map[string]string"
            " tolerations:[]Toleration volumes:[]Volume initContainers:[]ContainerOverride containers:[]ContainerOverride"
            " schedulingGates:[]PodSchedulingGate"
        ),
        "PodSpecOverrideTargetJob": "name:string!",
        "PodTemplateOverride": None,
        "PodTemplateOverrideTargetJob": None,
        "PodTemplateSpecOverride": None,
        "ReplicatedJob": "name:string! template:JobTemplateSpec! replicas:int32=1 dependsOn:[]DependsOn",
        "RuntimeRef": "name:string! apiGroup:*string=trainer.kubeflow.org kind:*string=ClusterTrainingRuntime",
        "TrainJobSpec": (
            "runtimeRef:RuntimeRef! initializer:*Initializer trainer:*Trainer labels:map[string]string"
            " annotations:map[string]string podSpecOverrides:[]PodSpecOverride suspend:*bool=false"
            " managedBy:*string=trainer.kubeflow.org/trainjob-controller"
        ),
        "VolcanoPodGroupPolicySource": None,
        "VolumeProjection": (
            "secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection"
            " serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection"
        ),
    },
}
