"""The schemas as an editor uses them: completion, explanations and checks by the YAML language server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pytest

from tests.checkout import ROOT
from tests.program import tjgen

SERVER = shutil.which("yaml-language-server")
LONGEST = 300
"""Seconds."""
KINDS = ("experiment", "overlay", "platform", "project")

pytestmark = pytest.mark.skipif(SERVER is None, reason="needs yaml-language-server on the path (npm install --global)")


class Editor:
    """What an editor asks of a language server, over its standard streams."""

    def __init__(self, folder: Path, schemas: dict[str, str] | None = None) -> None:
        """`schemas`: pattern of files for each schema, as in the settings of an editor."""
        assert SERVER is not None
        (folder / ".schemas").mkdir()
        for kind in KINDS:
            (folder / ".schemas" / f"{kind}.json").write_text(tjgen(folder, "schema", kind).out, encoding="utf-8")
        self._folder = folder
        self._by_settings = schemas is not None
        yaml = {"validate": True, "completion": True, "hover": True, "schemaStore": {"enable": False}, "schemas": schemas or {}}
        self._settings: dict[str, Any] = {"yaml": yaml}
        self._number = 0
        self._process = subprocess.Popen([SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # A server that never answers shall fail a test, not stop it.
        self._limit = Timer(LONGEST, self._process.kill)
        self._limit.start()
        self._ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self._tell("initialized", {})
        self._tell("workspace/didChangeConfiguration", {"settings": self._settings})
        if self._by_settings:
            # The server asks for settings when it likes to; it has them as soon as it finds something wrong by a schema.
            uri = self.open("experiment", "unknown: 1\n")
            while not self._published(uri):
                pass

    def close(self) -> None:
        self._ask("shutdown", None)
        self._tell("exit", None)
        self._limit.cancel()
        self._process.wait(timeout=LONGEST)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def open(self, kind: str, text: str) -> str:
        """A document with a line that names its schema, as the how-to page has it, or where settings say its schema."""
        self._number += 1
        uri = (self._folder / f"{kind}s" / f"{self._number}.yaml").as_uri()
        line = "#" if self._by_settings else f"# yaml-language-server: $schema=../.schemas/{kind}.json"
        text = f"{line}\n{text}"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def complete(self, kind: str, text: str) -> list[str]:
        """What is offered at the end of the text."""
        uri = self.open(kind, text)
        lines = text.split("\n")
        position = {"line": len(lines), "character": len(lines[-1])}
        answer = self._ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
        return [item["label"] for item in answer["items"]]

    def explain(self, kind: str, text: str, word: str) -> str:
        """What is said of a word."""
        uri = self.open(kind, text)
        line, content = next((number, line) for number, line in enumerate(text.split("\n"), 1) if word in line)
        position = {"line": line, "character": content.index(word) + 1}
        answer = self._ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        return json.dumps(answer["contents"])

    def problems(self, kind: str, text: str) -> list[str]:
        """What is underlined."""
        return self._published(self.open(kind, text))

    def _published(self, uri: str) -> list[str]:
        """The next word of the server on a document."""
        while True:
            message = self._message()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return [one["message"] for one in message["params"]["diagnostics"]]

    def _ask(self, method: str, parameters: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._message()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def _tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream: IO[bytes] | None = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        stream.flush()

    def _message(self) -> Any:
        """The next message; what the server asks is answered: settings by their section, all else with nothing."""
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server has ended"
        message = json.loads(stream.read(length))
        if "method" in message and "id" in message:
            items = message["params"].get("items", []) if isinstance(message.get("params"), dict) else []
            self._send({"id": message["id"], "result": [self._settings.get(item.get("section")) for item in items] or None})
        return message


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    opened = Editor(tmp_path_factory.mktemp("editor"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor that knows by its settings which files have which schema, as those of the how-to page do."""
    page = (ROOT / "docs" / "how-to" / "editors.md").read_text(encoding="utf-8")
    (settings,) = (json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", page, re.M | re.S))
    opened = Editor(tmp_path_factory.mktemp("settled"), settings["yaml.schemas"])
    yield opened
    opened.close()


HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: mnist}\n"


@pytest.mark.parametrize(
    ("kind", "text", "offered"),
    [
        pytest.param("experiment", "apiVersion: ", {"tjgen.dev/v1alpha1"}, id="a version"),
        pytest.param("experiment", "", {"apiVersion", "kind", "metadata", "spec"}, id="fields of an experiment"),
        pytest.param("experiment", f"{HEAD}spec:\n  ", {"runtime", "image", "script", "volumes", "sweep"}, id="fields of a spec"),
        pytest.param("experiment", f"{HEAD}spec:\n  state: ", {"active", "suspended", "archived"}, id="values"),
        pytest.param(
            "experiment", f"{HEAD}spec:\n  volumes:\n    data:\n      ", {"pvc", "nfs", "mountPath"}, id="a volume by name"
        ),
        pytest.param("experiment", f"{HEAD}spec:\n  gpu:\n    ", {"class", "count"}, id="the long form of a short one"),
        pytest.param("overlay", "kind: Overlay\nspec:\n  experiment:\n    ", {"nodes", "env", "metadata"}, id="an overlay"),
        pytest.param("platform", "kind: Platform\nspec:\n  ", {"deviceClasses", "images", "queues"}, id="a platform"),
        pytest.param("project", "kind: Project\nspec:\n  gitops:\n    tool: ", {"argocd", "flux", "none"}, id="a project"),
    ],
)
def test_is_offered(editor: Editor, kind: str, text: str, offered: set[str]) -> None:
    assert offered <= set(editor.complete(kind, text))


def test_settings_say_which_files_are_meant(settled: Editor) -> None:
    assert "runtime" in settled.complete("experiment", f"{HEAD}spec:\n  ")
    assert "deviceClasses" in settled.complete("platform", "kind: Platform\nspec:\n  ")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("sharedMemory: 1Gi", "Size of /dev/shm."),
        ("nodes: 2", "Number of training nodes"),
        ("gpu: h100:8", "Devices for each pod"),
    ],
)
def test_a_field_is_explained(editor: Editor, field: str, said: str) -> None:
    assert said in editor.explain("experiment", f"{HEAD}spec:\n  {field}\n", field.partition(":")[0])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        pytest.param("imagee: x", "imagee", id="an unknown field"),
        pytest.param("nodes: none", "nteger", id="a wrong type"),
        pytest.param("state: started", "archived", id="a wrong value"),
    ],
)
def test_what_is_wrong_is_underlined(editor: Editor, spec: str, said: str) -> None:
    found = editor.problems("experiment", f"{HEAD}spec:\n  runtime: tjgen-torch\n  {spec}\n")
    assert len(found) == 1
    assert said in found[0]


def test_what_is_right_is_not(editor: Editor) -> None:
    text = f"{HEAD}spec:\n  runtime: tjgen-torch\n  gpu: h100:8\n  cpu: 4\n  env: {{A: 1, B: {{secret: s}}}}\n"
    assert editor.problems("experiment", text) == []
