"""Every page in order, wherever the work runs; errors come in their place."""

import os
import pickle
import signal
from pathlib import Path

import pytest
from cli.typed import done
from hands.many.conftest import add
from hands.writers import drawn
from scribbles import draw_page

from dgmp.catalogue import Catalogue, Head
from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages, load_describer
from dgmp.engines import Here, Processes, RayCluster, cores, engine_for, map_pages
from dgmp.errors import DgmpError, ImageError, UnknownName
from dgmp.hands import fit_calibration
from dgmp.records import Page
from dgmp.sources import FileSource
from dgmp.tasks import group, stored_hands

from . import work
from .work import (
    Deadly,
    Unknown,
    die_at_three,
    die_once_at_three,
    fail_at_three,
    length_of_id,
    opencv_threads,
    out_of_memory,
    process_id,
    read_here,
    refuse_three,
    slow_first,
)

WORKERS = {"processes": Processes(2), "ray": RayCluster(number=2)}
ENGINES = {"here": Here(), "one process": Processes(1), **WORKERS}
LOCAL = {name: engine for name, engine in ENGINES.items() if name != "ray"}
EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
EVERY_LOCAL_ENGINE = pytest.mark.parametrize("engine", LOCAL.values(), ids=LOCAL)
WITH_WORKERS = pytest.mark.parametrize("engine", WORKERS.values(), ids=WORKERS)
PAGES = [Page(f"{number:02}", FileSource(Path(f"{number:02}.png"))) for number in range(12)]


@EVERY_ENGINE
def test_results_come_with_their_pages_in_order(engine):
    expected = [(page, length_of_id(page)) for page in PAGES]
    assert list(map_pages(PAGES, length_of_id, engine)) == expected


@EVERY_LOCAL_ENGINE
def test_an_item_that_takes_long_keeps_its_place(engine):
    assert list(engine.map(slow_first, range(3))) == [(0, 0), (1, 1), (2, 2)]


@EVERY_LOCAL_ENGINE
def test_an_image_error_comes_back_in_the_place_of_the_result(engine):
    results = [result for _, result in map_pages(PAGES[:5], refuse_three, engine)]
    assert isinstance(results.pop(3), ImageError)
    assert results == ["00", "01", "02", "04"]


@EVERY_ENGINE
def test_an_image_error_comes_back_with_the_id_of_the_page(engine):
    ((_, error),) = map_pages(PAGES[3:4], refuse_three, engine)
    assert (error.file, error.reason) == ("03", "broken: for a test")


@EVERY_ENGINE
def test_an_error_of_the_program_is_raised(engine):
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(map_pages(PAGES, fail_at_three, engine))


@EVERY_ENGINE
def test_no_pages_have_no_results(engine):
    assert list(map_pages([], length_of_id, engine)) == []


@EVERY_ENGINE
def test_only_a_few_pages_are_under_way(engine):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield PAGES[0]

    results = map_pages(endless(), length_of_id, engine)
    for _ in range(3):
        next(results)
    results.close()
    assert len(taken) < 16


def test_without_an_engine_the_work_is_done_here():
    assert list(map_pages(PAGES[:1], process_id)) == [(PAGES[0], os.getpid())]


def test_a_function_that_cannot_be_pickled_runs_here():
    assert [result for _, result in Here().map(lambda n: n + 1, [1, 2])] == [2, 3]


def test_processes_are_others_than_this_one():
    results = {result for _, result in map_pages(PAGES[:3], process_id, Processes(1))}
    assert os.getpid() not in results


@WITH_WORKERS
def test_every_worker_has_one_thread(engine):
    assert list(map_pages(PAGES[:1], opencv_threads, engine)) == [(PAGES[0], 1)]


@WITH_WORKERS
def test_a_page_whose_worker_is_killed_is_done_again(engine):
    results = map_pages(PAGES, process_id, engine)
    first = next(results)
    os.kill(first[1], signal.SIGKILL)
    done = [first, *results]
    assert [page for page, _ in done] == PAGES
    assert not any(isinstance(result, ImageError) for _, result in done)
    assert done[-1][1] != first[1]


@WITH_WORKERS
def test_a_page_that_ends_one_worker_has_its_result_from_another(engine, tmp_path):
    pages = [Page(page.id, FileSource(tmp_path / page.id)) for page in PAGES]
    assert [r for _, r in map_pages(pages, die_once_at_three, engine)] == [p.id for p in pages]


@WITH_WORKERS
def test_a_page_that_ends_two_workers_is_left_out_and_the_rest_goes_on(engine):
    results = [result for _, result in map_pages(PAGES, die_at_three, engine)]
    lost = results.pop(3)
    assert (type(lost), lost.file) == (ImageError, "03")
    assert "ended twice" in lost.reason
    assert results == [page.id for page in PAGES if page.id != "03"]


