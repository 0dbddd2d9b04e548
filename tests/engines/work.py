"""What workers do in the tests; quick to import, since every worker does."""

import os
import threading
from pathlib import Path

from dgmp.errors import ImageError

here = "as imported"  # a test changes it: a fork would see the change, a new process does not


def length_of_id(page):
    return len(page.id) + int(page.id)


def refuse_three(page):
    if page.id == "03":
        raise ImageError(page.source.address, "broken: for a test")
    return page.id


def fail_at_three(page):
    if page.id == "03":
        raise ZeroDivisionError("a bug")
    return page.id


def die_at_three(page):
    if page.id == "03":
        os._exit(1)
    return page.id


def die_once_at_three(page):
    mark = Path(page.source.address)
    if page.id == "03" and not mark.exists():
        mark.touch()
        os._exit(1)
    return page.id


def die_while_unpacked():
    os._exit(1)


class Deadly:
    def __reduce__(self):
        return die_while_unpacked, ()


class Unknown:
    def __reduce__(self):
        return open, ("/there/is/no/such/file",)


def process_id(page):
    return os.getpid()


def process_id_slowly(item):
    threading.Event().wait(0.02)
    return os.getpid()


def read_here(page):
    return here


def opencv_threads(page):
    import cv2

    return cv2.getNumThreads()


def slow_first(number):
    if number == 0:
        threading.Event().wait(0.3)
    return number


def machines_said(page):
    return os.environ.get("DGMP_MACHINES")


def out_of_memory(page):
    import cv2
    import numpy as np

    if page.id == "03":
        raise MemoryError
    if page.id == "05":
        raise cv2.error("OpenCV(4.13) alloc.cpp: error: (-4:Insufficient memory) Failed")
    if page.id == "07":
        cv2.resize(np.zeros((0, 0), np.uint8), (1, 1))
    return page.id
