"""An S3 server on the loopback address: moto in a process of its own, behind a gate.

The gate passes connections on. Killed, it cuts off what is under way and refuses what comes, as a
server does that died; what it had taken stays, as in a store that keeps its objects on disks.
"""

import asyncio
import gc
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, nullcontext

import pytest

BUCKET = "scans"


class S3Server:
    """Runs until :meth:`close`; ``environment`` is what a client needs."""

    def __init__(self):
        self._moto, self.port = _free_port(), _free_port()
        self._server = _started("moto", self._moto)
        self._gate = None
        self.rise()
        _wait_for(f"http://127.0.0.1:{self._moto}/moto-api/", 60)
        self.make_bucket(BUCKET)

    @property
    def environment(self):
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing-at-all",
            "AWS_REGION": "us-east-1",
        }

    def make_bucket(self, name):
        address = f"http://127.0.0.1:{self._moto}/{name}"
        with urllib.request.urlopen(urllib.request.Request(address, method="PUT")):
            pass

    def die(self):
        """Kill -9 what clients are connected to."""
        self._gate.kill()
        self._gate.wait()

    def rise(self):
        """Be there again, at the same address."""
        self._gate = _started("gate", self.port, self._moto)
        _wait_for(f"http://127.0.0.1:{self.port}/moto-api/", 60, any_answer=True)

    def close(self):
        for process in (self._gate, self._server):
            process.kill()
            process.wait()


@contextmanager
def serving():
    """A server until the end of the block."""
    server = S3Server()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def s3_server():
    with serving() as server:
        yield server


@pytest.fixture
def s3(s3_server, monkeypatch):
    """The server, with the environment that leads to it."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server


def _free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def _started(*arguments):
    return subprocess.Popen(
        [sys.executable, __file__, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={key: value for key, value in os.environ.items() if not key.startswith("AWS_")},
    )


def _wait_for(address, seconds, any_answer=False):
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError as error:  # cut off by a gate whose server is not there yet, or refused
            refused = "refused" in str(error)
            if any_answer and not refused:
                return
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


async def _pass_on(port, to):
    async def pump(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def connected(reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, back), pump(there, writer))

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    await server.serve_forever()


def _main(what, port, to=0):
    if what == "gate":
        asyncio.run(_pass_on(int(port), int(to)))
    _serve(int(port))


def _serve(port):
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    moto, one_at_a_time = DomainDispatcherApplication(create_backend_app), threading.Lock()

    def app(environ, start):
        # moto checks If-Match and If-None-Match and then writes; a store does both in one step.
        conditional = "HTTP_IF_MATCH" in environ or "HTTP_IF_NONE_MATCH" in environ
        with one_at_a_time if conditional else nullcontext():
            return moto(environ, start)

    gc.freeze()
    make_server("127.0.0.1", port, app, threaded=True).serve_forever()


if __name__ == "__main__":
    _main(*sys.argv[1:])
