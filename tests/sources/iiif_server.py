"""A small IIIF server on the loopback address: Presentation 2 and 3, Image API 2 and 3, and faults.

``server.faults[path]`` is a list of answers that come before the right one, or a function that
answers in its place for good; ``server.asked`` lists the paths of all requests with their times.
"""

import io
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from drawing import written
from PIL import Image

from dgmp.sources import fetching
from dgmp.sources.turns import Politeness

WIDTH, HEIGHT = 420, 300


class IiifServer(ThreadingHTTPServer):
    """Answers ``/NAME`` by ``documents``, and ``/image{2,3}/NAME/…`` by ``pictures``."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.documents = {}  # path -> JSON values, or bytes
        self.pictures = {}  # name -> grey pixels
        self.info = {}  # name -> what its info.json says besides
        self.faults = {}
        self.asked = []  # (path, time)
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self):
        return [path for path, _ in self.asked]

    def add_book(self, name, pages=3, version=3, label=None, labels=None):
        """A manifest ``/NAME.json`` whose canvases have a service each; gives its address."""
        make = _manifest_3 if version == 3 else _manifest_2
        names = [f"{name}-{number}" for number in range(pages)]
        for number, each in enumerate(names):
            self.pictures[each] = written(WIDTH, HEIGHT, seed=number)
        labels = labels or [f"{number + 1}r" for number in range(pages)]
        self.documents[f"/{name}.json"] = make(self.base, name, names, label or name, labels)
        return f"{self.base}/{name}.json"


@contextmanager
def serving():
    """A server that runs until the end of the block."""
    server = IiifServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status(code, **headers):
    """A fault: that status, with headers such as retry_after=1."""

    def answer(handler):
        handler.send(code, b"no", {key.replace("_", "-"): str(v) for key, v in headers.items()})

    return answer


def content(data, kind="image/jpeg"):
    """A fault: these bytes, whatever was asked for."""
    return lambda handler: handler.send(200, data, {"content-type": kind})


def slowly(seconds):
    """A fault: nothing for that long, then the end of the connection."""

    def answer(handler):
        time.sleep(seconds)
        handler.close_connection = True

    return answer


def trickling(pause=0.02):
    """A fault: an answer without end, a little at a time."""

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 1000)
                time.sleep(pause)
        except OSError:
            handler.close_connection = True

    return answer


def cut_off(handler):
    """A fault: half of what was announced."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b"x" * 500)
    handler.close_connection = True


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        with server.lock:
            server.asked.append((self.path, time.monotonic()))
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            fault = server.faults.get(self.path)
            if isinstance(fault, list):
                fault = fault.pop(0) if fault else None
        try:
            (fault or _Handler.answer)(self)
        except ConnectionError:
            self.close_connection = True
        finally:
            with server.lock:
                server.at_once -= 1

    def answer(self):
        found = self.server.documents.get(self.path)
        if found is not None:
            data = found if isinstance(found, bytes) else json.dumps(found).encode()
            return self.send(200, data, {"content-type": "application/json"})
        kind, _, rest = self.path.strip("/").partition("/")
        name, _, wanted = rest.partition("/")
        if kind not in ("image2", "image3") or name not in self.server.pictures:
            return self.send(404, b"no such thing")
        pixels = self.server.pictures[name]
        height, width = pixels.shape
        version = int(kind[-1])
        if wanted == "info.json":
            return self.send(200, json.dumps(self._info(kind, name, width, height)).encode())
        region, size, rotation, file = wanted.split("/")
        assert (region, rotation, file) == ("full", "0", "default.jpg")
        picture = Image.fromarray(pixels)
        if size != {2: "full", 3: "max"}[version]:
            across, _, down = size.partition(",")
            down = int(down) if down else round(height * int(across) / width)
            picture = picture.resize((int(across), down))
        stream = io.BytesIO()
        picture.save(stream, "JPEG")
        return self.send(200, stream.getvalue(), {"content-type": "image/jpeg"})

    def _info(self, kind, name, width, height):
        base = f"{self.server.base}/{kind}/{name}"
        head = {
            "image2": {
                "@context": "http://iiif.io/api/image/2/context.json",
                "@id": base,
                "profile": ["http://iiif.io/api/image/2/level2.json"],
            },
            "image3": {
                "@context": "http://iiif.io/api/image/3/context.json",
                "id": base,
                "type": "ImageService3",
                "profile": "level2",
            },
        }[kind]
        return head | {"width": width, "height": height} | self.server.info.get(name, {})

    def send(self, code, data, headers=None):
        self.send_response(code)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _manifest_3(base, name, names, label, labels):
    return {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"{base}/{name}.json",
        "type": "Manifest",
        "label": label if isinstance(label, dict) else {"none": [label]},
        "items": [
            {
                "id": f"{base}/{name}/canvas/{each}",
                "type": "Canvas",
                "label": {"none": [shown]},
                "width": WIDTH,
                "height": HEIGHT,
                "items": [
                    {
                        "type": "AnnotationPage",
                        "items": [
                            {
                                "type": "Annotation",
                                "motivation": "painting",
                                "body": {
                                    "id": f"{base}/image3/{each}/full/max/0/default.jpg",
                                    "type": "Image",
                                    "service": [
                                        {
                                            "id": f"{base}/image3/{each}",
                                            "type": "ImageService3",
                                            "profile": "level2",
                                        }
                                    ],
                                },
                            }
                        ],
                    }
                ],
            }
            for each, shown in zip(names, labels, strict=True)
        ],
    }


def _manifest_2(base, name, names, label, labels):
    return {
        "@context": "http://iiif.io/api/presentation/2/context.json",
        "@id": f"{base}/{name}.json",
        "@type": "sc:Manifest",
        "label": label,
        "sequences": [
            {
                "@type": "sc:Sequence",
                "canvases": [
                    {
                        "@id": f"{base}/{name}/canvas/{each}",
                        "@type": "sc:Canvas",
                        "label": shown,
                        "width": WIDTH,
                        "height": HEIGHT,
                        "images": [
                            {
                                "@type": "oa:Annotation",
                                "motivation": "sc:painting",
                                "resource": {
                                    "@id": f"{base}/image2/{each}/full/full/0/default.jpg",
                                    "@type": "dctypes:Image",
                                    "service": {
                                        "@context": "http://iiif.io/api/image/2/context.json",
                                        "@id": f"{base}/image2/{each}",
                                        "profile": "http://iiif.io/api/image/2/level2.json",
                                    },
                                },
                            }
                        ],
                    }
                    for each, shown in zip(names, labels, strict=True)
                ],
            }
        ],
    }


QUICK = Politeness(
    interval=0.0, attempts=3, backoff=0.01, longest_wait=2.0, pause=0.5, read=1.0, total=2.0
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own."""
    monkeypatch.setenv("DGMP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server(cache, monkeypatch):
    """A running server, and a client that is quick to ask again."""
    monkeypatch.setattr(fetching, "POLITENESS", QUICK)
    with serving() as running:
        yield running
