"""The experiment language as objects: trees in long form that fit the schema -> attributes with defaults filled in.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. Objects are
values: do not change them. Equal parts are shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.language.spec.forms import text
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_NONE: dict[str, Any] = {}

# fmt: off


class Metadata:
    """Identifies the experiment."""

    __slots__ = ("annotations", "labels", "name", "namespace")

    name: str
    namespace: str | None
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.namespace = get("namespace")
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)


class EnvVar:
    """A variable: a value, or its source."""

    __slots__ = ("config_map", "container", "divisor", "field", "key", "optional", "resource", "secret", "value")

    value: str | None
    secret: str | None
    config_map: str | None
    key: str | None
    optional: bool | None
    field: str | None
    resource: str | None
    container: str | None
    divisor: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.value = None if (value := get("value")) is None else text(value)
        self.secret = get("secret")
        self.config_map = get("configMap")
        self.key = get("key")
        self.optional = get("optional")
        self.field = get("field")
        self.resource = get("resource")
        self.container = get("container")
        self.divisor = get("divisor")


class EnvSource:
    """All keys of a Secret or ConfigMap as variables."""

    __slots__ = ("config_map", "optional", "prefix", "secret")

    secret: str | None
    config_map: str | None
    prefix: str | None
    optional: bool | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.secret = get("secret")
        self.config_map = get("configMap")
        self.prefix = get("prefix")
        self.optional = get("optional")


class ResourceAmount:
    """Amount of a resource: what each pod requests, and its limit. A number sets both."""

    __slots__ = ("limit", "request")

    request: str | int | float | None
    limit: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.request = get("request")
        self.limit = get("limit")


class Port:
    """A port on which a container listens."""

    __slots__ = ("host_port", "port", "protocol")

    port: int
    host_port: int | None
    protocol: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.port = tree["port"]
        self.host_port = get("hostPort")
        self.protocol = get("protocol", "TCP")


class Probes:
    """Checks of a container by the kubelet, each as in Kubernetes (core/v1 Probe)."""

    __slots__ = ("liveness", "readiness", "startup")

    liveness: Mapping[str, Any] | None
    readiness: Mapping[str, Any] | None
    startup: Mapping[str, Any] | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.liveness = get("liveness")
        self.readiness = get("readiness")
        self.startup = get("startup")


_PROBES = Probes(_NONE)


class Program:
    """A container: its image, its command, its variables and its resources."""

    __slots__ = (
        "args",
        "command",
        "cpu",
        "env",
        "env_from",
        "ephemeral_storage",
        "image",
        "image_pull_policy",
        "memory",
        "ports",
        "probes",
        "resources",
        "working_dir",
    )

    image: str | None
    image_pull_policy: str | None
    command: Sequence[str]
    args: Sequence[str]
    working_dir: str | None
    env: Mapping[str, EnvVar]
    env_from: Mapping[str, EnvSource]
    cpu: ResourceAmount | None
    memory: ResourceAmount | None
    ephemeral_storage: ResourceAmount | None
    resources: Mapping[str, ResourceAmount]
    ports: Mapping[str, Port]
    probes: Probes

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.image = get("image")
        self.image_pull_policy = get("imagePullPolicy")
        self.command = get("command", ())
        self.args = get("args", ())
        self.working_dir = get("workingDir")
        self.env = {key: EnvVar(item) for key, item in get("env", _NONE).items()}
        self.env_from = {key: EnvSource(item) for key, item in get("envFrom", _NONE).items()}
        self.cpu = None if (value := get("cpu")) is None else ResourceAmount(value)
        self.memory = None if (value := get("memory")) is None else ResourceAmount(value)
        self.ephemeral_storage = None if (value := get("ephemeralStorage")) is None else ResourceAmount(value)
        self.resources = {key: ResourceAmount(item) for key, item in get("resources", _NONE).items()}
        self.ports = {key: Port(item) for key, item in get("ports", _NONE).items()}
        self.probes = _PROBES if (value := get("probes")) is None else Probes(value)


class Share:
    """Share of each device for a pod."""

    __slots__ = ("cores", "memory")

    memory: str | int | float | None
    cores: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.memory = get("memory")
        self.cores = get("cores")


class DeviceRequest:
    """Devices that a claim requests (dynamic resource allocation)."""

    __slots__ = ("device_class", "selectors")

    device_class: str | None
    selectors: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.device_class = get("deviceClass")
        self.selectors = get("selectors", ())


class Gpu:
    """Devices for each pod: of a class, of any class with `minMemory`, or claimed (`dra`)."""

    __slots__ = ("count", "device_class", "dra", "mig", "min_memory", "requests", "share", "topology")

    device_class: str | None
    count: int
    requests: bool
    min_memory: str | int | float | None
    mig: str | None
    share: Share | None
    dra: DeviceRequest | None
    topology: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.device_class = get("class")
        self.count = get("count", 1)
        self.requests = get("requests", False)
        self.min_memory = get("minMemory")
        self.mig = get("mig")
        self.share = None if (value := get("share")) is None else Share(value)
        self.dra = None if (value := get("dra")) is None else DeviceRequest(value)
        self.topology = get("topology")


class ExtraMount:
    """The path at which a container mounts a volume of the experiment."""

    __slots__ = ("mount_path", "read_only", "sub_path")

    mount_path: str
    read_only: bool
    sub_path: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.mount_path = tree["mountPath"]
        self.read_only = get("readOnly", False)
        self.sub_path = get("subPath")


class ExtraContainer(Program):
    """A container next to the program."""

    __slots__ = ("mounts", "security_context")

    mounts: Mapping[str, ExtraMount]
    security_context: Mapping[str, Any] | None

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.mounts = {key: ExtraMount(item) for key, item in get("mounts", _NONE).items()}
        self.security_context = get("securityContext")


class InitContainer(ExtraContainer):
    """A container that runs to its end before the program starts. Its default image is that of the program."""

    __slots__ = ("after",)

    after: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.after = get("after", ())


class Sidecar(ExtraContainer):
    """A container that runs as long as the program. Its default image is that of the program."""

    __slots__ = ("native",)

    native: bool

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.native = get("native", True)


class Pod:
    """Fields of the pod and its main container that have no shorter form."""

    __slots__ = (
        "affinity",
        "annotations",
        "container_security_context",
        "dns_policy",
        "host_ipc",
        "host_network",
        "labels",
        "node_selector",
        "restart_policy",
        "runtime_class_name",
        "scheduler_name",
        "security_context",
        "termination_grace_period_seconds",
        "tolerations",
        "topology_spread_constraints",
    )

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, Any]]
    affinity: Mapping[str, Any] | None
    security_context: Mapping[str, Any] | None
    container_security_context: Mapping[str, Any] | None
    termination_grace_period_seconds: int | None
    host_network: bool | None
    host_ipc: bool | None
    dns_policy: str | None
    scheduler_name: str | None
    runtime_class_name: str | None
    topology_spread_constraints: Sequence[Mapping[str, Any]]
    restart_policy: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)
        self.node_selector = get("nodeSelector", _NONE)
        self.tolerations = get("tolerations", ())
        self.affinity = get("affinity")
        self.security_context = get("securityContext")
        self.container_security_context = get("containerSecurityContext")
        self.termination_grace_period_seconds = get("terminationGracePeriodSeconds")
        self.host_network = get("hostNetwork")
        self.host_ipc = get("hostIPC")
        self.dns_policy = get("dnsPolicy")
        self.scheduler_name = get("schedulerName")
        self.runtime_class_name = get("runtimeClassName")
        self.topology_spread_constraints = get("topologySpreadConstraints", ())
        self.restart_policy = get("restartPolicy")


_POD = Pod(_NONE)


class Container(Program):
    """The program of a pod, its devices, and the containers next to it."""

    __slots__ = ("container_name", "gpu", "init_containers", "pod", "sidecars")

    gpu: Gpu | None
    container_name: str | None
    init_containers: Mapping[str, InitContainer]
    sidecars: Mapping[str, Sidecar]
    pod: Pod

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.gpu = None if (value := get("gpu")) is None else Gpu(value)
        self.container_name = get("containerName")
        self.init_containers = {key: InitContainer(item) for key, item in get("initContainers", _NONE).items()}
        self.sidecars = {key: Sidecar(item) for key, item in get("sidecars", _NONE).items()}
        self.pod = _POD if (value := get("pod")) is None else Pod(value)


class RuntimeRef:
    """A runtime of the catalog, by name."""

    __slots__ = ("kind", "name", "version")

    name: str
    kind: str | None
    version: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.kind = get("kind")
        self.version = get("version")


class Role(Container):
    """Fields of one replicated job of the runtime, such as launcher, or of a new job with a command of its own."""

    __slots__ = ("replicas",)

    replicas: int | None

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.replicas = get("replicas")


class Populator:
    """An object from which a volume populator of the cluster fills new claims."""

    __slots__ = ("api_group", "kind", "name")

    api_group: str
    kind: str
    name: str

    def __init__(self, tree: Tree) -> None:
        self.api_group = tree["apiGroup"]
        self.kind = tree["kind"]
        self.name = tree["name"]


class ClaimContent:
    """Initial content of a new claim. Its source must be in the same namespace."""

    __slots__ = ("claim", "populator", "snapshot")

    snapshot: str | None
    claim: str | None
    populator: Populator | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.snapshot = get("snapshot")
        self.claim = get("claim")
        self.populator = None if (value := get("populator")) is None else Populator(value)


class NewClaim:
    """A PersistentVolumeClaim that tjgen creates."""

    __slots__ = (
        "access_modes",
        "annotations",
        "content",
        "keep",
        "labels",
        "name",
        "profile",
        "scope",
        "size",
        "storage_class_name",
        "volume_mode",
    )

    size: str | int | float | None
    storage_class_name: str | None
    profile: str | None
    access_modes: Sequence[str]
    volume_mode: str | None
    scope: str
    name: str | None
    content: ClaimContent | None
    keep: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = get("size")
        self.storage_class_name = get("storageClassName")
        self.profile = get("profile")
        self.access_modes = get("accessModes", ())
        self.volume_mode = get("volumeMode")
        self.scope = get("scope", "family")
        self.name = get("name")
        self.content = None if (value := get("from")) is None else ClaimContent(value)
        self.keep = get("keep", False)
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)


class Backup:
    """Snapshots of the claim, which a CronJob creates."""

    __slots__ = ("deadline", "keep", "schedule", "snapshot_class_name")

    schedule: str
    keep: int
    snapshot_class_name: str | None
    deadline: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.schedule = tree["schedule"]
        self.keep = get("keep", 7)
        self.snapshot_class_name = get("snapshotClassName")
        self.deadline = get("deadline", "6h")


class Claim:
    """A PersistentVolumeClaim: one that exists, or one to create."""

    __slots__ = ("backup", "claim_name", "create")

    claim_name: str | None
    create: NewClaim | None
    backup: Backup | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.claim_name = get("claimName")
        self.create = None if (value := get("create")) is None else NewClaim(value)
        self.backup = None if (value := get("backup")) is None else Backup(value)


class HostPath:
    """A directory or file of the node."""

    __slots__ = ("node_selector", "path", "type")

    path: str
    type: str | None
    node_selector: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.path = tree["path"]
        self.type = get("type")
        self.node_selector = get("nodeSelector", _NONE)


class ImageVolume:
    """The content of an OCI image, read only."""

    __slots__ = ("digest", "pull_policy", "reference")

    reference: str
    digest: str | None
    pull_policy: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.reference = tree["reference"]
        self.digest = get("digest")
        self.pull_policy = get("pullPolicy")


class Ephemeral:
    """A volume that is created and deleted with each pod."""

    __slots__ = ("access_modes", "size", "storage_class_name")

    size: str | int | float
    storage_class_name: str | None
    access_modes: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = tree["size"]
        self.storage_class_name = get("storageClassName")
        self.access_modes = get("accessModes", ())


class EmptyDir:
    """An empty directory that lives as long as the pod."""

    __slots__ = ("medium", "size_limit")

    medium: str | None
    size_limit: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.medium = get("medium")
        self.size_limit = get("sizeLimit")


class Files:
    """The keys of a ConfigMap or Secret, as files."""

    __slots__ = ("default_mode", "items", "name", "optional")

    name: str
    items: Mapping[str, str]
    default_mode: int | None
    optional: bool | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.items = get("items", _NONE)
        self.default_mode = get("defaultMode")
        self.optional = get("optional")


class Nfs:
    """A folder that an NFS server exports."""

    __slots__ = ("path", "server")

    server: str
    path: str

    def __init__(self, tree: Tree) -> None:
        self.server = tree["server"]
        self.path = tree["path"]


class Csi:
    """A volume that a CSI driver creates for each pod."""

    __slots__ = ("attributes", "driver", "fs_type", "secret")

    driver: str
    fs_type: str | None
    attributes: Mapping[str, str]
    secret: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.driver = tree["driver"]
        self.fs_type = get("fsType")
        self.attributes = get("attributes", _NONE)
        self.secret = get("secret")


class SecretKey:
    """One key of a Secret."""

    __slots__ = ("key", "secret")

    secret: str
    key: str

    def __init__(self, tree: Tree) -> None:
        self.secret = tree["secret"]
        self.key = tree["key"]


class DatasetMount:
    """A source of a Fluid data set, and its folder in the data set."""

    __slots__ = ("mount_point", "options", "path", "secrets")

    mount_point: str
    path: str | None
    options: Mapping[str, str]
    secrets: Mapping[str, SecretKey]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.mount_point = tree["mountPoint"]
        self.path = get("path")
        self.options = get("options", _NONE)
        self.secrets = {key: SecretKey(item) for key, item in get("secrets", _NONE).items()}


class CacheLevel:
    """A medium of a cache, and its size on each worker."""

    __slots__ = ("medium", "path", "quota")

    quota: str | int | float
    medium: str
    path: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.quota = tree["quota"]
        self.medium = get("medium", "MEM")
        self.path = get("path")


class NewDataset:
    """A Fluid data set that tjgen creates, with the cache engine of the Platform."""

    __slots__ = ("levels", "medium", "mounts", "path", "quota", "replicas", "scope")

    mounts: Mapping[str, DatasetMount]
    quota: str | int | float | None
    medium: str
    path: str | None
    levels: Sequence[CacheLevel]
    replicas: int
    scope: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.mounts = {key: DatasetMount(item) for key, item in tree["mounts"].items()}
        self.quota = get("quota")
        self.medium = get("medium", "MEM")
        self.path = get("path")
        self.levels = [CacheLevel(item) for item in get("levels", ())]
        self.replicas = get("replicas", 1)
        self.scope = get("scope", "family")


class Dataset:
    """A data set of Fluid: one that exists, or one to create."""

    __slots__ = ("create", "name")

    name: str | None
    create: NewDataset | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = get("name")
        self.create = None if (value := get("create")) is None else NewDataset(value)


class Mount:
    """One more place where a volume is mounted."""

    __slots__ = ("read_only", "roles", "sub_path", "sub_path_expr")

    read_only: bool
    sub_path: str | None
    sub_path_expr: str | None
    roles: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.read_only = get("readOnly", False)
        self.sub_path = get("subPath")
        self.sub_path_expr = get("subPathExpr")
        self.roles = get("roles", ())


class Volume:
    """One source, and where it is mounted."""

    __slots__ = (
        "config_map",
        "csi",
        "dataset",
        "empty_dir",
        "ephemeral",
        "host_path",
        "image",
        "mount_path",
        "mounts",
        "nfs",
        "pvc",
        "read_only",
        "roles",
        "secret",
        "shared",
        "sub_path",
        "sub_path_expr",
    )

    pvc: Claim | None
    host_path: HostPath | None
    image: ImageVolume | None
    ephemeral: Ephemeral | None
    empty_dir: EmptyDir | None
    config_map: Files | None
    secret: Files | None
    nfs: Nfs | None
    csi: Csi | None
    dataset: Dataset | None
    mount_path: str | None
    mounts: Mapping[str, Mount]
    read_only: bool
    sub_path: str | None
    sub_path_expr: str | None
    shared: bool
    roles: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.pvc = None if (value := get("pvc")) is None else Claim(value)
        self.host_path = None if (value := get("hostPath")) is None else HostPath(value)
        self.image = None if (value := get("image")) is None else ImageVolume(value)
        self.ephemeral = None if (value := get("ephemeral")) is None else Ephemeral(value)
        self.empty_dir = None if (value := get("emptyDir")) is None else EmptyDir(value)
        self.config_map = None if (value := get("configMap")) is None else Files(value)
        self.secret = None if (value := get("secret")) is None else Files(value)
        self.nfs = None if (value := get("nfs")) is None else Nfs(value)
        self.csi = None if (value := get("csi")) is None else Csi(value)
        self.dataset = None if (value := get("dataset")) is None else Dataset(value)
        self.mount_path = get("mountPath")
        self.mounts = {key: Mount(item) for key, item in get("mounts", _NONE).items()}
        self.read_only = get("readOnly", False)
        self.sub_path = get("subPath")
        self.sub_path_expr = get("subPathExpr")
        self.shared = get("shared", False)
        self.roles = get("roles", ())


class Item:
    """One file or folder of the data."""

    __slots__ = ("path", "size")

    path: str
    size: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.path = tree["path"]
        self.size = get("size")


class Items:
    """Source of the list of items."""

    __slots__ = ("count", "directory", "glob", "listed", "manifest", "pattern")

    listed: Sequence[Item]
    glob: Sequence[str] | None
    directory: str | None
    manifest: str | None
    pattern: Sequence[str] | None
    count: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.listed = [Item(item) for item in get("list", ())]
        self.glob = None if (value := get("glob")) is None else value
        self.directory = get("directory")
        self.manifest = get("manifest")
        self.pattern = None if (value := get("pattern")) is None else value
        self.count = get("count")


class Slices:
    """How to divide the items."""

    __slots__ = (
        "balance",
        "by",
        "count",
        "covering",
        "deliver",
        "folder",
        "image",
        "lists",
        "mount_path",
        "nodes",
        "options",
        "over",
        "remainder",
        "scratch",
        "sources",
        "virtual",
        "weights",
        "within",
        "workers",
    )

    by: str
    weights: Sequence[int]
    lists: Sequence[Sequence[str]]
    options: Mapping[str, Any] | None
    remainder: str
    over: str | None
    within: str | None
    workers: int
    count: int | None
    virtual: int | None
    balance: float | None
    covering: bool
    deliver: str
    mount_path: str | None
    scratch: str | None
    image: str | None
    folder: str | None
    sources: Sequence[str]
    nodes: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.by = get("by", "contiguous")
        self.weights = get("weights", ())
        self.lists = get("lists", ())
        self.options = get("options")
        self.remainder = get("remainder", "keep")
        self.over = get("over")
        self.within = get("within")
        self.workers = get("workers", 1)
        self.count = get("count")
        self.virtual = get("virtual")
        self.balance = get("balance")
        self.covering = get("covering", True)
        self.deliver = get("deliver", "env")
        self.mount_path = get("mountPath")
        self.scratch = get("scratch")
        self.image = get("image")
        self.folder = get("folder")
        self.sources = get("sources", ())
        self.nodes = get("nodes", ())


class DataSet:
    """Items on a volume, and their division."""

    __slots__ = ("isolate", "items", "path", "shared", "slices", "volume")

    volume: str | None
    path: str | None
    items: Items | None
    slices: Slices | None
    shared: bool
    isolate: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.volume = get("volume")
        self.path = get("path")
        self.items = None if (value := get("items")) is None else Items(value)
        self.slices = None if (value := get("slices")) is None else Slices(value)
        self.shared = get("shared", False)
        self.isolate = get("isolate", False)


class Data(DataSet):
    """One data set, or several data sets that have names."""

    __slots__ = ("reader", "sets")

    sets: Mapping[str, DataSet]
    reader: str | None

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.sets = {key: DataSet(item) for key, item in get("sets", _NONE).items()}
        self.reader = get("reader")


class Workspace:
    """A folder that is shared between its authors and the pods."""

    __slots__ = ("directory", "path", "pvc", "volume")

    pvc: str | None
    volume: str | None
    path: str | None
    directory: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.pvc = get("pvc")
        self.volume = get("volume")
        self.path = get("path")
        self.directory = get("directory")


class PackedCode:
    """Local files in a ConfigMap of at most 1 MiB."""

    __slots__ = ("directory", "exclude", "files", "include")

    directory: str | None
    include: Sequence[str]
    exclude: Sequence[str]
    files: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.directory = get("directory")
        self.include = get("include", ())
        self.exclude = get("exclude", ())
        self.files = get("files", _NONE)


class GitCode:
    """A commit of a Git repository, which an init container fetches."""

    __slots__ = ("commit", "depth", "lfs", "path", "repository", "secret", "submodules")

    repository: str
    commit: str
    path: str | None
    depth: int
    submodules: bool
    lfs: bool
    secret: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.repository = tree["repository"]
        self.commit = tree["commit"]
        self.path = get("path")
        self.depth = get("depth", 1)
        self.submodules = get("submodules", False)
        self.lfs = get("lfs", False)
        self.secret = get("secret")


class Build:
    """An image that is built in the cluster before the run. Its tag is a hash of its content."""

    __slots__ = (
        "base",
        "builder",
        "cache",
        "context",
        "cpu",
        "deadline",
        "directory",
        "dockerfile",
        "exclude",
        "image",
        "include",
        "memory",
        "packages",
        "provided",
        "requirements",
        "secret",
        "system",
    )

    image: str
    base: str | None
    directory: str | None
    include: Sequence[str]
    exclude: Sequence[str]
    requirements: str | None
    packages: Sequence[str]
    provided: Sequence[str]
    system: Sequence[str]
    dockerfile: str | None
    context: str
    builder: str
    cache: str | None
    secret: str | None
    deadline: str
    cpu: str | int | float | None
    memory: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.image = tree["image"]
        self.base = get("base")
        self.directory = get("directory")
        self.include = get("include", ())
        self.exclude = get("exclude", ())
        self.requirements = get("requirements")
        self.packages = get("packages", ())
        self.provided = get("provided", ())
        self.system = get("system", ())
        self.dockerfile = get("dockerfile")
        self.context = get("context", "configMap")
        self.builder = get("builder", "buildkit")
        self.cache = get("cache")
        self.secret = get("secret")
        self.deadline = get("deadline", "2h")
        self.cpu = get("cpu")
        self.memory = get("memory")


class Code:
    """Source of the program. If several sources are described, `use` selects some."""

    __slots__ = ("build", "config_map", "git", "mount_path", "python_path", "use", "workspace")

    use: Sequence[str] | None
    mount_path: str | None
    python_path: Sequence[str]
    workspace: Workspace | None
    config_map: PackedCode | None
    git: GitCode | None
    build: Build | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.use = None if (value := get("use")) is None else value
        self.mount_path = get("mountPath")
        self.python_path = get("pythonPath", ())
        self.workspace = None if (value := get("workspace")) is None else Workspace(value)
        self.config_map = None if (value := get("configMap")) is None else PackedCode(value)
        self.git = None if (value := get("git")) is None else GitCode(value)
        self.build = None if (value := get("build")) is None else Build(value)


class MoveTo:
    """Another volume, such as one of a cheaper storage class, for checkpoints that no rule keeps."""

    __slots__ = ("delete_after", "path", "pvc")

    pvc: str
    path: str | None
    delete_after: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.pvc = tree["pvc"]
        self.path = get("path")
        self.delete_after = get("deleteAfter")


class Keep:
    """Complete checkpoints to keep. A CronJob removes the others."""

    __slots__ = (
        "best",
        "dry_run",
        "every_nth",
        "grace_seconds",
        "last",
        "max_per_pass",
        "metric",
        "metric_key",
        "mode",
        "move_to",
        "older_than",
        "reason",
        "schedule",
    )

    last: int
    reason: str | None
    best: int
    every_nth: int | None
    metric: str | None
    metric_key: str | None
    mode: str
    schedule: str
    grace_seconds: int
    max_per_pass: int
    older_than: str | None
    move_to: MoveTo | None
    dry_run: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.last = get("last", 2)
        self.reason = get("reason")
        self.best = get("best", 0)
        self.every_nth = get("everyNth")
        self.metric = get("metric")
        self.metric_key = get("metricKey")
        self.mode = get("mode", "min")
        self.schedule = get("schedule", "*/15 * * * *")
        self.grace_seconds = get("graceSeconds", 3600)
        self.max_per_pass = get("maxPerPass", 10)
        self.older_than = get("olderThan")
        self.move_to = None if (value := get("moveTo")) is None else MoveTo(value)
        self.dry_run = get("dryRun", False)


class CheckpointIndex:
    """The index of the checkpoints of each run, which a CronJob writes: their names, sizes, times and metrics."""

    __slots__ = ("metrics", "schedule")

    metrics: str | None
    schedule: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.metrics = get("metrics")
        self.schedule = get("schedule", "*/15 * * * *")


class Resume:
    """The checkpoints from which a run resumes."""

    __slots__ = ("best", "mode", "path", "run")

    run: str | None
    path: str | None
    best: str | None
    mode: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.run = get("run")
        self.path = get("path")
        self.best = get("best")
        self.mode = get("mode", "min")


class Checkpoints:
    """Folder and settings of the checkpoints of a run."""

    __slots__ = (
        "backup",
        "every",
        "expected_size",
        "files",
        "index",
        "keep",
        "keep_runs",
        "mark",
        "marker",
        "name",
        "path",
        "resume_from",
        "scope",
        "volume",
    )

    volume: str
    path: str | None
    scope: str
    every: int | None
    name: str
    marker: str
    files: Sequence[str]
    mark: str
    keep: Keep | None
    keep_runs: int | None
    index: CheckpointIndex | None
    resume_from: Resume | None
    expected_size: str | int | float | None
    backup: Backup | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.volume = tree["volume"]
        self.path = get("path")
        self.scope = get("scope", "run")
        self.every = get("every")
        self.name = get("name", "step-")
        self.marker = get("marker", "_SUCCESS")
        self.files = get("files", ())
        self.mark = get("mark", "program")
        self.keep = None if (value := get("keep")) is None else Keep(value)
        self.keep_runs = get("keepRuns")
        self.index = None if (value := get("index")) is None else CheckpointIndex(value)
        self.resume_from = None if (value := get("resumeFrom")) is None else Resume(value)
        self.expected_size = get("expectedSize")
        self.backup = None if (value := get("backup")) is None else Backup(value)


class PrefetchSource:
    """Source of the data."""

    __slots__ = ("path", "paths", "uri", "volume")

    uri: str | None
    volume: str | None
    path: str | None
    paths: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.uri = get("uri")
        self.volume = get("volume")
        self.path = get("path")
        self.paths = get("paths", ())


class PrefetchSet:
    """Data to fetch to a volume before training starts."""

    __slots__ = (
        "args",
        "command",
        "deadline",
        "env",
        "image",
        "nodes",
        "path",
        "priority",
        "secret",
        "source",
        "volume",
        "wait",
        "wait_timeout",
        "workers",
    )

    volume: str | None
    path: str | None
    source: PrefetchSource | None
    image: str | None
    command: Sequence[str]
    args: Sequence[str]
    env: Mapping[str, EnvVar]
    secret: str | None
    workers: int
    deadline: str
    nodes: Sequence[str]
    wait: bool
    wait_timeout: str
    priority: int

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.volume = get("volume")
        self.path = get("path")
        self.source = None if (value := get("source")) is None else PrefetchSource(value)
        self.image = get("image")
        self.command = get("command", ())
        self.args = get("args", ())
        self.env = {key: EnvVar(item) for key, item in get("env", _NONE).items()}
        self.secret = get("secret")
        self.workers = get("workers", 4)
        self.deadline = get("deadline", "1d")
        self.nodes = get("nodes", ())
        self.wait = get("wait", True)
        self.wait_timeout = get("waitTimeout", "6h")
        self.priority = get("priority", 0)


class MemoryCache:
    """Main memory of each pod, as a folder."""

    __slots__ = ("path", "size", "ttl")

    size: str | int | float
    ttl: str
    path: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = get("size", "10Gi")
        self.ttl = get("ttl", "1h")
        self.path = get("path", "/cache/memory")


class SsdCache:
    """Fast disk of the node, as a folder."""

    __slots__ = ("host_path", "path", "size", "storage_class_name")

    size: str | int | float
    path: str
    storage_class_name: str | None
    host_path: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = get("size", "100Gi")
        self.path = get("path", "/cache/ssd")
        self.storage_class_name = get("storageClassName")
        self.host_path = get("hostPath")


class Cache:
    """Caches of the training pods."""

    __slots__ = ("memory", "ssd")

    memory: MemoryCache | None
    ssd: SsdCache | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.memory = None if (value := get("memory")) is None else MemoryCache(value)
        self.ssd = None if (value := get("ssd")) is None else SsdCache(value)


class Prefetch(PrefetchSet):
    """One prefetch, or several prefetches that have names; and caches of the nodes."""

    __slots__ = ("cache", "sets")

    sets: Mapping[str, PrefetchSet]
    cache: Cache | None

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.sets = {key: PrefetchSet(item) for key, item in get("sets", _NONE).items()}
        self.cache = None if (value := get("cache")) is None else Cache(value)


class Threshold:
    """Alert thresholds."""

    __slots__ = ("critical", "warning")

    warning: float | None
    critical: float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.warning = get("warning")
        self.critical = get("critical")


_THRESHOLD = Threshold(_NONE)


class Thresholds:
    """Alert thresholds of each metric. The defaults are those of the Platform, or of tjgen."""

    __slots__ = (
        "backup_age",
        "cache_hits",
        "checkpoint_age",
        "checkpoint_failures",
        "checkpoint_restore",
        "checkpoint_save",
        "cpu_utilization",
        "evictions",
        "gpu_utilization",
        "pending_runs",
        "prefetch_hits",
        "read_latency",
        "read_throughput",
        "slow_rank",
        "volume_usage",
    )

    read_throughput: Threshold
    read_latency: Threshold
    prefetch_hits: Threshold
    checkpoint_save: Threshold
    checkpoint_restore: Threshold
    checkpoint_failures: Threshold
    cache_hits: Threshold
    evictions: Threshold
    checkpoint_age: Threshold
    slow_rank: Threshold
    volume_usage: Threshold
    backup_age: Threshold
    gpu_utilization: Threshold
    cpu_utilization: Threshold
    pending_runs: Threshold

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.read_throughput = _THRESHOLD if (value := get("readThroughput")) is None else Threshold(value)
        self.read_latency = _THRESHOLD if (value := get("readLatency")) is None else Threshold(value)
        self.prefetch_hits = _THRESHOLD if (value := get("prefetchHits")) is None else Threshold(value)
        self.checkpoint_save = _THRESHOLD if (value := get("checkpointSave")) is None else Threshold(value)
        self.checkpoint_restore = _THRESHOLD if (value := get("checkpointRestore")) is None else Threshold(value)
        self.checkpoint_failures = _THRESHOLD if (value := get("checkpointFailures")) is None else Threshold(value)
        self.cache_hits = _THRESHOLD if (value := get("cacheHits")) is None else Threshold(value)
        self.evictions = _THRESHOLD if (value := get("evictions")) is None else Threshold(value)
        self.checkpoint_age = _THRESHOLD if (value := get("checkpointAge")) is None else Threshold(value)
        self.slow_rank = _THRESHOLD if (value := get("slowRank")) is None else Threshold(value)
        self.volume_usage = _THRESHOLD if (value := get("volumeUsage")) is None else Threshold(value)
        self.backup_age = _THRESHOLD if (value := get("backupAge")) is None else Threshold(value)
        self.gpu_utilization = _THRESHOLD if (value := get("gpuUtilization")) is None else Threshold(value)
        self.cpu_utilization = _THRESHOLD if (value := get("cpuUtilization")) is None else Threshold(value)
        self.pending_runs = _THRESHOLD if (value := get("pendingRuns")) is None else Threshold(value)


_THRESHOLDS = Thresholds(_NONE)


class Monitor:
    """Rules, a monitor and a dashboard for the runs of the experiment."""

    __slots__ = ("dashboard", "diagnose", "labels", "measures", "path", "port", "thresholds")

    port: int
    path: str
    measures: Sequence[str]
    thresholds: Thresholds
    labels: Mapping[str, str]
    dashboard: bool
    diagnose: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.port = get("port", 8000)
        self.path = get("path", "/metrics")
        self.measures = get("measures", ())
        self.thresholds = _THRESHOLDS if (value := get("thresholds")) is None else Thresholds(value)
        self.labels = get("labels", _NONE)
        self.dashboard = get("dashboard", True)
        self.diagnose = get("diagnose", False)


class SecretRef:
    """A Secret of the namespace."""

    __slots__ = ("name",)

    name: str

    def __init__(self, tree: Tree) -> None:
        self.name = tree["name"]


class Fetch:
    """Something to fetch."""

    __slots__ = ("args", "command", "cpu", "env", "image", "memory", "secret_ref", "storage_uri")

    storage_uri: str | None
    secret_ref: SecretRef | None
    env: Mapping[str, EnvVar]
    image: str | None
    command: Sequence[str]
    args: Sequence[str]
    cpu: str | int | float | None
    memory: str | int | float | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.storage_uri = get("storageUri")
        self.secret_ref = None if (value := get("secretRef")) is None else SecretRef(value)
        self.env = {key: EnvVar(item) for key, item in get("env", _NONE).items()}
        self.image = get("image")
        self.command = get("command", ())
        self.args = get("args", ())
        self.cpu = get("cpu")
        self.memory = get("memory")


class Initializer:
    """Models and data sets to fetch before training starts."""

    __slots__ = ("dataset", "model", "volume")

    dataset: Fetch | None
    model: Fetch | None
    volume: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.dataset = None if (value := get("dataset")) is None else Fetch(value)
        self.model = None if (value := get("model")) is None else Fetch(value)
        self.volume = get("volume")


class NetworkTopology:
    """How close to each other Volcano places the pods."""

    __slots__ = ("highest_tier_allowed", "mode")

    mode: str
    highest_tier_allowed: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.mode = get("mode", "hard")
        self.highest_tier_allowed = get("highestTierAllowed")


class TopologySlice:
    """Parts of the run that are placed together (Kueue)."""

    __slots__ = ("level", "size")

    level: str
    size: int

    def __init__(self, tree: Tree) -> None:
        self.level = tree["level"]
        self.size = tree["size"]


class Topology:
    """Placement of pods by node labels, for JobSet and Kueue."""

    __slots__ = ("exclusive", "preferred", "required", "slice", "unconstrained")

    exclusive: str | None
    required: str | None
    slice: TopologySlice | None
    preferred: str | None
    unconstrained: bool | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.exclusive = get("exclusive")
        self.required = get("required")
        self.slice = None if (value := get("slice")) is None else TopologySlice(value)
        self.preferred = get("preferred")
        self.unconstrained = get("unconstrained")


class Schedule:
    """Gang scheduling, queue and priority."""

    __slots__ = (
        "min_available",
        "min_resources",
        "multi_kueue",
        "network_topology",
        "priority_class_name",
        "queue",
        "system",
        "timeout_seconds",
        "topology",
        "workload_priority",
    )

    system: str | None
    queue: str | None
    min_available: int | None
    min_resources: Mapping[str, str | int | float]
    priority_class_name: str | None
    workload_priority: str | None
    multi_kueue: bool
    timeout_seconds: int | None
    network_topology: NetworkTopology | None
    topology: Topology | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.system = get("system")
        self.queue = get("queue")
        self.min_available = get("minAvailable")
        self.min_resources = get("minResources", _NONE)
        self.priority_class_name = get("priorityClassName")
        self.workload_priority = get("workloadPriority")
        self.multi_kueue = get("multiKueue", False)
        self.timeout_seconds = get("timeoutSeconds")
        self.network_topology = None if (value := get("networkTopology")) is None else NetworkTopology(value)
        self.topology = None if (value := get("topology")) is None else Topology(value)


_SCHEDULE = Schedule(_NONE)


class FailureRule:
    """One kind of failure, and the action to take."""

    __slots__ = ("action", "disruption", "exit_codes")

    exit_codes: Sequence[int] | None
    disruption: bool | None
    action: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.exit_codes = get("exitCodes", ())
        self.disruption = get("disruption")
        self.action = tree["action"]


class Restart:
    """Pods to restart after a failure, and the number of restarts."""

    __slots__ = ("limit", "policy", "rules")

    policy: str | None
    limit: int | None
    rules: Mapping[str, FailureRule]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.policy = get("policy")
        self.limit = get("limit")
        self.rules = {key: FailureRule(item) for key, item in get("rules", _NONE).items()}


class Elastic:
    """The range in which the number of nodes can change during the run (PyTorchJob, Volcano Job of torchrun)."""

    __slots__ = ("max", "metrics", "min", "restarts")

    min: int
    max: int
    restarts: int | None
    metrics: Sequence[Mapping[str, Any]]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.min = tree["min"]
        self.max = tree["max"]
        self.restarts = get("restarts")
        self.metrics = get("metrics", ())


class Success:
    """When the run counts as succeeded. The default is the rule of the runtime or operator."""

    __slots__ = ("operator", "roles")

    roles: Sequence[str]
    operator: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.roles = get("roles", ())
        self.operator = get("operator", "All")


class Cleanup:
    """Objects of a finished run to keep."""

    __slots__ = ("pods", "ttl_seconds")

    pods: str | None
    ttl_seconds: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.pods = get("pods")
        self.ttl_seconds = get("ttlSeconds")


class VolcanoPolicy:
    """Policy of Volcano for an event."""

    __slots__ = ("action", "timeout")

    action: str
    timeout: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.action = tree["action"]
        self.timeout = get("timeout")


class VolcanoTask:
    """Fields of one task other than its pods."""

    __slots__ = ("exit_codes", "max_retry", "min_available", "policies", "topology_policy")

    min_available: int | None
    max_retry: int | None
    topology_policy: str | None
    policies: Mapping[str, VolcanoPolicy]
    exit_codes: Mapping[str, VolcanoPolicy]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.min_available = get("minAvailable")
        self.max_retry = get("maxRetry")
        self.topology_policy = get("topologyPolicy")
        self.policies = {key: VolcanoPolicy(item) for key, item in get("policies", _NONE).items()}
        self.exit_codes = {key: VolcanoPolicy(item) for key, item in get("exitCodes", _NONE).items()}


class Volcano:
    """Fields of a Volcano Job other than its tasks."""

    __slots__ = (
        "exit_codes",
        "max_retry",
        "min_success",
        "plugins",
        "policies",
        "running_estimate",
        "tasks",
        "ttl_seconds_after_finished",
    )

    plugins: Mapping[str, Sequence[str]]
    policies: Mapping[str, VolcanoPolicy]
    exit_codes: Mapping[str, VolcanoPolicy]
    max_retry: int | None
    min_success: int | None
    ttl_seconds_after_finished: int | None
    running_estimate: str | None
    tasks: Mapping[str, VolcanoTask]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.plugins = get("plugins", _NONE)
        self.policies = {key: VolcanoPolicy(item) for key, item in get("policies", _NONE).items()}
        self.exit_codes = {key: VolcanoPolicy(item) for key, item in get("exitCodes", _NONE).items()}
        self.max_retry = get("maxRetry")
        self.min_success = get("minSuccess")
        self.ttl_seconds_after_finished = get("ttlSecondsAfterFinished")
        self.running_estimate = get("runningEstimate")
        self.tasks = {key: VolcanoTask(item) for key, item in get("tasks", _NONE).items()}


class PatchTarget:
    """Which objects a patch changes."""

    __slots__ = ("kind", "name", "namespace")

    kind: str
    name: str | None
    namespace: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.kind = tree["kind"]
        self.name = get("name")
        self.namespace = get("namespace")


class Operation:
    """One operation of a JSON patch (RFC 6902)."""

    __slots__ = ("op", "path", "source", "value")

    op: str
    path: str
    value: Any
    source: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.op = tree["op"]
        self.path = tree["path"]
        self.value = get("value")
        self.source = get("from")


class Patch:
    """A change to generated objects."""

    __slots__ = ("force", "merge", "operations", "target")

    target: PatchTarget
    merge: Mapping[str, Any] | None
    force: bool
    operations: Sequence[Operation]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.target = PatchTarget(tree["target"])
        self.merge = get("merge")
        self.force = get("force", True)
        self.operations = [Operation(item) for item in get("json", ())]


class RunSpec(Container):
    """The fields of one run, which a task can set, too."""

    __slots__ = (
        "attempt",
        "checkpoints",
        "cleanup",
        "code",
        "data",
        "deadline",
        "elastic",
        "image_pull_secrets",
        "initializer",
        "launcher",
        "monitor",
        "nodes",
        "patches",
        "prefetch",
        "procs_per_node",
        "rdma",
        "restart",
        "roles",
        "runtime",
        "schedule",
        "script",
        "service_account_name",
        "shared_memory",
        "success",
        "target",
        "volcano",
        "volumes",
    )

    runtime: RuntimeRef | None
    script: str | None
    launcher: str | None
    image_pull_secrets: Sequence[str]
    service_account_name: str | None
    nodes: int | None
    procs_per_node: int | None
    shared_memory: str | int | float | None
    rdma: bool
    roles: Mapping[str, Role]
    volumes: Mapping[str, Volume]
    data: Data | None
    code: Code | None
    checkpoints: Checkpoints | None
    prefetch: Prefetch | None
    monitor: Monitor | None
    initializer: Initializer | None
    schedule: Schedule
    attempt: int
    deadline: int | None
    target: str
    restart: Restart | None
    elastic: Elastic | None
    success: Success | None
    cleanup: Cleanup | None
    volcano: Volcano | None
    patches: Mapping[str, Patch]

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.runtime = None if (value := get("runtime")) is None else RuntimeRef(value)
        self.script = get("script")
        self.launcher = get("launcher")
        self.image_pull_secrets = get("imagePullSecrets", ())
        self.service_account_name = get("serviceAccountName")
        self.nodes = get("nodes")
        self.procs_per_node = get("procsPerNode")
        self.shared_memory = get("sharedMemory")
        self.rdma = get("rdma", False)
        self.roles = {key: Role(item) for key, item in get("roles", _NONE).items()}
        self.volumes = {key: Volume(item) for key, item in get("volumes", _NONE).items()}
        self.data = None if (value := get("data")) is None else Data(value)
        self.code = None if (value := get("code")) is None else Code(value)
        self.checkpoints = None if (value := get("checkpoints")) is None else Checkpoints(value)
        self.prefetch = None if (value := get("prefetch")) is None else Prefetch(value)
        self.monitor = None if (value := get("monitor")) is None else Monitor(value)
        self.initializer = None if (value := get("initializer")) is None else Initializer(value)
        self.schedule = _SCHEDULE if (value := get("schedule")) is None else Schedule(value)
        self.attempt = get("attempt", 1)
        self.deadline = get("deadline")
        self.target = get("target", "trainjob")
        self.restart = None if (value := get("restart")) is None else Restart(value)
        self.elastic = None if (value := get("elastic")) is None else Elastic(value)
        self.success = None if (value := get("success")) is None else Success(value)
        self.cleanup = None if (value := get("cleanup")) is None else Cleanup(value)
        self.volcano = None if (value := get("volcano")) is None else Volcano(value)
        self.patches = {key: Patch(item) for key, item in get("patches", _NONE).items()}


class Sweep:
    """The points of a sweep."""

    __slots__ = ("exclude", "include", "limit", "matrix", "max_parallel", "zipped")

    matrix: Mapping[str, Sequence[Any]]
    zipped: Mapping[str, Sequence[Any]]
    include: Sequence[Mapping[str, Any]]
    exclude: Sequence[Mapping[str, Any]]
    limit: int
    max_parallel: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.matrix = get("matrix", _NONE)
        self.zipped = get("zip", _NONE)
        self.include = get("include", ())
        self.exclude = get("exclude", ())
        self.limit = get("max", 64)
        self.max_parallel = get("maxParallel")


class ExperimentSpec(RunSpec):
    """The program to train, and the resources that it needs."""

    __slots__ = ("environments", "naming", "on_supersede", "state", "sweep", "tasks")

    environments: Sequence[str]
    tasks: Mapping[str, Mapping[str, Any]]
    sweep: Sweep | None
    naming: str
    state: str
    on_supersede: str | None

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.environments = get("environments", ())
        self.tasks = get("tasks", _NONE)
        self.sweep = None if (value := get("sweep")) is None else Sweep(value)
        self.naming = get("naming", "hash")
        self.state = get("state", "active")
        self.on_supersede = get("onSupersede")


class Experiment:
    """An experiment."""

    __slots__ = ("api_version", "kind", "metadata", "spec")

    api_version: str
    kind: str
    metadata: Metadata
    spec: ExperimentSpec

    def __init__(self, tree: Tree) -> None:
        self.api_version = tree["apiVersion"]
        self.kind = tree["kind"]
        self.metadata = Metadata(tree["metadata"])
        self.spec = ExperimentSpec(tree["spec"])


class Named:
    """Identifies a document of the project."""

    __slots__ = ("annotations", "labels", "name")

    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)


class Match:
    """Experiments to which an overlay applies. All conditions must hold for the experiment as it is written."""

    __slots__ = ("clusters", "environments", "labels", "names", "runtimes")

    environments: Sequence[str]
    clusters: Sequence[str]
    labels: Mapping[str, str]
    names: Sequence[str]
    runtimes: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.environments = get("environments", ())
        self.clusters = get("clusters", ())
        self.labels = get("labels", _NONE)
        self.names = get("names", ())
        self.runtimes = get("runtimes", ())


_MATCH = Match(_NONE)


class OverlaidMetadata:
    """Fields of the metadata that an overlay can set."""

    __slots__ = ("annotations", "labels", "namespace")

    namespace: str | None
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.namespace = get("namespace")
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)


class OverlaySpec:
    """The layer of an overlay, the experiments that it matches, and its fields."""

    __slots__ = ("experiment", "layer", "match")

    layer: str
    match: Match
    experiment: Mapping[str, Any]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.layer = get("layer", "environment")
        self.match = _MATCH if (value := get("match")) is None else Match(value)
        self.experiment = tree["experiment"]


class Overlay:
    """A partial experiment."""

    __slots__ = ("api_version", "kind", "metadata", "spec")

    api_version: str
    kind: str
    metadata: Named
    spec: OverlaySpec

    def __init__(self, tree: Tree) -> None:
        self.api_version = tree["apiVersion"]
        self.kind = tree["kind"]
        self.metadata = Named(tree["metadata"])
        self.spec = OverlaySpec(tree["spec"])


class ClaimedDevices:
    """How to claim devices without a device plugin (dynamic resource allocation)."""

    __slots__ = ("config", "device_class_name", "memory_capacity", "selectors")

    device_class_name: str
    selectors: Sequence[str]
    memory_capacity: str | None
    config: Sequence[Mapping[str, Any]]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.device_class_name = tree["deviceClassName"]
        self.selectors = get("selectors", ())
        self.memory_capacity = get("memoryCapacity")
        self.config = get("config", ())


class DeviceNetwork:
    """Network devices that go with the devices of a class, for experiments with `rdma`."""

    __slots__ = (
        "annotations",
        "capabilities",
        "env",
        "host_network",
        "per_device",
        "per_pod",
        "resource",
        "resources",
    )

    resource: str
    per_pod: int
    per_device: int | None
    resources: Mapping[str, str | int | float]
    env: Mapping[str, EnvVar]
    annotations: Mapping[str, str]
    capabilities: Sequence[str]
    host_network: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.resource = tree["resource"]
        self.per_pod = get("perPod", 1)
        self.per_device = get("perDevice")
        self.resources = get("resources", _NONE)
        self.env = {key: EnvVar(item) for key, item in get("env", _NONE).items()}
        self.annotations = get("annotations", _NONE)
        self.capabilities = get("capabilities", ())
        self.host_network = get("hostNetwork", False)


class Partition:
    """One kind of partition of a device."""

    __slots__ = ("dra", "memory", "node_selector", "resource")

    resource: str | None
    dra: ClaimedDevices | None
    memory: str | int | float | None
    node_selector: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.resource = get("resource")
        self.dra = None if (value := get("dra")) is None else ClaimedDevices(value)
        self.memory = get("memory")
        self.node_selector = get("nodeSelector", _NONE)


class Sharing:
    """How several pods share the devices of a class."""

    __slots__ = ("annotations", "cores", "memory", "most", "node_selector", "resource", "scheduler_name")

    resource: str | None
    memory: str | None
    cores: str | None
    annotations: Mapping[str, str]
    node_selector: Mapping[str, str]
    scheduler_name: str | None
    most: int | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.resource = get("resource")
        self.memory = get("memory")
        self.cores = get("cores")
        self.annotations = get("annotations", _NONE)
        self.node_selector = get("nodeSelector", _NONE)
        self.scheduler_name = get("schedulerName")
        self.most = get("most")


class DeviceClass:
    """A class of devices, in terms of Kubernetes."""

    __slots__ = (
        "annotations",
        "counts",
        "cpu_per_device",
        "dra",
        "env",
        "exclusive_cpus",
        "memory",
        "memory_per_device",
        "most",
        "network",
        "node_selector",
        "partitions",
        "processes",
        "resource",
        "resources",
        "runtime_class_name",
        "sharing",
        "tolerations",
        "topology_label",
    )

    resource: str | None
    dra: ClaimedDevices | None
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, Any]]
    memory: str | int | float | None
    processes: int
    cpu_per_device: str | int | float | None
    memory_per_device: str | int | float | None
    exclusive_cpus: bool
    most: int | None
    counts: Sequence[int]
    topology_label: str | None
    resources: Mapping[str, str | int | float]
    annotations: Mapping[str, str]
    runtime_class_name: str | None
    env: Mapping[str, EnvVar]
    network: DeviceNetwork | None
    partitions: Mapping[str, Partition]
    sharing: Sharing | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.resource = get("resource")
        self.dra = None if (value := get("dra")) is None else ClaimedDevices(value)
        self.node_selector = get("nodeSelector", _NONE)
        self.tolerations = get("tolerations", ())
        self.memory = get("memory")
        self.processes = get("processes", 1)
        self.cpu_per_device = get("cpuPerDevice")
        self.memory_per_device = get("memoryPerDevice")
        self.exclusive_cpus = get("exclusiveCpus", False)
        self.most = get("most")
        self.counts = get("counts", ())
        self.topology_label = get("topologyLabel")
        self.resources = get("resources", _NONE)
        self.annotations = get("annotations", _NONE)
        self.runtime_class_name = get("runtimeClassName")
        self.env = {key: EnvVar(item) for key, item in get("env", _NONE).items()}
        self.network = None if (value := get("network")) is None else DeviceNetwork(value)
        self.partitions = {key: Partition(item) for key, item in get("partitions", _NONE).items()}
        self.sharing = None if (value := get("sharing")) is None else Sharing(value)


class NewStorageClass:
    """A StorageClass that the Platform creates. Only expansion and mount options can change later."""

    __slots__ = (
        "allow_volume_expansion",
        "allowed_topologies",
        "default",
        "mount_options",
        "parameters",
        "provisioner",
        "reclaim_policy",
        "volume_binding_mode",
    )

    provisioner: str
    parameters: Mapping[str, str]
    reclaim_policy: str
    mount_options: Sequence[str]
    allow_volume_expansion: bool | None
    volume_binding_mode: str
    allowed_topologies: Sequence[Mapping[str, Any]]
    default: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.provisioner = tree["provisioner"]
        self.parameters = get("parameters", _NONE)
        self.reclaim_policy = get("reclaimPolicy", "Delete")
        self.mount_options = get("mountOptions", ())
        self.allow_volume_expansion = get("allowVolumeExpansion")
        self.volume_binding_mode = get("volumeBindingMode", "Immediate")
        self.allowed_topologies = get("allowedTopologies", ())
        self.default = get("default", False)


class StorageClass:
    """Capabilities of a StorageClass of the cluster."""

    __slots__ = ("access_modes", "allow_volume_expansion", "bandwidth", "create")

    access_modes: Sequence[str]
    bandwidth: str | int | float | None
    allow_volume_expansion: bool | None
    create: NewStorageClass | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.access_modes = get("accessModes", ())
        self.bandwidth = get("bandwidth")
        self.allow_volume_expansion = get("allowVolumeExpansion")
        self.create = None if (value := get("create")) is None else NewStorageClass(value)


class StorageProfile:
    """Settings of volumes for one use, which experiments name as a profile."""

    __slots__ = ("cache", "labels", "latency", "read_pattern", "size", "storage_class_name", "throughput")

    size: str | int | float | None
    storage_class_name: str | None
    labels: Mapping[str, str]
    read_pattern: str | None
    throughput: str | int | float | None
    latency: float | None
    cache: Cache | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = get("size")
        self.storage_class_name = get("storageClassName")
        self.labels = get("labels", _NONE)
        self.read_pattern = get("readPattern")
        self.throughput = get("throughput")
        self.latency = get("latency")
        self.cache = None if (value := get("cache")) is None else Cache(value)


class ClaimDefaults:
    """Defaults of the claims that experiments create. Profiles take precedence."""

    __slots__ = ("labels", "size", "storage_class_name")

    size: str | int | float | None
    storage_class_name: str | None
    labels: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.size = get("size")
        self.storage_class_name = get("storageClassName")
        self.labels = get("labels", _NONE)


_CLAIMDEFAULTS = ClaimDefaults(_NONE)


class ExtendCluster:
    """A cluster of a queue that spans several clusters."""

    __slots__ = ("capacity", "weight")

    weight: int | None
    capacity: Mapping[str, str | int | float]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.weight = get("weight")
        self.capacity = get("capacity", _NONE)


class VolcanoQueue:
    """A Volcano Queue. Its `capability` is that of the queue."""

    __slots__ = ("deserved", "extend_clusters", "guarantee", "parent", "priority", "reclaimable", "weight")

    weight: int
    reclaimable: bool
    deserved: Mapping[str, str | int | float]
    guarantee: Mapping[str, str | int | float]
    parent: str | None
    priority: int | None
    extend_clusters: Mapping[str, ExtendCluster]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.weight = get("weight", 1)
        self.reclaimable = get("reclaimable", True)
        self.deserved = get("deserved", _NONE)
        self.guarantee = get("guarantee", _NONE)
        self.parent = get("parent")
        self.priority = get("priority")
        self.extend_clusters = {key: ExtendCluster(item) for key, item in get("extendClusters", _NONE).items()}


class FlavorShare:
    """Quota of a queue for one flavor."""

    __slots__ = ("name", "quota")

    name: str
    quota: Mapping[str, str | int | float]

    def __init__(self, tree: Tree) -> None:
        self.name = tree["name"]
        self.quota = tree["quota"]


class KueueQueue:
    """A Kueue ClusterQueue, and a LocalQueue of the same name in each namespace that can use it."""

    __slots__ = ("cohort", "flavors", "namespaces", "preemption", "strategy")

    namespaces: Sequence[str]
    flavors: Sequence[FlavorShare]
    cohort: str | None
    strategy: str
    preemption: Mapping[str, Any]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.namespaces = tree["namespaces"]
        self.flavors = [FlavorShare(item) for item in get("flavors", ())]
        self.cohort = get("cohort")
        self.strategy = get("strategy", "BestEffortFIFO")
        self.preemption = get("preemption", {})


class NewQueue:
    """A queue that the Platform creates."""

    __slots__ = ("kueue", "volcano")

    volcano: VolcanoQueue | None
    kueue: KueueQueue | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.volcano = None if (value := get("volcano")) is None else VolcanoQueue(value)
        self.kueue = None if (value := get("kueue")) is None else KueueQueue(value)


class Queue:
    """A queue of the cluster."""

    __slots__ = ("capability", "create")

    capability: Mapping[str, str | int | float]
    create: NewQueue | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.capability = get("capability", _NONE)
        self.create = None if (value := get("create")) is None else NewQueue(value)


class Flavor:
    """A Kueue ResourceFlavor: nodes of one kind."""

    __slots__ = ("exists", "node_labels", "node_taints", "tolerations", "topology")

    node_labels: Mapping[str, str]
    node_taints: Sequence[Mapping[str, Any]]
    tolerations: Sequence[Mapping[str, Any]]
    topology: str | None
    exists: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.node_labels = get("nodeLabels", _NONE)
        self.node_taints = get("nodeTaints", ())
        self.tolerations = get("tolerations", ())
        self.topology = get("topology")
        self.exists = get("exists", False)


class KueueTopology:
    """A Kueue Topology: how close to each other nodes are."""

    __slots__ = ("exists", "levels")

    levels: Sequence[str]
    exists: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.levels = tree["levels"]
        self.exists = get("exists", False)


class NewPriority:
    """A PriorityClass. Its value cannot change later."""

    __slots__ = ("description", "exists", "global_default", "preemption_policy", "value")

    value: int
    global_default: bool
    preemption_policy: str
    description: str | None
    exists: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.value = tree["value"]
        self.global_default = get("globalDefault", False)
        self.preemption_policy = get("preemptionPolicy", "PreemptLowerPriority")
        self.description = get("description")
        self.exists = get("exists", False)


class Bounds:
    """Limits of one container, pod or claim."""

    __slots__ = ("default", "default_request", "max", "min")

    default: Mapping[str, str | int | float]
    default_request: Mapping[str, str | int | float]
    min: Mapping[str, str | int | float]
    max: Mapping[str, str | int | float]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.default = get("default", _NONE)
        self.default_request = get("defaultRequest", _NONE)
        self.min = get("min", _NONE)
        self.max = get("max", _NONE)


class Limits:
    """The LimitRange of a namespace."""

    __slots__ = ("claim", "container", "pod")

    container: Bounds | None
    pod: Bounds | None
    claim: Bounds | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.container = None if (value := get("container")) is None else Bounds(value)
        self.pod = None if (value := get("pod")) is None else Bounds(value)
        self.claim = None if (value := get("claim")) is None else Bounds(value)


class Subject:
    """Subject of a role."""

    __slots__ = ("group", "service_account", "user")

    group: str | None
    user: str | None
    service_account: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.group = get("group")
        self.user = get("user")
        self.service_account = get("serviceAccount")


class Namespace:
    """A namespace for runs, with its Pod Security level, quota, limits and roles."""

    __slots__ = ("annotations", "exists", "labels", "limits", "trainers", "viewers")

    exists: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    limits: Limits | None
    trainers: Sequence[Subject]
    viewers: Sequence[Subject]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.exists = get("exists", False)
        self.labels = get("labels", _NONE)
        self.annotations = get("annotations", _NONE)
        self.limits = None if (value := get("limits")) is None else Limits(value)
        self.trainers = [Subject(item) for item in get("trainers", ())]
        self.viewers = [Subject(item) for item in get("viewers", ())]


class Helpers:
    """Images of helper containers, instead of the defaults of tjgen."""

    __slots__ = ("buildkit", "copy_", "dataset", "diagnose", "git", "kaniko", "kubectl", "model", "python", "shell")

    buildkit: str | None
    copy_: str | None
    dataset: str | None
    diagnose: str | None
    git: str | None
    kaniko: str | None
    kubectl: str | None
    model: str | None
    python: str | None
    shell: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.buildkit = get("buildkit")
        self.copy_ = get("copy")
        self.dataset = get("dataset")
        self.diagnose = get("diagnose")
        self.git = get("git")
        self.kaniko = get("kaniko")
        self.kubectl = get("kubectl")
        self.model = get("model")
        self.python = get("python")
        self.shell = get("shell")


_HELPERS = Helpers(_NONE)


class Images:
    """Sources of images."""

    __slots__ = ("helpers", "rewrite")

    rewrite: Mapping[str, str]
    helpers: Helpers

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.rewrite = get("rewrite", _NONE)
        self.helpers = _HELPERS if (value := get("helpers")) is None else Helpers(value)


_IMAGES = Images(_NONE)


class ProgramNetwork:
    """NetworkPolicies of programs that run next to runs: no ingress, and only the egress that a program needs."""

    __slots__ = ("api_server", "stores")

    api_server: Sequence[str]
    stores: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.api_server = get("apiServer", ())
        self.stores = get("stores", ())


class Programs:
    """Programs that tjgen runs next to runs: prefetch, build, cleaner and backup."""

    __slots__ = ("network_policies",)

    network_policies: ProgramNetwork | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.network_policies = None if (value := get("networkPolicies")) is None else ProgramNetwork(value)


_PROGRAMS = Programs(_NONE)


class Cluster:
    """The cluster itself."""

    __slots__ = ("image_volumes", "jobset", "kubernetes", "kueue", "name", "network_topology_aware")

    name: str | None
    kubernetes: str | None
    image_volumes: bool | None
    jobset: str | None
    kueue: str | None
    network_topology_aware: bool

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = get("name")
        self.kubernetes = get("kubernetes")
        self.image_volumes = get("imageVolumes")
        self.jobset = get("jobset")
        self.kueue = get("kueue")
        self.network_topology_aware = get("networkTopologyAware", False)


_CLUSTER = Cluster(_NONE)


class Prices:
    """Prices of the devices and of the storage of the cluster."""

    __slots__ = ("currency", "devices", "storage")

    currency: str
    devices: Mapping[str, str | int | float]
    storage: Mapping[str, str | int | float]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.currency = tree["currency"]
        self.devices = get("devices", _NONE)
        self.storage = get("storage", _NONE)


class Fluid:
    """Settings of Fluid, which caches data sets near the pods."""

    __slots__ = ("high", "low", "runtime")

    runtime: str
    high: str
    low: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.runtime = get("runtime", "AlluxioRuntime")
        self.high = get("high", "0.95")
        self.low = get("low", "0.7")


class MetricNames:
    """Names of the metrics that programs and storage export. Durations are histograms or summaries, in seconds."""

    __slots__ = (
        "cache_evictions",
        "cache_hits",
        "cache_misses",
        "checkpoint_attempts",
        "checkpoint_failures",
        "checkpoint_restore_duration",
        "checkpoint_save_duration",
        "checkpoint_time",
        "prefetch_hits",
        "prefetch_misses",
        "read_bytes",
        "read_duration",
        "step_duration",
    )

    read_bytes: str | None
    read_duration: str | None
    prefetch_hits: str | None
    prefetch_misses: str | None
    checkpoint_save_duration: str | None
    checkpoint_restore_duration: str | None
    checkpoint_attempts: str | None
    checkpoint_failures: str | None
    cache_hits: str | None
    cache_misses: str | None
    cache_evictions: str | None
    checkpoint_time: str | None
    step_duration: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.read_bytes = get("readBytes")
        self.read_duration = get("readDuration")
        self.prefetch_hits = get("prefetchHits")
        self.prefetch_misses = get("prefetchMisses")
        self.checkpoint_save_duration = get("checkpointSaveDuration")
        self.checkpoint_restore_duration = get("checkpointRestoreDuration")
        self.checkpoint_attempts = get("checkpointAttempts")
        self.checkpoint_failures = get("checkpointFailures")
        self.cache_hits = get("cacheHits")
        self.cache_misses = get("cacheMisses")
        self.cache_evictions = get("cacheEvictions")
        self.checkpoint_time = get("checkpointTime")
        self.step_duration = get("stepDuration")


_METRICNAMES = MetricNames(_NONE)


class Monitoring:
    """Settings of the cluster's Prometheus and Grafana."""

    __slots__ = ("cache_statistics", "dashboard_labels", "interval", "labels", "metrics", "thresholds")

    labels: Mapping[str, str]
    dashboard_labels: Mapping[str, str]
    interval: str
    thresholds: Thresholds
    metrics: MetricNames
    cache_statistics: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.labels = get("labels", _NONE)
        self.dashboard_labels = get("dashboardLabels", _NONE)
        self.interval = get("interval", "30s")
        self.thresholds = _THRESHOLDS if (value := get("thresholds")) is None else Thresholds(value)
        self.metrics = _METRICNAMES if (value := get("metrics")) is None else MetricNames(value)
        self.cache_statistics = get("cacheStatistics", _NONE)


