"""Ray clusters that end with their program, and those that stay; what is said without one."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scribbles import draw_page

from dgmp.catalogue import Catalogue, is_catalogue
from dgmp.engines import RayCluster
from dgmp.errors import DgmpError, MissingExtra

DESCRIBE = """
from scribbles import StrokeDescriber
from dgmp.tasks import describing

describing.load_describer = lambda name: StrokeDescriber(seconds=SECONDS)
from dgmp.cli import main
if __name__ == "__main__":
    main()
"""
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a token of some length for a test"}
OLDER = "import ray\nray.__version__ = '2.0.0'\n"


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scans")
    for number in range(70):
        draw_page(number // 5, number % 5, folder / f"scan{number:03}.png")
    return folder


@pytest.fixture
def cluster(tmp_path):
    """The address of a cluster with two CPUs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
    command += [f"--port={port}", "--num-cpus=2", "--include-dashboard=false"]
    command += ["--disable-usage-stats", "--node-ip-address=127.0.0.1"]
    process = subprocess.Popen(
        command,
        env=environment(**TOKEN),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for line in process.stdout:
        if "Ray runtime started" in line:
            break
    yield f"127.0.0.1:{port}"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def environment(**more):
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


def describe(scans, catalogue, engine, before="", seconds=0.0, **variables):
    program = before + DESCRIBE.replace("SECONDS", str(seconds))
    command = [sys.executable, "-c", program, "describe", str(scans)]
    command += ["--catalogue", str(catalogue), "--engine", engine, "--cpus", "2"]
    return subprocess.Popen(
        command,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def descendants(pid):
    """Ids of the processes that a process has begun, and those have begun."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def title(pid):
    """The name under which a process runs; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().partition("\0")[0].strip()
    except OSError:
        return ""


def test_a_driver_that_is_killed_leaves_no_process_and_its_command_goes_on(scans, tmp_path):
    folder = tmp_path / "catalogue"
    process = describe(scans, folder, "ray", seconds=0.2)  # time to see and to kill it
    deadline = time.monotonic() + 240
    while not (is_catalogue(folder) and len(Catalogue.open(folder))):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    others = descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(others) > 4
    kept = len(Catalogue.open(folder))
    assert 0 < kept < 70
    again = describe(scans, folder, "ray")
    told, errors = again.communicate(timeout=240)
    assert again.returncode == 0, errors
    assert f"70 pages, {70 - kept} described now" in told
    ids = Catalogue.open(folder).descriptors().page_ids
    assert ids == tuple(f"scan{number:03}.png" for number in range(70))
    left = {title(pid) for pid in others} - {""}
    assert left <= {"ray::DashboardAgent", "ray::RuntimeEnvAgent"}  # these end within a minute


def test_a_cluster_at_an_address_stays_and_another_version_of_ray_is_refused(
    scans, tmp_path, cluster
):
    process = describe(scans, tmp_path / "catalogue", f"ray:{cluster}", **TOKEN)
    told, errors = process.communicate(timeout=240)
    assert "70 pages, 70 described now" in told, errors
    refused = describe(scans, tmp_path / "other", f"ray:{cluster}", OLDER, **TOKEN)
    told, errors = refused.communicate(timeout=240)
    assert refused.returncode == 1
    assert "Version mismatch" in errors.splitlines()[-1]
    host, _, port = cluster.partition(":")
    socket.create_connection((host, int(port)), 5).close()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:many"])
def test_an_address_without_a_cluster_is_an_error_that_names_it(address):
    with pytest.raises(DgmpError, match=f"^{address}: no Ray cluster answers there: "):
        list(RayCluster(address).map(len, ["a"]))


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[ray\]'"):
        list(RayCluster().map(len, ["a"]))


def test_fewer_than_one_actor_are_refused():
    with pytest.raises(ValueError, match="number must be at least 1 actor, got 0"):
        RayCluster(number=0)
