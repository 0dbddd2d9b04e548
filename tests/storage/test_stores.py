"""What a store refuses is told in one line that holds no keys."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from dgmp.errors import StorageError
from dgmp.storage import explained, lance_options, reachable_path, stores

KEY = "AKIASECRETIVE"


def test_a_missing_bucket_is_named(s3):
    with pytest.raises(StorageError, match=r"^s3://nowhere: there is no such bucket"):
        reachable_path("s3://nowhere/catalogue")


def test_a_server_that_is_gone_is_named(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setattr("dgmp.storage.paths.FIRST_PATIENCE", 0.2)
    with pytest.raises(StorageError, match=r"gone: the store cannot be reached at http://127"):
        reachable_path("s3://gone/scans")


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self):
        body = (
            f"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId></Error>"
        )
        self.send_response(403)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def test_wrong_credentials_are_told_and_not_shown(monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), _Refusing)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with pytest.raises(StorageError, match="does not accept these credentials") as refused:
        reachable_path("s3://locked/scans")
    server.shutdown()
    server.server_close()
    assert "InvalidAccessKeyId" in str(refused.value)
    assert KEY not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_error_without_a_known_cause_is_told_by_its_code():
    assert explained(ValueError("<Error><Code>SlowDown</Code></Error>")) == (
        "the store answers SlowDown"
    )


def test_milliseconds_are_not_taken_for_a_refusal():
    text = "Error performing GET in 403.52ms, after 9 retries: error sending request"
    assert explained(RuntimeError(text)).startswith("the store cannot be reached")


@pytest.mark.parametrize(
    ("endpoint", "allowed"),
    [("http://127.0.0.1:9000", "true"), ("http://minio.example", "false"), ("", "false")],
)
def test_only_this_machine_is_asked_without_encryption(monkeypatch, endpoint, allowed):
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    assert lance_options()["allow_http"] == allowed
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    assert lance_options()["allow_http"] == "true"


def test_a_store_is_asked_again_for_longer_than_ten_seconds():
    assert stores.PATIENCE > 30
