"""The rules, one module each, which is called as the rule: `unmounted_claim.py` holds rule `unmounted-claim`.

`changed_objects.py` holds the rules on what the API server refuses of a change, one row of a table each.

To add a rule:

1. Write `<what_it_finds>.py` with `RULE = Rule(...)`, which has the next free code, and `check(scene) -> Iterator[Finding]`.
   The fields of `Rule` become the rule's page and its entry in the table of codes; `check` uses items and field paths,
   and the engine finds the lines.
   A rule that compares with the earlier state sets `against=True` and iterates over `scene.pairs()`, `scene.removed()` or
   `scene.added()`: it does not run without an earlier state.
   A rule that matters for one tool sets `tools=(ARGOCD,)`; if a property of a tool matters, read it in `scene.synctools`.
   `evidence` records how the fact was verified; a deduced fact is at most a warning. `source` is the URL of the code, page or
   issue that shows it, `since` the first release of tjgen with the rule.
   Where the remedy is mechanical, a finding carries `changes`: what to set or remove, where. The engine writes them.
2. Add `tests/gitops/lint/TJ6NN/bad/` and `good/` (more: `bad-<what>/`): manifests, for `against=True` the former ones in
   `before/`, and `arguments` where the command needs more than the folder. Run `.ci/accept`, and read `expected/findings.txt`.
   Where findings have changes, `expected/` gets the fixed files too.
3. Run `python -m docs.generate`: the page, the index and the table of codes.

Nothing else: rules are found by their file names.
"""
