"""The door for OTLP over HTTP: spans are stored before the sender is answered, and read later.

`inflating`, `ids`, `batches`, `scopes`, `protobuf`, `tolerant`, `plain_json`, `decoding`,
`answers` and `joining` know no database. `storing` makes a batch durable; `claiming`,
`assembling` and `settling` turn what waits into documents and runs.
"""
