"""Formats, and how bytes become runs. A module or a package for each format, and beside them:

`base` is the contract, `registry` knows the formats, `intake` leads from bytes to runs. `files`
opens what bytes are packed in, `records` reads loose JSON, `chat` reads messages, `spans` and
`dialects` read spans, `steps` puts together what was found.
"""
