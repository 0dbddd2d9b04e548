"""The stores that hold objects: how they are reached, how long they are waited for, what they say.

A store is that of a bucket, ``s3://bucket``, ``gs://bucket`` or ``az://container``. Credentials and
endpoint come from the environment (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL`` …) and are nowhere
stored or shown. A store that does not answer is asked again with growing pauses for ``PATIENCE``
seconds, by this program and by LanceDB alike; only the first contact of a command is short, so that
a wrong address is told at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from ..errors import StorageError
from ..names import need

PATIENCE = 60.0  # seconds for which a store that does not answer is asked again
FIRST_PATIENCE = 15.0  # the same for the first question
_TIMEOUT = 120.0  # seconds for one answer; less for those who have little patience
_CONNECT = 5.0  # seconds for the connection
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those of your store"
# What error messages have in them, and what is told: never the message itself, which may hold keys.
_REASONS = (
    (r"NoSuchBucket|ContainerNotFound|bucket does not exist", "there is no such bucket"),
    (r"\b40[13] (?:Forbidden|Unauthorized)|status: 40[13]|AccessDenied|InvalidAccessKeyId"
     r"|SignatureDoesNotMatch|PermissionDenied|Unauthenticated",
     "refused: the store does not accept these credentials"),
    (r"(?i)instance metadata|169\.254|credentials", f"no credentials: {_CREDENTIALS}"),
    (r"301 Moved|PermanentRedirect|AuthorizationHeaderMalformed",
     "the bucket is of another region: set AWS_REGION"),
    (r"\bRetry|(?i:connect|timed? ?out|error sending request)", "the store cannot be reached"),
)  # fmt: skip


@lru_cache(maxsize=64)
def store_of(scheme: str, bucket: str, patience: float = PATIENCE) -> Any:
    """The store of a bucket; that of ``memory`` is one per process."""
    stores = need("obstore.store")
    if scheme == "memory":
        return _memory(bucket)
    seconds = timedelta(seconds=patience)
    slowly = {
        "init_backoff": timedelta(seconds=0.2),
        "max_backoff": timedelta(seconds=5),
        "base": 2,
    }
    return stores.from_url(
        f"{scheme}://{bucket}",
        client_options={
            "allow_http": _may_be_http(),
            "timeout": timedelta(seconds=min(_TIMEOUT, max(_CONNECT, 2 * patience))),
            "connect_timeout": timedelta(seconds=_CONNECT),
        },
        retry_config={"max_retries": 1000, "retry_timeout": seconds, "backoff": slowly},
    )


@lru_cache(maxsize=64)
def _memory(bucket: str) -> Any:
    return need("obstore.store").MemoryStore()


def lance_options() -> dict[str, str]:
    """How LanceDB reaches a store; credentials it takes from the environment by itself."""
    return {
        "allow_http": str(_may_be_http()).lower(),
        "client_max_retries": "1000",
        "client_retry_timeout": f"{PATIENCE:.0f}",
    }


@contextmanager
def answering(address: object) -> Iterator[None]:
    """Raise what a store refuses as a StorageError in one line; what is not there is not found."""
    errors = need("obstore.exceptions")
    try:
        yield
    except (FileNotFoundError, errors.NotFoundError) as error:
        if "NoSuchBucket" in str(error):
            raise StorageError(f"{address}: {explained(error)}") from error
        raise FileNotFoundError(2, "there is no such object", str(address)) from error
    except (errors.AlreadyExistsError, errors.PreconditionError):
        raise
    except (errors.BaseError, OSError, ValueError) as error:
        raise StorageError(f"{address}: {explained(error)}") from error


def explained(error: BaseException) -> str:
    """What went wrong, without the keys and addresses that stores have in their messages."""
    text = str(error)
    code = _CODE.search(text)
    for pattern, reason in _REASONS:
        if re.search(pattern, text):
            shown = f" ({code[1]})" if code else ""
            endpoint = f" at {_endpoint()}" if "reached" in reason and _endpoint() else ""
            return f"{reason}{endpoint}{shown}"
    return f"the store answers {code[1]}" if code else text.strip().partition("\n")[0][:200]


def _endpoint() -> str:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def _may_be_http() -> bool:
    """Whether requests may go unencrypted: to this machine, or where the user says so."""
    said = os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true", "yes")
    parts = urlsplit(_endpoint())
    return said or (parts.scheme == "http" and (parts.hostname or "") in _LOOPBACK)
