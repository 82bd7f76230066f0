"""How a value of a trace is shown: recognised, cut to a budget, and made safe. Plain Python.

Everything that leaves here as `Html` has been escaped, with invisible characters as marks; nothing
in it loads anything, and links lead to a notice page first.
"""
