"""The measures of an experiment -> a dashboard of Grafana in a ConfigMap: a panel for each, with its thresholds as colours."""

from __future__ import annotations

import json

from tjgen.compiler.programs.monitoring.measures import AlertBounds, Measure, Names, bounds_of, chosen, expression, names
from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Monitor
from tjgen.trees.canonical import sha256_hex
from tjgen.trees.fields.path import Tree

_SCHEMA = 39
"""Version of Grafana's dashboard model: that of Grafana 11; later releases read it too."""
_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def config_map(monitor: Monitor, setting: Setting) -> Tree:
    """The ConfigMap that Grafana's sidecar takes up."""
    platform = setting.cluster.monitoring
    described = metadata(f"{setting.family}-dashboard", setting)
    described["labels"] |= dict(platform.dashboard_labels) if platform is not None else {"grafana_dashboard": "1"}
    known = names(platform.metrics if platform is not None else None)
    text = _indented(_dashboard(monitor, known, setting), "\n") + "\n"
    data = {f"{setting.namespace}-{setting.family}.json": text}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": described, "data": data}


def _dashboard(monitor: Monitor, known: Names, setting: Setting) -> Tree:
    panels = [
        _panel(position, one, bounds_of(one, monitor, setting.cluster.monitoring), known, setting)
        for position, one in enumerate(chosen(monitor))
    ]
    return {
        "uid": sha256_hex(f"{setting.namespace}/{setting.family}")[:16],
        "title": f"Training {setting.namespace}/{setting.family}",
        "tags": ["tjgen"],
        "schemaVersion": _SCHEMA,
        "version": 1,
        "editable": False,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": _variables(known, setting)},
        "annotations": {"list": []},
        "panels": panels,
    }


def _variables(known: Names, setting: Setting) -> list[Tree]:
    series = sorted({f"{name}_count" if field.endswith("_duration") else name for field, name in known.items()})
    chosen_series = f'__name__=~"{"|".join(series)}",experiment="{setting.family}"'
    return [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
        {
            **_query("namespace", f"label_values({{{chosen_series}}}, namespace)"),
            "current": {"text": setting.namespace, "value": setting.namespace},
        },
        {
            **_query("run", f'label_values({{{chosen_series},namespace="$namespace"}}, run)'),
            "multi": True,
            "includeAll": True,
            "current": {"text": "All", "value": "$__all"},
        },
    ]


def _query(name: str, query: str) -> Tree:
    return {
        "name": name,
        "type": "query",
        "label": name.capitalize(),
        "datasource": _SOURCE,
        "query": query,
        "refresh": 2,
        "sort": 1,
    }


def _panel(position: int, measure: Measure, bounds: AlertBounds, known: Names, setting: Setting) -> Tree:
    selector = f'namespace="$namespace",experiment="{setting.family}",run=~"$run"'
    row, column = divmod(position, _COLUMNS)
    return {
        "id": position + 1,
        "type": "timeseries",
        "title": measure.title,
        "datasource": _SOURCE,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {
            "defaults": {
                "unit": measure.grafana,
                "min": 0,
                **({"max": 100} if measure.unit == "%" else {}),
                "custom": {"thresholdsStyle": {"mode": "line"}},
                "thresholds": {"mode": "absolute", "steps": _steps(measure, bounds)},
            },
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": "A", "datasource": _SOURCE, "expr": expression(measure, known, selector), "legendFormat": "{{run}}"}
        ],
    }


def _steps(measure: Measure, bounds: AlertBounds) -> list[Tree]:
    """The colours from below to above; the lowest has no bound."""
    if measure.below:
        return [
            {"color": "red", "value": None},
            {"color": "orange", "value": bounds.critical},
            {"color": "green", "value": bounds.warning},
        ]
    return [
        {"color": "green", "value": None},
        {"color": "orange", "value": bounds.warning},
        {"color": "red", "value": bounds.critical},
    ]


def _indented(value: Tree, margin: str) -> str:
    """JSON as `json.dumps(value, indent=2, ensure_ascii=False)` writes it, whose encoder leaves cycles of objects."""
    deeper = margin + "  "
    if value.__class__ is dict and value:
        return "{" + ",".join(f"{deeper}{_text(key)}: {_indented(item, deeper)}" for key, item in value.items()) + margin + "}"
    if value.__class__ is list and value:
        return "[" + ",".join(deeper + _indented(item, deeper) for item in value) + margin + "]"
    return _text(value)


def _text(value: Tree) -> str:
    return json.dumps(value, ensure_ascii=False)
