"""The record: projects and their members, runs, steps, gaps, raw documents and the audit chain.

Traces come in through one door, `traces.ingest`, and are read back as a `Transcript`.
Nothing here knows about attributors or reviewers.
"""