_MONITORING = Monitoring(_NONE)


class NodePool:
    """Equal nodes of the cluster."""

    __slots__ = ("count", "devices", "labels", "like", "resources", "taints", "topology", "zones")

    count: int
    like: str | None
    devices: int | None
    resources: Mapping[str, str | int | float]
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, Any]]
    zones: Sequence[str]
    topology: Mapping[str, int]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.count = tree["count"]
        self.like = get("like")
        self.devices = get("devices")
        self.resources = get("resources", _NONE)
        self.labels = get("labels", _NONE)
        self.taints = get("taints", ())
        self.zones = get("zones", ())
        self.topology = get("topology", _NONE)


class PlatformSpec:
    """The description of a cluster."""

    __slots__ = (
        "claims",
        "cluster",
        "defaults",
        "device_classes",
        "flavors",
        "fluid",
        "images",
        "manifests",
        "monitoring",
        "namespaces",
        "new_claims",
        "node_pools",
        "nodes",
        "patches",
        "pod_security",
        "policies",
        "prices",
        "priority_classes",
        "profiles",
        "programs",
        "queues",
        "quotas",
        "runtimes",
        "storage_classes",
        "topologies",
    )

    device_classes: Mapping[str, DeviceClass]
    storage_classes: Mapping[str, StorageClass]
    profiles: Mapping[str, StorageProfile]
    new_claims: ClaimDefaults
    claims: Mapping[str, Mapping[str, str | int | float]]
    queues: Mapping[str, Queue]
    flavors: Mapping[str, Flavor]
    topologies: Mapping[str, KueueTopology]
    priority_classes: Mapping[str, NewPriority]
    namespaces: Mapping[str, Namespace]
    runtimes: Sequence[str]
    images: Images
    programs: Programs
    cluster: Cluster
    prices: Prices | None
    fluid: Fluid | None
    monitoring: Monitoring
    pod_security: Mapping[str, str]
    quotas: Mapping[str, Mapping[str, str | int | float]]
    node_pools: Mapping[str, NodePool]
    nodes: Sequence[str]
    policies: Sequence[str]
    manifests: Sequence[str]
    patches: Mapping[str, Patch]
    defaults: Mapping[str, Any]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.device_classes = {key: DeviceClass(item) for key, item in get("deviceClasses", _NONE).items()}
        self.storage_classes = {key: StorageClass(item) for key, item in get("storageClasses", _NONE).items()}
        self.profiles = {key: StorageProfile(item) for key, item in get("profiles", _NONE).items()}
        self.new_claims = _CLAIMDEFAULTS if (value := get("newClaims")) is None else ClaimDefaults(value)
        self.claims = get("claims", _NONE)
        self.queues = {key: Queue(item) for key, item in get("queues", _NONE).items()}
        self.flavors = {key: Flavor(item) for key, item in get("flavors", _NONE).items()}
        self.topologies = {key: KueueTopology(item) for key, item in get("topologies", _NONE).items()}
        self.priority_classes = {key: NewPriority(item) for key, item in get("priorityClasses", _NONE).items()}
        self.namespaces = {key: Namespace(item) for key, item in get("namespaces", _NONE).items()}
        self.runtimes = get("runtimes", ())
        self.images = _IMAGES if (value := get("images")) is None else Images(value)
        self.programs = _PROGRAMS if (value := get("programs")) is None else Programs(value)
        self.cluster = _CLUSTER if (value := get("cluster")) is None else Cluster(value)
        self.prices = None if (value := get("prices")) is None else Prices(value)
        self.fluid = None if (value := get("fluid")) is None else Fluid(value)
        self.monitoring = _MONITORING if (value := get("monitoring")) is None else Monitoring(value)
        self.pod_security = get("podSecurity", _NONE)
        self.quotas = get("quotas", _NONE)
        self.node_pools = {key: NodePool(item) for key, item in get("nodePools", _NONE).items()}
        self.nodes = get("nodes", ())
        self.policies = get("policies", ())
        self.manifests = get("manifests", ())
        self.patches = {key: Patch(item) for key, item in get("patches", _NONE).items()}
        self.defaults = get("defaults", _NONE)


