"""Programs that read a run and propose candidates. Plain Python: no Django, no network.

`base` is the contract; every other module is one attributor. How to add one: docs/attributors.md.
"""
