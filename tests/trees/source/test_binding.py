"""PyYAML is imported in part, unless it cannot be, and is whole for everybody else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.checkout import ROOT

WHOLE = """
import yaml
assert yaml.__with_libyaml__
assert yaml.safe_load("a: [1]") == {"a": [1]}
assert yaml.dump({"a": 1}, Dumper=yaml.CSafeDumper) == "a: 1\\n"
assert [token.__class__.__name__ for token in yaml.scan("a", yaml.CSafeLoader)][1:2] == ["ScalarToken"]
assert type(yaml.compose("a", yaml.CSafeLoader)) is yaml.nodes.ScalarNode
assert yaml.nodes.ScalarNode and yaml.tokens.Token and yaml.events.Event and yaml.error.YAMLError is yaml.YAMLError
for text, kind in {
    "a: [": yaml.parser.ParserError, "a: '": yaml.scanner.ScannerError, "a: *b": yaml.composer.ComposerError,
    "a: \\0": yaml.reader.ReaderError, "!!foo a": yaml.constructor.ConstructorError,
}.items():
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        try:
            yaml.load(text, loader)
        except yaml.YAMLError as error:
            assert type(error) is kind, (text, loader, type(error))
        else:
            raise AssertionError(text)
try:
    yaml.dump(object(), Dumper=yaml.CSafeDumper)
except yaml.representer.RepresenterError:
    pass
else:
    raise AssertionError
"""
READ = """
from tjgen.trees.source.reader import CORE, read
assert [d.value for d in read("a: [1, 'x']\\n---\\nb: no\\n", "f", CORE)[0]] == [{"a": [1, "x"]}, {"b": "no"}]
assert [d.code for d in read("a: [", "f", CORE)[1]] == ["TJ001"]
assert [d.code for d in read("a: \\0", "f", CORE)[1]] == ["TJ002"]
"""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(READ + WHOLE + READ, id="reader first, then PyYAML"),
        pytest.param(WHOLE + READ + WHOLE, id="PyYAML first, then the reader"),
        pytest.param(
            "from tjgen.trees.source import binding\nbinding._READ = ('error',)\n" + READ + WHOLE,
            id="a release that wants more modules",
        ),
        pytest.param(
            READ + "import yaml.scanner, sys\nassert yaml.scanner.Scanner\n" + WHOLE + READ, id="a module of PyYAML first"
        ),
        pytest.param(READ + "from yaml import safe_load\nassert safe_load('1') == 1\n" + WHOLE, id="a name of PyYAML first"),
        pytest.param(
            READ
            + "import sys\nassert not {'yaml.reader', 'yaml.scanner', 'yaml.resolver', 'yaml.constructor'} & set(sys.modules)",
            id="the Python half stays unread",
        ),
        pytest.param(
            "import sys\nsys.modules['yaml._yaml'] = None\n"
            + READ
            + "from tjgen.trees.source import libyaml, pure\nassert type(libyaml.parse('a')) is pure.PurePythonParser",
            id="no libyaml",
        ),
    ],
)
def test_in_a_process_of_its_own(program: str) -> None:
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