class Platform:
    """The description of a cluster."""

    __slots__ = ("api_version", "kind", "metadata", "spec")

    api_version: str
    kind: str
    metadata: Named
    spec: PlatformSpec

    def __init__(self, tree: Tree) -> None:
        self.api_version = tree["apiVersion"]
        self.kind = tree["kind"]
        self.metadata = Named(tree["metadata"])
        self.spec = PlatformSpec(tree["spec"])


class Codeowners:
    """The file CODEOWNERS of the repository, which `tjgen build` of the workspace writes."""

    __slots__ = ("format", "owners")

    format: str
    owners: Mapping[str, Sequence[str]]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.format = get("format", "github")
        self.owners = tree["owners"]


class KubeConfigSecret:
    """A Secret with a kubeconfig."""

    __slots__ = ("key", "name")

    name: str
    key: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.key = get("key")


class KubeConfig:
    """The cluster that Flux syncs to, if it is not its own."""

    __slots__ = ("config_map_ref", "secret_ref")

    secret_ref: KubeConfigSecret | None
    config_map_ref: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.secret_ref = None if (value := get("secretRef")) is None else KubeConfigSecret(value)
        self.config_map_ref = get("configMapRef")


class SourceRef:
    """A source of Flux that exists already."""

    __slots__ = ("kind", "name", "namespace")

    kind: str
    name: str
    namespace: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.kind = get("kind", "GitRepository")
        self.name = tree["name"]
        self.namespace = get("namespace")


