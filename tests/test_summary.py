"""`tjgen build --summary` of sliced data: how even the slices are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: sum, namespace: data}
spec:
  runtime: tjgen-plain
  naming: fixed
  command: [count]
  nodes: 2
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
"""
DATA = """
  data:
    volume: corpus
    items: {list: %s}
    slices: %s
"""
SIZED = "[{path: a, size: 3Gi}, {path: b, size: 512Mi}, {path: c, size: 512Mi}]"
HEADER = ["RUN", "BY", "SLICES", "ITEMS", "FEWEST", "MOST", "SMALLEST", "LARGEST", "LARGEST/MEAN", "LEFT", "OUT", "REPEATED"]


@pytest.mark.parametrize(
    ("items", "slices", "row"),
    [
        pytest.param(SIZED, "{by: lpt}", "sum lpt 2 3 1 2 1.0Gi 3.0Gi 1.500 - -", id="by size"),
        pytest.param("[a, b, c]", "{}", "sum contiguous 2 3 1 2 - - 1.333 - -", id="without sizes"),
        pytest.param("[a, b, c]", "{remainder: drop}", "sum contiguous 2 3 1 1 - - 1.000 1 -", id="one left out"),
        pytest.param("[a, b, c]", "{remainder: pad}", "sum contiguous 2 3 2 2 - - 1.000 - 1", id="one twice"),
        pytest.param(
            "[{path: a, size: 1000}, {path: b, size: 24}]", "{}", "sum contiguous 2 2 1 1 24 1000 1.953 - -", id="bytes"
        ),
        pytest.param(
            "[a, b, c, d, e, f, g, h, i]",
            "{over: processes, workers: 2}",
            "sum contiguous 2 9 2 3 - - 1.333 - -",
            id="two readers of each node",
        ),
        pytest.param(
            "[{path: a, size: 8}, {path: b, size: 4}, {path: c, size: 4}, {path: d, size: 2}, {path: e, size: 2}]",
            "{by: lpt, over: processes, workers: 2}",
            "sum lpt 2 5 1 2 2 8 1.600 - -",
            id="bytes of two readers of each node",
        ),
        pytest.param(
            "[{path: a, size: 1}, {path: b, size: 1}, {path: c, size: 9}, {path: d, size: 9}]",
            "{workers: 2, remainder: drop}",
            "sum contiguous 2 4 1 1 1 9 1.800 - -",
            id="bytes of readers of which each has one item",
        ),
    ],
)
def test_how_even_slices_are(items: str, slices: str, row: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % (items, slices))
    answer = tjgen(tmp_path, "build", "experiment.yaml", "--summary")
    assert answer.code == 0
    is_kept, ratio = "remainder" not in slices, float(row.split()[-3])
    assert ("TJ237" in answer.err) is (is_kept and ratio > 1.25)
    assert answer.err == "" or is_kept
    _, _, table = answer.out.partition("\n\n")
    assert [line.split() for line in table.splitlines()] == [HEADER, row.split()]


@pytest.mark.parametrize(
    ("items", "slices", "parts", "hint"),
    [
        pytest.param("[a, b, c]", "{}", "node reads 2 items, another 1", "set remainder: pad or drop for parts", id="items"),
        pytest.param("[a, b, c]", "{deliver: configMap}", "node reads 2 items, another 1", "remainder: pad or drop", id="files"),
        pytest.param(
            "[a, b, c, d, e]", "{over: processes, workers: 2}", "worker reads 2 items, another 1", "remainder", id="workers"
        ),
        pytest.param(
            "[{path: a, size: 9}, {path: b, size: 1}]", "{}", "node reads 9 bytes, another 1", "set by: lpt", id="bytes"
        ),
        pytest.param(
            "[{path: a, size: 9}, {path: b, size: 1}]",
            "{by: lpt}",
            "node reads 9 bytes, another 1",
            "use more and smaller items",
            id="bytes that a strategy cannot divide evenly",
        ),
    ],
)
def test_uneven_parts_are_reported(items: str, slices: str, parts: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % (items, slices))
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    assert f"warning[TJ237] experiment.yaml:16:13: the parts are uneven: one {parts}" in answer.err
    assert hint in answer.err
    balance = re.search(r"a balance, such as ([0-9.]+)", answer.err)
    assert balance is not None
    accepted = slices.replace("}", f", balance: {balance[1]}}}").replace("{, ", "{")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % (items, accepted))
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.parametrize(
    "slices",
    [
        "{remainder: pad}",
        "{remainder: drop}",
        "{by: weighted, weights: [2, 1]}",
        "{by: explicit, lists: [[a, b], [c]]}",
        "{virtual: 2}",
        "{balance: 1.4}",
    ],
)
def test_chosen_parts_are_not_reported(slices: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % ("[a, b, c]", slices))
    assert "TJ237" not in tjgen(tmp_path, "build", "experiment.yaml").err


