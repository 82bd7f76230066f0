"""Measurements of machine proposals: attributors and alignment, in processor time."""
