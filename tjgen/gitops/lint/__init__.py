"""Manifests -> problems in a GitOps sync; works on any manifests, independent of experiments.

| module | holds |
|---|---|
| `rule` | the parts of a rule: `Rule` (the facts of its page), `Finding`, `FieldEdit` (a fix as values) |
| `scene` | what a rule looks at: `Scene` with its `Item`s, those of before, the tools that sync |
| `kinds`, `sync` | which objects are runs; waves, hooks, options and marks in annotations |
| `rules/` | one module a rule, found by its name |
| `table` | the rules in their order |
| `reasons` | what of the known traps is not a rule here, and why |
| `reading` | files -> items |
| `units` | which files one Application or Kustomization syncs |
| `names` | how long the name of a JobSet may be |
| `suppress` | comments and annotations that silence a rule, with a reason |
| `engine` | rules over a scene -> diagnostics |
| `fix` | changes -> the text of the files |
"""