def test_uneven_ranges_are_reported(tmp_path: Path) -> None:
    text = (EXPERIMENT + DATA % ("[]", "{deliver: range}")).replace("{list: []}", "{count: 3}")
    (tmp_path / "experiment.yaml").write_text(text)
    err = tjgen(tmp_path, "build", "experiment.yaml").err
    assert "one node reads 2 items, another 1" in err
    assert "set remainder: drop for parts of equal number" in err


def test_there_is_no_table_where_nothing_is_sliced(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    assert "\n\n" not in tjgen(tmp_path, "build", "experiment.yaml", "--summary").out


PROJECT = """
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  platforms: [lab.yaml, main.yaml]
  environments:
    dev: {namespace: dev, platform: lab}
    test: {namespace: test, platform: lab}
    prod: {namespace: prod, platform: main}
"""
PLATFORM = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: %s}\nspec: {}\n"
OF_TEAM = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s, labels: {team: %s}}
spec: {runtime: tjgen-torch, naming: fixed, image: registry.example.com/a:1, script: train.py, gpu: "h100:%s", sharedMemory: 1Gi}
"""


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT)
    for name in ("lab", "main"):
        (tmp_path / f"{name}.yaml").write_text(PLATFORM % name)
    for name, team, devices in (("one", "vision", 1), ("two", "nlp", 2)):
        (tmp_path / f"experiments/{name}.yaml").write_text(OF_TEAM % (name, team, devices))
    return tmp_path


def test_each_cluster_has_totals_of_its_own(clusters: Path) -> None:
    answer = tjgen(clusters, "build", "--summary", "-q")
    assert [line.split() for line in answer.out.splitlines()] == [
        ["ENVIRONMENT", "NAMESPACE", "EXPERIMENT", "RUN", "STATE", "CLASS", "PODS", "nvidia.com/gpu", "STORAGE"],
        ["dev", "dev", "one", "one", "current", "h100", "1", "1", "-"],
        ["prod", "prod", "one", "one", "current", "h100", "1", "1", "-"],
        ["test", "test", "one", "one", "current", "h100", "1", "1", "-"],
        ["dev", "dev", "two", "two", "current", "h100", "1", "2", "-"],
        ["prod", "prod", "two", "two", "current", "h100", "1", "2", "-"],
        ["test", "test", "two", "two", "current", "h100", "1", "2", "-"],
        ["cluster", "lab", "TOTAL", "all", "4", "6", "-"],
        ["cluster", "lab", "TOTAL", "of", "environment", "dev", "all", "2", "3", "-"],
        ["cluster", "lab", "TOTAL", "of", "environment", "test", "all", "2", "3", "-"],
        ["cluster", "lab", "TOTAL", "of", "team", "nlp", "all", "2", "4", "-"],
        ["cluster", "lab", "TOTAL", "of", "team", "vision", "all", "2", "2", "-"],
        ["prod", "TOTAL", "all", "2", "3", "-"],
        ["prod", "TOTAL", "of", "team", "nlp", "all", "1", "2", "-"],
        ["prod", "TOTAL", "of", "team", "vision", "all", "1", "1", "-"],
    ]


def test_columns_are_aligned(clusters: Path) -> None:
    head, *lines = tjgen(clusters, "build", "--summary", "-q").out.splitlines()
    ends = [head.index(name) + len(name) for name in ("PODS", "nvidia.com/gpu", "STORAGE")]
    assert all(
        len(line) == ends[-1] and all(line[end - 1] != " " and line[end : end + 1] in ("", " ") for end in ends) for line in lines
    )


def test_data_for_programs_combines_no_clusters(clusters: Path) -> None:
    found = json.loads(tjgen(clusters, "build", "--summary", "-q", "--format", "json").out)
    assert (found["total"], found["totals"]) == (None, None)
    assert {name: one["total"]["requests"]["nvidia.com/gpu"] for name, one in found["clusters"].items()} == {
        "lab": "6",
        "main": "3",
    }
    assert found["clusters"]["lab"]["teams"]["nlp"]["requests"]["nvidia.com/gpu"] == "4"
    own = {key: found["runs"][0][key] for key in ("name", "environment", "cluster", "namespace", "experiment", "class", "team")}
    assert [*own.values()] == ["one", "dev", "lab", "dev", "one", "h100", "vision"]


def test_one_cluster_has_one_total(clusters: Path) -> None:
    found = json.loads(tjgen(clusters, "build", "--summary", "-q", "--format", "json", "--env", "dev").out)
    assert found["total"] == found["clusters"]["lab"]["total"]


PRICES = "spec: {prices: {currency: %s, devices: {%s}}}"


@pytest.fixture
def priced(clusters: Path) -> Path:
    """Two clusters with prices in different currencies; experiment two has a deadline."""
    for name, currency, prices in (("lab", "EUR", "h100: 3.5"), ("main", "USD", 'h100: "4"')):
        (clusters / f"{name}.yaml").write_text((PLATFORM % name).replace("spec: {}", PRICES % (currency, prices)))
    two = clusters / "experiments/two.yaml"
    two.write_text(two.read_text().replace("naming: fixed", "naming: fixed, deadline: 90m"))
    return clusters


def _costs(text: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The words of each line before the first amount -> its last two cells."""
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text.splitlines()[1:]]
    return {tuple(row[:-5]): tuple(row[-2:]) for row in rows}


