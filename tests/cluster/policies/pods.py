"""Pods, and the namespaces that judge them by the levels and versions of Pod Security."""

from __future__ import annotations

from typing import Any

from tests.cluster.policies.scenarios import job, pod

_LEVELS = ("privileged", "baseline", "restricted")
NAMESPACES: dict[str, dict[str, str]] = {
    **{f"enforce-{level}": {"enforce": level} for level in _LEVELS},
    **{f"warn-{level}": {"warn": level} for level in _LEVELS},
    **{
        f"enforce-{level}-v1-{minor}": {"enforce": level, "enforce-version": f"v1.{minor}"}
        for level in _LEVELS[1:]
        for minor in (0, 18, 19, 22, 23, 25, 27, 29, 31, 32, 34, 35, 36, 99)
    },
    "both": {"enforce": "baseline", "warn": "restricted", "warn-version": "latest", "audit": "restricted"},
    "unlabeled": {},
}


def _container(**fields: Any) -> dict[str, Any]:
    return {"container": fields}


def _secured(**fields: Any) -> dict[str, Any]:
    own = {"allowPrivilegeEscalation": False, "runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
    return {"container": {"securityContext": {**own, "seccompProfile": {"type": "RuntimeDefault"}, **fields}}}


def _context(**fields: Any) -> dict[str, Any]:
    return {"container": {"securityContext": fields}}


SECOND = {"initContainers": [{"name": "copy", "image": "busybox", "securityContext": {"privileged": True}}]}
PODS: tuple[dict[str, Any], ...] = (
    {},
    _secured(),
    _secured(runAsUser=0),
    _secured(runAsNonRoot=False),
    _secured(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}),
    _secured(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN", "CHOWN"]}),
    _secured(seccompProfile={"type": "Unconfined"}),
    _secured(seccompProfile={"type": "Localhost", "localhostProfile": "a.json"}),
    _secured(allowPrivilegeEscalation=True),
    _secured(procMount="Unmasked"),
    {**_secured(procMount="Unmasked"), "hostUsers": False},
    {**_secured(runAsUser=0, runAsNonRoot=False), "hostUsers": False},
    _context(privileged=True),
    {**_context(privileged=True), **SECOND},
    SECOND,
    _context(capabilities={"add": ["NET_ADMIN"]}),
    _context(capabilities={"add": ["NET_RAW", "SYS_PTRACE"]}),
    _context(seccompProfile={"type": "Unconfined"}),
    _context(appArmorProfile={"type": "Unconfined"}),
    _context(seLinuxOptions={"type": "spc_t"}),
    _context(seLinuxOptions={"type": "container_engine_t"}),
    _context(seLinuxOptions={"user": "root", "role": "admin"}),
    _context(windowsOptions={"hostProcess": False}),
    {"securityContext": {"seLinuxOptions": {"type": "spc_t"}, "seccompProfile": {"type": "Unconfined"}}},
    {"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}},
    {"securityContext": {"runAsNonRoot": False, "runAsUser": 0}},
    {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
    {"securityContext": {"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]}},
    {"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}, {"name": "net.ipv4.tcp_rmem", "value": "1"}]}},
    {"securityContext": {"sysctls": [{"name": "net.ipv4.ip_local_reserved_ports", "value": "1"}]}},
    {"hostNetwork": True},
    {"hostPID": True, "hostIPC": True},
    {"volumes": [{"name": "a", "hostPath": {"path": "/a"}}]},
    {"volumes": [{"name": "a", "hostPath": {"path": "/a"}}, {"name": "b", "hostPath": {"path": "/b"}}]},
    {"volumes": [{"name": "a", "nfs": {"server": "x", "path": "/"}}, {"name": "b", "emptyDir": {}}]},
    {
        "volumes": [
            {"name": "a", "nfs": {"server": "x", "path": "/"}},
            {"name": "b", "iscsi": {"targetPortal": "a", "iqn": "iqn.2001-04.com.example:a", "lun": 1}},
        ]
    },
    {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "x"}}, {"name": "c"}]},
    _container(ports=[{"containerPort": 80, "hostPort": 8080}]),
    _container(ports=[{"containerPort": 80, "hostPort": 8080}, {"containerPort": 81, "hostPort": 443}]),
    _container(livenessProbe={"httpGet": {"port": 80, "host": "10.0.0.1"}}),
    _container(
        readinessProbe={"tcpSocket": {"port": 80, "host": "a.example.com"}},
        lifecycle={"preStop": {"httpGet": {"port": 80, "host": "b.example.com"}}},
    ),
    {"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/node": "unconfined"}}},
    {"metadata": {"annotations": {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}}},
    {"os": {"name": "windows"}},
)
OBJECTS: tuple[dict[str, Any], ...] = (
    *(pod(**fields) for fields in PODS),
    job(),
    job(container=_context(privileged=True)["container"]),
)
