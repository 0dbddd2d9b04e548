"""The files for clusters: valid, of one version, with commands that there are."""

import os
import re
import shlex
import tomllib
from pathlib import Path, PurePosixPath

import pytest
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config
from typer.main import get_command

from dgmp.cli import app

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COPIES = re.findall(r"^COPY --chown=ray:users (.+) (\S+)$", DOCKERFILE, re.MULTILINE)
COPIED = {name for names, _ in COPIES for name in names.split()}
RAY = re.search(r"^ray==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def cluster():
    return yaml.safe_load((DEPLOY / "ray-cluster.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def job():
    return yaml.safe_load((DEPLOY / "kuberay-job.yaml").read_text(encoding="utf-8"))


def pods(job):
    spec = job["spec"]["rayClusterSpec"]
    groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    return [container for group in groups for container in group["template"]["spec"]["containers"]]


def check_command(command):
    name, *words = shlex.split(command)[1:]
    get_command(app).commands[name].make_context(name, words)  # raises what it cannot place


def test_ray_finds_its_cluster_file_valid(cluster):
    validate_config(prepare_config(cluster))


def test_all_machines_run_the_image_that_the_docker_file_builds(cluster, job):
    images = {cluster["docker"]["image"], *(container["image"] for container in pods(job))}
    assert images == {re.search(r"docker build .* -t (\S+) ", DOCKERFILE)[1]}


def test_the_version_of_ray_is_the_tested_one(job):
    assert f"FROM rayproject/ray:{RAY}-py311-cpu" in DOCKERFILE
    assert job["spec"]["rayClusterSpec"]["rayVersion"] == RAY


def test_the_image_has_extras_that_there_are():
    extras = re.search(r"'\.\[(.+)\]'", DOCKERFILE)[1].split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])


def is_let_in(name):
    """Whether Docker sees a path: the last line says so that matches it or a folder it is in."""
    place, let_in = PurePosixPath("/", name), True
    for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines():
        pattern = f"/{line.removeprefix('!')}".removeprefix("/**/")
        if any(part.match(pattern) for part in (place, *place.parents)):
            let_in = line.startswith("!")
    return let_in


def built_from(package):
    """The paths that the pyproject.toml of a package names for its wheel."""
    about = tomllib.loads((ROOT / package / "pyproject.toml").read_text(encoding="utf-8"))
    project, hatch = about["project"], about["tool"]["hatch"]
    wheel = hatch["build"]["targets"]["wheel"]
    hooks = hatch.get("metadata", {}).get("hooks", {})
    names = [
        "pyproject.toml",
        *project["license-files"],
        *(hook["path"] for hook in hooks.values()),
    ]
    names += [project.get("readme", "README.md")]  # which the hook of dgmp reads
    names += [*wheel["packages"], *wheel.get("force-include", ())]
    return [os.path.normpath(PurePosixPath(package, name)) for name in names]


def test_all_that_is_copied_into_the_image_is_there_and_let_in():
    assert all((ROOT / name).exists() for name in COPIED)
    assert all(is_let_in(name) for name in COPIED)


def test_all_that_is_copied_keeps_its_path_in_the_image():
    assert all(place in ("./", f"./{names}") for names, place in COPIES)


@pytest.mark.parametrize("package", [".", "packages/dgmp-data"])
def test_the_image_has_all_that_the_wheels_are_built_from(package):
    for name in built_from(package):
        assert (ROOT / name).exists()
        assert COPIED & {name, *map(str, PurePosixPath(name).parents)}, name
        assert is_let_in(name), name


@pytest.mark.parametrize(
    "name", ["docs", "src/dgmp/__pycache__", ".git/config", "tests/drawing.py"]
)
def test_what_no_wheel_is_built_from_is_not_sent_to_docker(name):
    assert not is_let_in(name)


def test_the_job_runs_a_command_that_there_is_with_a_worker_for_every_cpu(job):
    command = job["spec"]["entrypoint"]
    check_command(command)
    group = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    cpus = int(pods(job)[1]["resources"]["requests"]["cpu"])
    assert f"--cpus {group['replicas'] * cpus}" in command


def test_the_command_in_the_cluster_file_is_one_that_there_is():
    text = (DEPLOY / "ray-cluster.yaml").read_text(encoding="utf-8")
    check_command(re.search(r"'(dgmp .+)'", text)[1])


def test_the_job_has_the_fields_that_kuberay_needs(job):
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    assert job["spec"]["rayClusterSpec"]["authOptions"] == {"mode": "token"}
    assert [container["name"] for container in pods(job)] == ["ray-head", "ray-worker"]
    for container in pods(job):
        assert container["resources"]["requests"] == container["resources"]["limits"]


def test_no_file_holds_a_secret():
    words = "|".join(("AWS_SECRET_ACCESS_KEY=[^…]", "auth_token: [^~]", "password"))
    assert not [f.name for f in DEPLOY.iterdir() if re.search(words, f.read_text("utf-8"))]
