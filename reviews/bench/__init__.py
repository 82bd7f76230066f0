"""Measurements of human judgement's side: taking cases in parallel, and pages. And all by name."""