def test_a_run_has_the_cost_of_its_devices_for_an_hour_and_up_to_its_deadline(priced: Path) -> None:
    answer = tjgen(priced, "build", "--summary", "-q")
    assert answer.out.splitlines()[0].endswith("  COST/HOUR  COST AT MOST")
    costs = _costs(answer.out)
    assert costs["dev", "dev", "one", "one", "current", "h100"] == ("3.50 EUR", "-")
    assert costs["dev", "dev", "two", "two", "current", "h100"] == ("7.00 EUR", "10.50 EUR")
    assert costs["prod", "prod", "two", "two", "current", "h100"] == ("8.00 USD", "12.00 USD")


def test_totals_of_cost_are_of_one_cluster_and_one_currency(priced: Path) -> None:
    costs = _costs(tjgen(priced, "build", "--summary", "-q").out)
    assert costs["cluster lab", "TOTAL", "all"] == ("21.00 EUR", "-")
    assert costs["cluster lab", "TOTAL of environment dev", "all"] == ("10.50 EUR", "-")
    assert costs["cluster lab", "TOTAL of team nlp", "all"] == ("14.00 EUR", "21.00 EUR")
    assert costs["prod", "TOTAL", "all"] == ("12.00 USD", "-")
    found = json.loads(tjgen(priced, "build", "--summary", "-q", "--format", "json").out)
    assert found["total"] is None
    assert found["clusters"]["lab"]["total"]["cost"] == {
        "currency": "EUR",
        "perHour": "21.00",
        "atMost": None,
        "unpricedDevices": 0,
        "storagePerMonth": None,
        "unpricedClaims": 0,
    }
    assert found["clusters"]["main"]["environments"]["prod"]["cost"]["perHour"] == "12.00"
    assert found["clusters"]["main"]["teams"]["nlp"]["cost"]["atMost"] == "12.00"


def test_devices_without_a_price_make_a_total_a_lower_bound(priced: Path) -> None:
    one = priced / "experiments/one.yaml"
    one.write_text(one.read_text().replace("h100:1", "a100:3"))
    costs = _costs(tjgen(priced, "build", "--summary", "-q", "--env", "dev").out)
    assert costs["dev", "dev", "one", "one", "current", "a100"] == ("-", "-")
    assert costs["dev", "TOTAL", "all"] == (">=7.00 EUR", "-")
    found = json.loads(tjgen(priced, "build", "--summary", "-q", "--env", "dev", "--format", "json").out)
    assert found["total"]["cost"]["unpricedDevices"] == 3


def test_superseded_runs_have_a_class_and_a_cost_and_stopped_ones_cost_nothing(priced: Path) -> None:
    for name in ("one", "two"):
        file = priced / f"experiments/{name}.yaml"
        file.write_text(file.read_text().replace("naming: fixed, ", ""))
    assert tjgen(priced, "build", "-q", "-o", "deploy", "--env", "dev").code == 0
    two = priced / "experiments/two.yaml"
    two.write_text(two.read_text().replace("train.py", "new.py"))
    assert tjgen(priced, "build", "-q", "-o", "deploy", "--env", "dev").code == 0
    costs = _costs(tjgen(priced, "build", "-q", "-o", "deploy", "--env", "dev", "--summary").out)
    (left,) = [words for words in costs if "superseded" in words and "two" in words]
    assert (left[-1], costs[left]) == ("h100", ("7.00 EUR", "10.50 EUR"))
    two.write_text(two.read_text().replace("deadline: 90m", "deadline: 90m, onSupersede: stop, state: suspended"))
    assert tjgen(priced, "build", "-q", "-o", "deploy", "--env", "dev").code == 0
    costs = _costs(tjgen(priced, "build", "-q", "-o", "deploy", "--env", "dev", "--summary").out)
    assert {words[4]: cost for words, cost in costs.items() if "two" in words}["suspended"] == ("-", "-")