class SyncAccess:
    """Settings of the sync: the namespace of its objects, and what the tool can read and change."""

    __slots__ = (
        "kube_config",
        "namespace",
        "platform_service_account_name",
        "project",
        "provider",
        "secret_ref",
        "service_account_name",
        "source_ref",
    )

    namespace: str | None
    project: str | None
    service_account_name: str | None
    platform_service_account_name: str | None
    kube_config: KubeConfig | None
    source_ref: SourceRef | None
    secret_ref: str | None
    provider: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.namespace = get("namespace")
        self.project = get("project")
        self.service_account_name = get("serviceAccountName")
        self.platform_service_account_name = get("platformServiceAccountName")
        self.kube_config = None if (value := get("kubeConfig")) is None else KubeConfig(value)
        self.source_ref = None if (value := get("sourceRef")) is None else SourceRef(value)
        self.secret_ref = get("secretRef")
        self.provider = get("provider")


class Environment:
    """One environment of the project."""

    __slots__ = (
        "cluster",
        "gitops",
        "labels",
        "namespace",
        "on_supersede",
        "overlays",
        "platform",
        "runs",
        "trainer",
    )

    namespace: str | None
    cluster: str | None
    platform: str | None
    overlays: Sequence[str]
    labels: Mapping[str, str]
    trainer: str | None
    runs: str
    on_supersede: str | None
    gitops: SyncAccess | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.namespace = get("namespace")
        self.cluster = get("cluster")
        self.platform = get("platform")
        self.overlays = get("overlays", ())
        self.labels = get("labels", _NONE)
        self.trainer = get("trainer")
        self.runs = get("runs", "all")
        self.on_supersede = get("onSupersede")
        self.gitops = None if (value := get("gitops")) is None else SyncAccess(value)


