"""HTTP requests that go to public addresses only, and end in time.

A name is resolved here, the address is checked, and that address is connected to: a name that
changes between check and connection gains nothing. One connection per request, since a kept one
could be used for another name. Imported when something is fetched: it needs httpx.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import httpcore
import httpx

from .turns import Politeness

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
FAILURES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)
NOT_CONNECTED = (httpcore.ConnectError, httpcore.ConnectTimeout)


class PrivateAddress(Exception):
    """A name that leads into a private network."""


class TookTooLong(Exception):
    """An answer that did not end in time."""


def open_client(politeness: Politeness, *, private: bool) -> httpx.Client:
    """A client for one request; ``private`` says whether private addresses are allowed."""
    backend = _Backend(private, time.monotonic() + politeness.total)
    timeout = httpx.Timeout(politeness.read, connect=politeness.connect)
    headers = {"User-Agent": f"dgmp/{version('dgmp')}", "Accept-Encoding": "gzip"}
    # Proxies are not asked for: behind one, nobody here would see where a name leads.
    return httpx.Client(
        transport=_Transport(backend), timeout=timeout, headers=headers, trust_env=False
    )


def is_public(address: str) -> bool:
    """Whether an IP address is of the public network: not private, loopback or link-local."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast


class _Backend(httpcore.NetworkBackend):
    def __init__(self, private: bool, deadline: float) -> None:
        self._private, self._deadline = private, deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"no such host: {error}") from error
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        allowed = [each for each in addresses if self._private or is_public(each)]
        if not allowed:
            raise PrivateAddress(addresses[0])
        for address in allowed:
            try:
                with _in_time(timeout, self._deadline) as left:
                    stream = self._inner.connect_tcp(
                        address, port, left, local_address, socket_options
                    )
            except NOT_CONNECTED:
                if address == allowed[-1]:
                    raise
            else:
                return _Stream(stream, self._deadline)
        raise AssertionError("the last address returns or raises")


class _Stream(httpcore.NetworkStream):
    """A connection whose every step ends before the deadline of the whole."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _in_time(timeout, self._deadline) as left:
            return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _in_time(timeout, self._deadline) as left:
            self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        with _in_time(timeout, self._deadline) as left:
            inner = self._inner.start_tls(ssl_context, server_hostname, left)
        return _Stream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


@contextmanager
def _in_time(timeout: float | None, deadline: float) -> Iterator[float]:
    """The seconds that a step may take; TookTooLong where the deadline ends it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TookTooLong
    try:
        yield left if timeout is None else min(timeout, left)
    except httpcore.TimeoutException as error:
        if time.monotonic() >= deadline:
            raise TookTooLong from error
        raise


class _Transport(httpx.BaseTransport):
    """As httpx's own, with a network of ours below."""

    def __init__(self, backend: _Backend) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trusted(), max_keepalive_connections=0, network_backend=backend
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                url,
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """The certificates that the machine trusts, those of an institution among them."""
    return ssl.create_default_context()
