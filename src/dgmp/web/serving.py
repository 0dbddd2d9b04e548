"""A server for one catalogue, until Ctrl-C."""

from __future__ import annotations

import ctypes
import errno
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import DgmpError
from ..names import need
from ..storage import AnyPath
from .app import create_app
from .security import allowed_hosts, is_loopback, new_token, own_address

_MMAP_THRESHOLD = -3  # of glibc's malloc.h
_PATIENCE = 3  # seconds for which the end waits for answers under way


def serve(
    catalogue: AnyPath | str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    read_only: bool = False,
    model: Path | str | None = None,
    ready: Callable[[str], None],
    renewed: Callable[[str], None],
) -> None:
    """Show a catalogue at ``http://host:port`` until the process is interrupted.

    ``port`` 0 takes any that is free. ``ready`` is called with the address as soon as it answers.
    On a host that other machines reach, the address holds a token that lets in once; ``renewed``
    is then called with the address for the next.
    """
    uvicorn = need("uvicorn")
    _return_memory()
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        name = own_address() if host in ("0.0.0.0", "::") else host
        address = f"http://{f'[{name}]' if ':' in name else name}:{port}/"
        token = None if is_loopback(host) else new_token()
        app = create_app(
            catalogue,
            hosts=allowed_hosts(host, port),
            token=token,
            read_only=read_only,
            model=model,
            renewed=lambda token: renewed(f"{address}?token={token}"),
        )
        with suppress(DgmpError):  # what the first page needs; who asks for it gets the reason
            app.state.store.labels()
            app.state.store.hands()
        config = uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            proxy_headers=False,  # or whoever asks could say how it was reached
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=_PATIENCE,
        )
        ready(address if token is None else f"{address}?token={token}")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])


def _return_memory() -> None:
    """Let the C library give large arrays back to the system as soon as they are freed.

    By default it learns from the first large ones to keep them, in a heap for every thread.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library does as it does
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 2**20)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[
            0
        ]
    except (OSError, UnicodeError) as error:
        raise DgmpError(
            f"host must be a name or an address of this machine, got {host!r}"
        ) from error
    # With its protocol: asyncio sends without delay only where it knows that this is TCP.
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            why = "that is no address of this machine"
        elif error.errno in (errno.EADDRINUSE, errno.EACCES):
            why = f"{error.strerror}; give another port, as {max(port + 1, 8000)}"
        else:
            why = str(error.strerror)
        raise DgmpError(f"cannot listen at {host}:{port}: {why}") from error
    return listener
