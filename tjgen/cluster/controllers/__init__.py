"""A manifest -> the objects that the controller of its kind creates, for every controller between a run and its pods.

`creation.py` is the way in. Each other module is one controller and has a function `create`; `kinds` names the module of a kind.
"""