def test_an_item_that_ends_two_workers_and_is_no_page_is_an_error():
    with pytest.raises(DgmpError, match=r"ended from outside twice.*fewer workers"):
        list(Processes(1).map(die_at_three, PAGES))


@WITH_WORKERS
def test_workers_that_end_while_they_start_are_an_error(engine):
    with pytest.raises(DgmpError, match=r"end while they start.*fewer workers"):
        list(engine.map(Deadly(), [1, 2]))


@WITH_WORKERS
def test_a_function_that_workers_cannot_unpack_is_an_error(engine):
    with pytest.raises(FileNotFoundError):
        list(engine.map(Unknown(), [1, 2]))


def test_descriptors_are_the_same_to_the_bit_wherever_pages_are_described(tmp_path):
    for number in range(6):
        draw_page(number, 0, tmp_path / f"{number}.png")
    pages, describer = open_corpus(tmp_path).pages, load_describer("obif")
    vectors = [
        describe_pages(pages, describer, engine=engine).descriptors.vectors.tobytes()
        for engine in (Here(), Processes(2), RayCluster(number=2))
    ]
    assert vectors[0] == vectors[1] == vectors[2]


class Sending(Here):
    """Here, but all is pickled as for another process, in a fraction of the time of one."""

    def map(self, function, items, lost=None):
        function = pickle.loads(pickle.dumps(function))
        for item in items:
            yield item, pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item)))))


def test_hands_by_neighbours_are_the_same_wherever_these_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("dgmp.tasks.grouping.EXACT_PAGES", 5)
    pages, writers = drawn(11)
    calibration = fit_calibration(pages, writers, [None] * len(writers), collections=5)
    head = Head({}, pages.vectors.shape[1], "drawn", calibration.to_json())
    for name in ("here", "ray"):
        add(Catalogue.create(tmp_path / name, head), pages)
    expected = group(tmp_path / "here", engine=Sending())
    done("hands", tmp_path / "ray", "--engine", "ray", "--workers", 2)
    assert (tmp_path / "ray" / "grouping" / "neighbours").exists()
    assert stored_hands(tmp_path / "ray").hands == expected


@WITH_WORKERS
def test_relative_paths_are_those_of_the_program_that_sends_them(engine, tmp_path, monkeypatch):
    list(engine.map(len, ["begun elsewhere"]))
    monkeypatch.chdir(tmp_path)
    assert list(engine.map(os.path.abspath, ["a.png"])) == [("a.png", str(tmp_path / "a.png"))]


def test_processes_are_fresh_and_no_forks(monkeypatch):
    monkeypatch.setattr(work, "here", "changed")
    assert list(map_pages(PAGES[:1], read_here, Processes(1))) == [(PAGES[0], "as imported")]


@pytest.mark.parametrize("number", [0, -2])
def test_fewer_than_one_process_are_refused(number):
    with pytest.raises(ValueError, match=f"number must be at least 1 process, got {number}"):
        Processes(number)


def test_no_workers_are_this_process():
    assert isinstance(engine_for(0), Here)


def test_workers_are_processes():
    assert engine_for(3) == Processes(3)


@EVERY_ENGINE
def test_memory_and_pixels_of_one_page_do_not_stop_the_others(engine):
    found = {page.id: result for page, result in map_pages(PAGES, out_of_memory, engine)}
    assert found["03"].reason == found["05"].reason == "too large for this machine's memory"
    assert found["07"].reason.startswith("cannot be prepared: OpenCV")
    assert len([result for result in found.values() if isinstance(result, str)]) == 9


def test_by_default_all_cores_work():
    assert engine_for(None) == Processes(cores())


def test_workers_of_ray_are_told_how_many_machines_there_are():
    (said,) = WORKERS["ray"].map(work.machines_said, ["page"])
    assert said == ("page", "1")


def test_ray_is_named_without_an_address():
    assert engine_for(2, "ray") == RayCluster(number=2)


def test_ray_at_an_address_is_joined_before_any_work():
    with pytest.raises(DgmpError, match=r"^127.0.0.1:1: no Ray cluster answers there"):
        engine_for(2, "ray:127.0.0.1:1")


@pytest.mark.parametrize("name", ["rays", "processes:2", ""])
def test_an_engine_of_another_name_is_refused(name):
    with pytest.raises(UnknownName, match=r"no engine called.*processes, ray, ray:ADDRESS"):
        engine_for(2, name)


def test_ray_without_workers_is_refused():
    with pytest.raises(DgmpError, match="at least 1 worker"):
        engine_for(0, "ray")