@pytest.mark.parametrize(
    ("gpu", "priced_name", "hourly"),
    [
        pytest.param("{class: a100, count: 2, mig: 1g.10gb}", "a100/1g.10gb", "0.50 EUR", id="partitions"),
        pytest.param('"a100:2"', "a100", "0.50 EUR", id="whole devices"),
        pytest.param("2", "nvidia", "0.50 EUR", id="no class"),
    ],
)
def test_each_kind_of_device_has_a_price(clusters: Path, gpu: str, priced_name: str, hourly: str) -> None:
    (clusters / "lab.yaml").write_text((PLATFORM % "lab").replace("spec: {}", PRICES % ("EUR", f"{priced_name}: 0.25")))
    one = clusters / "experiments/one.yaml"
    one.write_text(one.read_text().replace('"h100:1"', gpu))
    costs = _costs(tjgen(clusters, "build", "--summary", "-q", "--env", "dev").out)
    (own,) = [cost for words, cost in costs.items() if "one" in words]
    assert own[0] == hourly


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        pytest.param(
            "currency: EUR, devices: {h10: 3}", 'error[TJ767] lab.yaml:4:42: the Platform has a price for "h10"', id="class"
        ),
        pytest.param("currency: euro, devices: {}", "write the three letters of ISO 4217, such as EUR", id="currency"),
        pytest.param("devices: {h100: 3}", "currency", id="no currency"),
        pytest.param("currency: EUR, devices: {h100: -3}", "lab.yaml:4:48", id="negative"),
        pytest.param(
            "currency: EUR, storage: {fast: 1}",
            "hint: if the cluster has it, add it to the Platform: `storageClasses: {fast: {}}`",
            id="storage class",
        ),
        pytest.param(
            "currency: EUR, storage: {fsat: 1}}, storageClasses: {fast: {}", 'hint: did you mean "fast"?', id="near storage class"
        ),
    ],
)
def test_wrong_prices_are_reported(clusters: Path, prices: str, message: str) -> None:
    (clusters / "lab.yaml").write_text((PLATFORM % "lab").replace("spec: {}", f"spec: {{prices: {{{prices}}}}}"))
    answer = tjgen(clusters, "build", "-o", "deploy")
    assert answer.code == 1
    assert message in answer.err
    assert not (clusters / "deploy").exists()


STORED = """\
spec:
  prices: {currency: EUR, storage: {fast: 0.25, other: 1}}
  newClaims: {storageClassName: other}
  storageClasses: {fast: {}, slow: {}}
  claims: {dev: {known: 2Ti}}
"""
CLAIM = "volumes: {out: {pvc: {create: {size: %s, accessModes: [ReadWriteMany]%s}}, mountPath: /out}%s}"
FAST = ", storageClassName: fast, scope: project"


@pytest.mark.parametrize(
    ("first", "second", "costs"),
    [
        pytest.param(
            CLAIM % ("100Gi", FAST, ""), CLAIM % ("8Gi", "", ""), ("25.00 EUR", "8.00 EUR", "33.00 EUR"), id="default class"
        ),
        pytest.param(
            CLAIM % ("100Gi", FAST, ""), CLAIM % ("100Gi", FAST, ""), ("25.00 EUR", "25.00 EUR", "25.00 EUR"), id="shared"
        ),
        pytest.param(
            CLAIM % ("4G", ", storageClassName: fast", ""),
            CLAIM % ("1Ti", ", storageClassName: slow", ""),
            ("0.93 EUR", "-", ">=0.93 EUR"),
            id="no price",
        ),
        pytest.param(
            CLAIM % ("4Gi", ", storageClassName: fast", ", data: {pvc: known, mountPath: /data}"),
            "state: archived, " + CLAIM % ("2Gi", ", storageClassName: fast", ""),
            (">=1.00 EUR", "0.50 EUR", ">=1.50 EUR"),
            id="existing claim, and no pods",
        ),
    ],
)
def test_claims_have_the_price_of_their_class_for_a_month(
    clusters: Path, first: str, second: str, costs: tuple[str, ...]
) -> None:
    (clusters / "lab.yaml").write_text((PLATFORM % "lab").replace("spec: {}\n", STORED))
    for name, more in (("one", first), ("two", second)):
        file = clusters / f"experiments/{name}.yaml"
        file.write_text(file.read_text().replace("naming: fixed", f"naming: fixed, {more}"))
    answer = tjgen(clusters, "build", "--summary", "-q", "--env", "dev")
    assert answer.out.splitlines()[0].endswith("  STORAGE/MONTH"), answer
    amounts = {tuple(line.split()[2:5]): line.split("  ")[-1].strip() for line in answer.out.splitlines()}
    one, two = (next(cost for words, cost in amounts.items() if name in words) for name in ("one", "two"))
    total = next(line.split("  ")[-1].strip() for line in answer.out.splitlines() if " TOTAL  " in line and " all " in line)
    assert (one, two, total) == costs, answer.out
    found = json.loads(tjgen(clusters, "build", "--summary", "-q", "--env", "dev", "--format", "json").out)
    cost = found["total"]["cost"]
    assert (cost["storagePerMonth"], cost["unpricedClaims"]) == (costs[2].strip(">= EUR"), costs[2].count(">="))
    assert tjgen(clusters, "report", "-o", "report.html", "--env", "dev").code == 0
    page = (clusters / "report.html").read_text()
    assert "<dt>Storage cost<dd>" + costs[0].replace(">", "&gt;") + " per month" in page