class ProjectSchedule:
    """Default scheduling of experiments."""

    __slots__ = ("system",)

    system: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.system = get("system", "none")


_PROJECTSCHEDULE = ProjectSchedule(_NONE)


class Output:
    """Folder of the output."""

    __slots__ = ("directory", "expanded")

    directory: str | None
    expanded: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.directory = get("directory")
        self.expanded = get("expanded")


_OUTPUT = Output(_NONE)


class AppProjectRole:
    """A role of the Argo CD project."""

    __slots__ = ("actions", "groups")

    groups: Sequence[str]
    actions: Sequence[str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.groups = tree["groups"]
        self.actions = get("actions", ())


class AppProject:
    """The Argo CD project that the build writes: it permits only what the runs need."""

    __slots__ = ("namespace", "roles")

    namespace: str | None
    roles: Mapping[str, AppProjectRole]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.namespace = get("namespace")
        self.roles = {key: AppProjectRole(item) for key, item in get("roles", _NONE).items()}


class Dependency:
    """A Kustomization of another project."""

    __slots__ = ("name", "namespace")

    name: str
    namespace: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.name = tree["name"]
        self.namespace = get("namespace")


class ApplicationSet:
    """Applications that Argo CD generates from the contents of the repository."""

    __slots__ = ("of", "on_deletion")

    of: str
    on_deletion: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.of = tree["of"]
        self.on_deletion = get("onDeletion", "keep")


class GitOps(SyncAccess):
    """The tool that applies the manifests."""

    __slots__ = (
        "app_project",
        "application_set",
        "bootstrap",
        "depends_on",
        "health",
        "path",
        "removal",
        "repository",
        "revision",
        "tool",
    )

    tool: str
    removal: str
    repository: str | None
    revision: str
    path: str | None
    app_project: AppProject | None
    depends_on: Sequence[Dependency]
    application_set: ApplicationSet | None
    bootstrap: bool
    health: str

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        get = tree.get
        self.tool = get("tool", "none")
        self.removal = get("removal", "confirm")
        self.repository = get("repository")
        self.revision = get("revision", "main")
        self.path = get("path")
        self.app_project = None if (value := get("appProject")) is None else AppProject(value)
        self.depends_on = [Dependency(item) for item in get("dependsOn", ())]
        self.application_set = None if (value := get("applicationSet")) is None else ApplicationSet(value)
        self.bootstrap = get("bootstrap", False)
        self.health = get("health", "none")


_GITOPS = GitOps(_NONE)


class History:
    """How many earlier runs to keep."""

    __slots__ = ("keep", "on_supersede")

    keep: int | None
    on_supersede: str

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.keep = get("keep")
        self.on_supersede = get("onSupersede", "keep")


_HISTORY = History(_NONE)


class Policy:
    """How strict a build is."""

    __slots__ = ("allow", "demand", "harmless", "severity", "strict")

    strict: bool
    demand: Sequence[str]
    allow: Sequence[str]
    harmless: Mapping[str, str]
    severity: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.strict = get("strict", False)
        self.demand = get("demand", ())
        self.allow = get("allow", ())
        self.harmless = get("harmless", _NONE)
        self.severity = get("severity", _NONE)


_POLICY = Policy(_NONE)


class Lint:
    """Rules that `tjgen lint` ignores."""

    __slots__ = ("ignore",)

    ignore: Mapping[str, str]

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.ignore = get("ignore", _NONE)


_LINT = Lint(_NONE)


class Budgets:
    """Limits of one command. Only the root project, which the command names or runs in, sets them."""

    __slots__ = (
        "documents",
        "entries",
        "file_size",
        "files",
        "folder_depth",
        "list_size",
        "points",
        "runs",
        "seconds",
        "tasks",
        "total_size",
        "values",
    )

    points: int
    tasks: int
    runs: int
    documents: int
    values: int
    file_size: str | int | float
    total_size: str | int | float
    list_size: str | int | float
    files: int
    entries: int
    folder_depth: int
    seconds: int

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.points = get("points", 10000)
        self.tasks = get("tasks", 1000)
        self.runs = get("runs", 10000)
        self.documents = get("documents", 100000)
        self.values = get("values", 750000)
        self.file_size = get("fileSize", "32Mi")
        self.total_size = get("totalSize", "1024Mi")
        self.list_size = get("listSize", "512Mi")
        self.files = get("files", 100000)
        self.entries = get("entries", 500000)
        self.folder_depth = get("folderDepth", 64)
        self.seconds = get("seconds", 600)


_BUDGETS = Budgets(_NONE)


class ProjectSpec:
    """Paths of files, and the environments to build for."""

    __slots__ = (
        "budgets",
        "catalogs",
        "codeowners",
        "environments",
        "experiments",
        "gitops",
        "history",
        "labels",
        "lint",
        "output",
        "overlays",
        "platforms",
        "policy",
        "projects",
        "readable",
        "requires",
        "schedule",
        "schemas",
        "slicers",
        "trainer",
    )

    projects: Sequence[str]
    codeowners: Codeowners | None
    labels: Mapping[str, str]
    experiments: Sequence[str]
    overlays: Sequence[str]
    platforms: Sequence[str]
    catalogs: Sequence[str]
    slicers: Mapping[str, str]
    schemas: str | None
    readable: Sequence[str]
    environments: Mapping[str, Environment]
    schedule: ProjectSchedule
    trainer: str
    output: Output
    gitops: GitOps
    history: History
    policy: Policy
    lint: Lint
    budgets: Budgets
    requires: str | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.projects = get("projects", ())
        self.codeowners = None if (value := get("codeowners")) is None else Codeowners(value)
        self.labels = get("labels", _NONE)
        self.experiments = get("experiments", ())
        self.overlays = get("overlays", ())
        self.platforms = get("platforms", ())
        self.catalogs = get("catalogs", ())
        self.slicers = get("slicers", _NONE)
        self.schemas = get("schemas")
        self.readable = get("readable", ())
        self.environments = {key: Environment(item) for key, item in get("environments", _NONE).items()}
        self.schedule = _PROJECTSCHEDULE if (value := get("schedule")) is None else ProjectSchedule(value)
        self.trainer = get("trainer", "2.3")
        self.output = _OUTPUT if (value := get("output")) is None else Output(value)
        self.gitops = _GITOPS if (value := get("gitops")) is None else GitOps(value)
        self.history = _HISTORY if (value := get("history")) is None else History(value)
        self.policy = _POLICY if (value := get("policy")) is None else Policy(value)
        self.lint = _LINT if (value := get("lint")) is None else Lint(value)
        self.budgets = _BUDGETS if (value := get("budgets")) is None else Budgets(value)
        self.requires = get("requires")


class Project:
    """A project."""

    __slots__ = ("api_version", "kind", "metadata", "spec")

    api_version: str
    kind: str
    metadata: Named | None
    spec: ProjectSpec

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.api_version = tree["apiVersion"]
        self.kind = tree["kind"]
        self.metadata = None if (value := get("metadata")) is None else Named(value)
        self.spec = ProjectSpec(tree["spec"])


class SettingsSpec:
    """Limits for projects, and policies that every command enforces."""

    __slots__ = ("allow", "budgets", "policies", "readable", "strict", "trusted")

    trusted: bool
    strict: bool
    policies: Sequence[str]
    readable: Sequence[str]
    allow: Sequence[str]
    budgets: Budgets | None

    def __init__(self, tree: Tree) -> None:
        get = tree.get
        self.trusted = get("trusted", False)
        self.strict = get("strict", False)
        self.policies = get("policies", ())
        self.readable = get("readable", ())
        self.allow = get("allow", ())
        self.budgets = None if (value := get("budgets")) is None else Budgets(value)


class Settings:
    """Settings of the caller."""

    __slots__ = ("api_version", "kind", "spec")

    api_version: str
    kind: str
    spec: SettingsSpec

    def __init__(self, tree: Tree) -> None:
        self.api_version = tree["apiVersion"]
        self.kind = tree["kind"]
        self.spec = SettingsSpec(tree["spec"])
