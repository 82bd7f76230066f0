POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(envelope: str, *, kind: str) -> str:
    return envelope
