"""Parts of experiments in overlays and platforms: nothing is required there, and every field is still known."""

from __future__ import annotations

import jsonschema

from tjgen.language.spec.jsonschema import json_schema


def test_a_field_may_be_called_like_a_keyword_of_json_schema() -> None:
    tree = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Platform",
        "metadata": {"name": "one"},
        "spec": {"defaults": {"schedule": {"topology": {"required": "rack"}}}},
    }
    jsonschema.Draft202012Validator(json_schema("platform")).validate(tree)
