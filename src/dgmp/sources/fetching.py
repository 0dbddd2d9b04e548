"""Answers of web services, fetched politely and once.

What is in the cache is not asked for again. Else a turn is waited for (:mod:`.turns`), and a
service that is busy, slow or down is asked again after a growing pause, or after the time that it
asks for itself (``Retry-After``). Only http and https, also after redirects; only public addresses
(:mod:`.connections`), except on the host that the user has given; answers are bounded in bytes and
seconds. What fails for now raises :class:`~dgmp.errors.Unreachable`, what fails for good
:class:`~dgmp.errors.ImageError`.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from ..errors import ImageError, Unreachable
from ..names import need
from .answer_cache import AnswerCache
from .turns import Host, Politeness, machines

if TYPE_CHECKING:
    import httpx

POLITENESS = Politeness()
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_PIECE = 1_000_000  # bytes of an answer that are unpacked at once
_WEB_PORTS = (None, 80, 443)
_REASONS = {
    401: "may not be read: the service asks for a password",
    403: "may not be read: the service forbids it",
    404: "missing: the service has no such thing",
    410: "missing: the service has no such thing any more",
}

Check = Callable[[Path], object]  # raises ImageError for an answer that must not be kept


def fetch(
    address: str,
    *,
    most_bytes: int,
    given: str = "",
    check: Check | None = None,
    max_age: float | None = None,
) -> Path:
    """The file with the answer of an address, out of the cache or asked for now.

    ``given`` is the address that the user has named: its host may be in a private network.
    ``max_age`` in seconds: an older answer is asked for again.
    """
    cache = AnswerCache.of_user()
    kept = cache.find(address, max_age)
    if kept is not None:
        return kept
    need("httpx")
    politeness = POLITENESS.shared(machines())
    for attempt in range(politeness.attempts):
        if attempt:
            time.sleep(politeness.backoff * 2 ** (attempt - 1))
        try:
            return _Request(address, given, most_bytes, check, cache, politeness).send()
        except _NotNow as error:
            failure = error
    failure.host.failed(politeness, failure.why)
    if failure.not_connected:
        failure.host.leave_alone(politeness.pause, failure.why)
    raise Unreachable(address, failure.why)


def place(address: str) -> tuple[str, int | None]:
    """Host and port of an address; http and https are one place. ``("", None)``: no host."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", None
    return (parts.hostname or "").lower(), None if port in _WEB_PORTS else port


class _NotNow(Exception):
    """A request that may work later."""

    def __init__(self, host: Host, why: str, *, not_connected: bool = False) -> None:
        super().__init__(why)
        self.host, self.why, self.not_connected = host, why, not_connected


class _Request:
    """One attempt to get an answer, redirects included."""

    def __init__(
        self,
        address: str,
        given: str,
        most_bytes: int,
        check: Check | None,
        cache: AnswerCache,
        politeness: Politeness,
    ) -> None:
        self.address, self.given, self.most_bytes = address, given, most_bytes
        self.check, self.cache, self.politeness = check, cache, politeness

    def send(self) -> Path:
        target = self.address
        for _ in range(self.politeness.redirects + 1):
            found = self._ask(target)
            if isinstance(found, Path):
                return found
            target = found
        raise ImageError(self.address, f"refused: more than {self.politeness.redirects} redirects")

    def _ask(self, target: str) -> Path | str:
        """The answer, or where to go instead."""
        from . import connections

        name, port = self._place(target)
        private = bool(name) and (name, port) == place(self.given)
        host = Host(self.cache.folder, name)
        with host.turn(self.politeness, self.address):
            try:
                with (
                    connections.open_client(self.politeness, private=private) as client,
                    client.stream("GET", target) as response,
                ):
                    return self._take(response, target, host)
            except connections.PrivateAddress as error:
                raise ImageError(
                    self.address,
                    f"refused: {name} has the private address {error}, and only the host of an "
                    "address that was given by hand may have one",
                ) from error
            except connections.TookTooLong as error:
                why = f"unreachable: no whole answer in {self.politeness.total:g} s"
                host.failed(self.politeness, why)
                raise Unreachable(self.address, why) from error
            except connections.FAILURES as error:
                why = f"unreachable: {str(error) or type(error).__name__}"
                lost = isinstance(error, connections.NOT_CONNECTED)
                raise _NotNow(host, why, not_connected=lost) from error
            except (need("httpx").InvalidURL, zlib.error) as error:
                raise ImageError(self.address, f"broken: {error}") from error

    def _place(self, target: str) -> tuple[str, int | None]:
        scheme = target.partition(":")[0].lower()
        name, port = place(target)
        if scheme not in ("http", "https") or not name:
            where = "" if target == self.address else f", redirected to {target[:200]}"
            raise ImageError(self.address, f"refused: only http and https are asked{where}")
        return name, port

    def _take(self, response: httpx.Response, target: str, host: Host) -> Path | str:
        status = response.status_code
        if response.has_redirect_location:
            return urljoin(target, response.headers["location"])
        if status in _AGAIN:
            self._wait_as_told(response, host)
            raise _NotNow(host, f"unreachable: the service answers {status}")
        host.answered()
        if status != 200:
            reason = _REASONS.get(status, f"refused: the service answers {status}")
            raise ImageError(self.address, reason)
        self._check_length(int(response.headers.get("content-length") or 0))
        with self.cache.writing(self.address) as file:
            length = 0
            for chunk in self._unpacked(response):
                length += len(chunk)
                self._check_length(length)
                file.write(chunk)
            file.flush()
            if self.check is not None:
                self.check(Path(file.name))
        found = self.cache.find(self.address)
        if found is None:
            raise ImageError(self.address, f"{self.cache.folder}: too small for it")
        return found

    def _unpacked(self, response: httpx.Response) -> Iterator[bytes]:
        """The answer in pieces; httpx would unpack a few bytes into gigabytes at once."""
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing in ("", "identity"):
            return response.iter_raw()
        if packing != "gzip":
            raise ImageError(
                self.address, f"refused: packed by {packing[:80]!r}, only gzip is unpacked"
            )
        return _inflated(response.iter_raw())

    def _wait_as_told(self, response: httpx.Response, host: Host) -> None:
        told = _retry_after(response.headers.get("retry-after", ""))
        if told is None:
            return
        if told > self.politeness.longest_wait:
            why = f"unreachable: the service asks to come back in {told:.0f} s"
            host.leave_alone(told, why)
            raise Unreachable(self.address, why)
        host.wait(told)

    def _check_length(self, length: int) -> None:
        if length > self.most_bytes:
            raise ImageError(
                self.address, f"too large: the limit is {self.most_bytes / 1e6:g} million bytes"
            )


def _inflated(packed: Iterable[bytes]) -> Iterator[bytes]:
    """What gzip packed, at most ``_PIECE`` bytes at a time."""
    inflate = zlib.decompressobj(zlib.MAX_WBITS + 16)
    for data in packed:
        while data and not inflate.eof:
            yield inflate.decompress(data, _PIECE)
            data = inflate.unconsumed_tail
    if not inflate.eof:
        raise zlib.error("the end of what gzip packed is missing")


def _retry_after(text: str) -> float | None:
    """Seconds, as a number or by a date; None for anything else."""
    try:
        return max(float(text), 0.0) if text.strip() else None
    except ValueError:
        pass
    try:
        date: Any = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max((date - datetime.now(UTC)).total_seconds(), 0.0)
