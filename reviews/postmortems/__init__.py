"""The signed document of a verdict: built, signed, exported, and verified by anyone, offline.

`signing` and `verify` know no Django: what they need is in the file and in this folder.
"""
