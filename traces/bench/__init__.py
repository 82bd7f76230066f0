"""Measurements of the record: how fast it is written and asked, and what that costs.

A bench is a function that takes `quick` and yields figures. It measures, and never fails for
being slow: what must hold is tested elsewhere.
"""
