"""Where payloads lie when they do not lie in the database."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from config.environment import BadSetting

NEEDED = ("storages", "boto3")
MISSING = (
    "INQUEST_PAYLOAD_BUCKET needs the packages of requirements/s3.txt: install them, or unset it to"
    " keep payloads in the database."
)


def of_payloads(*, bucket: str, endpoint: str) -> dict[str, dict[str, Any]]:
    """The storage for Django's STORAGES; none without a bucket. Raises BadSetting."""
    if not bucket:
        if endpoint:
            raise BadSetting("INQUEST_PAYLOAD_ENDPOINT is set, but no INQUEST_PAYLOAD_BUCKET.")
        return {}
    if not all(map(find_spec, NEEDED)):
        raise BadSetting(MISSING)
    options = {
        "bucket_name": bucket,
        "endpoint_url": endpoint or None,
        "default_acl": None,
        "file_overwrite": True,
        "gzip": False,
    }
    return {"payloads": {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}}
