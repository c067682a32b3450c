"""A command -> random options for it, and command lines with words that nobody expects."""

from __future__ import annotations

from random import Random

from tests.fuzz.trees import SCALARS
from tjgen.cli.command import FLAG, MANY
from tjgen.cli.program import command_of

_VALUES: dict[str, tuple[str, ...]] = {
    "--set": (
        "nodes=2", "spec.nodes=x", "env.LR=1e-4", "gpu=l4", "spec=1", "=", "a", "a=", "spec.env[a]=1", "spec.volumes.x={a: 1}",
        "spec.pod=[", "spec.command[0]=x", "metadata.name=b", "spec.env={x: *a}", "spec.nodes=1e400",
        "spec.nodes=" + "9" * 5000, "a" * 2000 + "=1", "spec.tasks.x=1", "spec.matrix.lr=[1,2]", "spec.\udcff=1", "kind=X",
        "spec.memory=1Gi", "spec.memory=" + "9" * 4400, "spec..x=1", "[0]=1", "spec.script=a\nb", "spec.image=",
        "spec.target=jobset", "spec.runtime=x", "a[b=c]=1",
    ),
    "--env": ("dev", "prod", "x", "", "*", "\x1b[31m", "é"),
    "--trainer": ("2.0", "2.1", "2.2", "2.3", "v2.3.0", "9.9", "", "2", "x" * 300),
    "--from": ("2.0", "2.1", "dev", "x", "."),
    "--target": ("jobset", "volcanojob", "trainjob", "x"),
    "--keep": ("0", "1", "-1", "x", "9" * 5000, "1.5", ""),
    "--timeout": ("1", "0", "-1", "x", "nan", "inf", "1e400", "9" * 400, ""),
    "--platform": ("linux/amd64", "linux", "/", "a/b/c", ""),
    "--select": ("TJ601", "TJ6", "x", ""),
    "--ignore": ("TJ601", "TJ6", "x", ""),
    "--renew": ("a", "*", "", "[", "x"),
    "--insecure": ("127.0.0.1", "x", "", "[::1"),
    "--catalog": ("runtimes.yaml", "m.yaml", ".", "missing", ""),
    "--schemas": ("own", ".", "m.yaml", "missing"),
    "--against": ("before", ".", "HEAD", "m.yaml", "missing", "", "--all"),
    "--name": ("vision", "A B", "", "x" * 300, "é"),
    "--repository": ("https://git.example.com/a.git", "x", "", "a b"),
    "--hooks": ("https://git.example.com/t.git@v1", "x", "@", ""),
    "--expanded": ("-", "previews"),
    "--tree": ("deploy", ".", "missing"),
    "--svg": ("pictures", "a.yaml"),
    "--to": ("own", "catalog", "d.yaml", "a/b/c"),
    "--output": ("deploy", "out", "-", ".", "a.yaml", "m.yaml", "a/b", ""),
    "-C": (".", "missing", "a.yaml", "experiments"),
}  # fmt: skip


def options(random: Random, name: str) -> list[str]:
    """Some options of a command, most with values that fit, and most often none."""
    command, _ = command_of(name)
    chosen: list[str] = []
    if not command.options:
        return chosen
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        option = random.choice(command.options)
        flag = random.choice(option.flags)
        chosen.append(flag)
        if option.kind != FLAG:
            known = option.choices or _VALUES.get(option.flags[-1]) or ("x", "")
            value = random.choice(known) if random.random() < 0.95 else _odd(random)
            if flag.startswith("--") and random.random() < 0.3:
                chosen[-1] = f"{flag}={value}"
            else:
                chosen.append(value)
        if option.kind == MANY and random.random() < 0.2:
            chosen += chosen[-2:]
    return chosen


def odd_words(random: Random, line: list[str]) -> list[str]:
    """The command line with a word missing, twice, elsewhere, or of another kind."""
    for _ in range(random.choice((1, 1, 2))):
        at = random.randrange(len(line) + 1)
        kind = random.randrange(4)
        if kind == 0:
            line = [*line[:at], _odd(random), *line[at:]]
        elif kind == 1 and line:
            line = [*line[:at], *line[at + 1 :]]
        elif kind == 2:
            line = [*line[:at], *line[at - 1 :]]
        else:
            line = [
                *line[:at],
                random.choice(
                    ("--help", "--version", "--", "-", "--x", "-x", "--format=json", "-q", "--strict", "-o", "--set", "-C")
                ),
                *line[at:],
            ]
    return line


def _odd(random: Random) -> str:
    """A word that a shell can hand over: without NUL, and with bytes that are not UTF-8."""
    word = str(random.choice((*SCALARS, "\udcff"))).replace("\x00", "").replace("\ud800", "\udced")
    # Files that a command writes must stay in the scratch folder, and no folder outside of it is searched.
    return word.lstrip("/").replace("../", "").replace("..", ".")