def _totals(text: str) -> list[str]:
    return [re.sub(" +", " ", line) for line in text.splitlines() if " TOTAL" in line]


def test_totals_are_of_the_groups_that_are_named(clusters: Path) -> None:
    one = clusters / "experiments/one.yaml"
    one.write_text(one.read_text().replace("{team: vision}", '{team: vision, cost-center: "12"}'))
    answer = tjgen(clusters, "build", "--summary", "-q", "--by", "label:cost-center", "--by", "namespace")
    assert _totals(answer.out) == [
        "cluster lab TOTAL all 4 6 -",
        "cluster lab TOTAL of no label cost-center all 2 4 -",
        "cluster lab TOTAL of label cost-center 12 all 2 2 -",
        "cluster lab TOTAL of namespace dev all 2 3 -",
        "cluster lab TOTAL of namespace test all 2 3 -",
        "prod TOTAL all 2 3 -",
        "prod TOTAL of no label cost-center all 1 2 -",
        "prod TOTAL of label cost-center 12 all 1 1 -",
        "prod TOTAL of namespace prod all 2 3 -",
    ]
    words = ("build", "--summary", "-q", "--format", "json", "--by", "label:cost-center", "--by", "team")
    found = json.loads(tjgen(clusters, *words).out)["clusters"]["lab"]["groups"]
    assert {name: {group: total["pods"] for group, total in groups.items()} for name, groups in found.items()} == {
        "label:cost-center": {"": 2, "12": 2},
        "team": {"nlp": 2, "vision": 2},
    }
    page = tjgen(clusters, "report", "--by", "label:cost-center").out
    assert "TOTAL of label cost-center 12<" in page
    assert "TOTAL of team" not in page


def test_groups_have_the_cost_of_their_runs(priced: Path) -> None:
    answer = tjgen(priced, "build", "--summary", "-q", "--by", "team")
    costs = _costs(answer.out)
    assert costs["cluster lab", "TOTAL of team vision", "all"] == ("7.00 EUR", "-")
    assert costs["prod", "TOTAL of team nlp", "all"] == ("8.00 USD", "12.00 USD")


def test_a_total_of_several_currencies_has_no_cost(priced: Path) -> None:
    """One cluster that two Platforms describe."""
    file = priced / "tjgen.yaml"
    file.write_text(file.read_text().replace("platform: ", "cluster: west, platform: "))
    answer = tjgen(priced, "build", "--summary", "-q", "--by", "environment")
    costs = _costs(answer.out)
    assert costs["cluster west", "TOTAL", "all"] == ("-", "-")
    assert costs["cluster west", "TOTAL of environment prod", "all"] == ("12.00 USD", "-")
    assert tjgen(priced, "report", "-o", "report.html").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--summary", "--by", "teem"],
            "--by takes project, team, environment, namespace or label:KEY, not teem; did you mean team?",
        ),
        (["--summary", "--by", "label:"], "--by label:: name part must be non-empty"),
        (["--summary", "--by", "label:a b"], "--by label:a b: name part must consist of alphanumeric characters"),
        (["--by", "team"], "--by needs --summary"),
    ],
)
def test_wrong_groups_are_refused(words: list[str], message: str, clusters: Path) -> None:
    answer = tjgen(clusters, "build", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"Error: {message}")
    assert "--summary" not in words or tjgen(clusters, "report", *words[1:]).err == answer.err
