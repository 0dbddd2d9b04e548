"""Words on the pages of the catalogue: the index, open for all requests, and its model.

A typed word, and a place that is in the index, need the index only; it is read anew where another
program wrote to it. A rectangle that a person draws, and pages that are looked at, need the model:
that of ``--model``, the one that the index names, or before there is an index the one that comes
with the package. It is loaded when it is first needed.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .. import tasks
from ..files import as_named
from ..records import Page, Stage
from ..spotting import DEFAULT, SHIPPED_WORDS, WordHit, WordIndex
from ..storage import stamp
from .asking import Refused

if TYPE_CHECKING:
    from ..spotting import WordModel
    from .store import Store

T = TypeVar("T")
MOST = 240  # places of one answer
CHECKED = 2000  # pages: in a catalogue of so many all scans are looked at for changes
_SECONDS = 30.0  # for which it is kept which have changed


class Words:
    """What the page in the browser knows of words."""

    def __init__(self, store: Store, model: Path | str | None = None) -> None:
        self._store = store
        self._opening, self._loading = threading.Lock(), threading.Lock()
        self._opened: WordIndex | None = None
        self._loaded: tuple[tuple[Path, str], WordModel] | None = None
        self._given = None if model is None else _load(model)  # what is none is refused at once

    @property
    def indexed(self) -> bool:
        """Whether pages have been looked at."""
        folder = self._store.folder
        return isinstance(folder, Path) and (folder / "words" / "words.json").is_file()

    @property
    def can_look(self) -> bool:
        """Whether there is a model, to look at pages and at rectangles with."""
        if not isinstance(self._store.folder, Path):
            return False
        return self._given is not None or _model_folder(self._index()) is not None

    def lacking(self) -> str:
        """What has to be done before words can be found; empty: nothing."""
        if not isinstance(self._store.folder, Path):
            return "Words are found in catalogues on a disk; this one is in object storage."
        if self.indexed:
            return ""
        name = shlex.quote(str(self._store.folder))
        if self.can_look:
            return (
                f"No page has been looked at for words: dgmp spot {name} WORD, or a job, does so."
            )
        return (
            "No page has been looked at for words. That needs a model: "
            "pip install 'dgmp[pages]' brings one, and dgmp train words learns one from pages "
            f"whose words are known. After dgmp view {name} --model RUN with its folder RUN a job "
            "here looks at the pages."
        )

    def typed(self, word: str) -> tuple[WordHit, ...]:
        """The places most like a word, best first."""
        index = self._index_needed()
        return self._keep(index, word, lambda: self._here(index.search(word, MOST)))

    def shown(self, page: Page, box: tuple[int, int, int, int]) -> tuple[WordHit, ...]:
        """The places most like a rectangle (left, top, right, bottom) of a page, best first."""
        index = self._index_needed()

        def find() -> tuple[WordHit, ...]:
            vector = index.vector_at(page.id, box)
            if vector is None:
                model = self._model_of(index)
                vector = self._store.reader.run(lambda: tasks.describe_place(page, box, model))
            return self._here(index.search(vector, MOST))

        return self._keep(index, (page.id, box), find)

    def unseen(self) -> tuple[str, ...]:
        """The pages of the catalogue that have not been looked at."""
        index = self._index()
        known = index.pages if index else {}
        return tuple(id for id in self._store.labels() if id not in known)

    def changed(self, pages: Sequence[Page]) -> tuple[str, ...]:
        """Of these pages, and of all in a small catalogue, those whose scan is another now."""
        index = self._index_needed()
        found = tasks.changed_pages(index, pages)
        if self._store.size() <= CHECKED:
            moment = int(time.monotonic() / _SECONDS)
            found += self._keep(index, moment, lambda: tasks.changed_pages(index, self._at_hand()))
        return tuple(dict.fromkeys(found))

    def look(self, stage: Stage) -> None:
        """Look at the pages that are new or have changed."""
        folder = self._store.folder
        if not isinstance(folder, Path) or not self.can_look:
            raise Refused(self._no_model())
        tasks.index_words(folder, self._model(), stages=stage)

    def _keep(self, index: WordIndex, what: object, make: Callable[[], T]) -> T:
        """What was made before, as long as neither the index nor the catalogue has changed."""
        return self._store.keep(("words", index.read, what), make)

    def _at_hand(self) -> tuple[Page, ...]:
        """The pages whose scans are files of this machine; to ask others would take long."""
        pages = self._store.catalogue.pages(list(self._store.labels()))
        return tuple(page for page in pages if "://" not in page.source.address)

    def _here(self, hits: Sequence[WordHit]) -> tuple[WordHit, ...]:
        """Those on pages that are still in the catalogue."""
        labels = self._store.labels()
        return tuple(hit for hit in hits if hit.page_id in labels)

    def _index_needed(self) -> WordIndex:
        index = self._index()
        if index is None:
            raise Refused(self.lacking())
        return index

    def _index(self) -> WordIndex | None:
        """The index of the catalogue; None: there is none."""
        if not self.indexed:
            return None
        folder = Path(str(self._store.folder)) / "words"
        with self._opening:
            if self._opened is None or self._opened.read != stamp(folder / "words.json"):
                self._opened = WordIndex.open(folder)
            return self._opened

    def _no_model(self) -> str:
        """What has to be done to have a model; empty: nothing."""
        index = self._index()
        if self.can_look or index is None:
            return "" if self.can_look else self.lacking()
        where = f"no longer in {known}" if (known := index.head.model_folder) else "not known"
        return (
            f"The model that looked at these pages is {where}; say where it is: "
            f"dgmp view {shlex.quote(str(self._store.folder))} --model RUN"
        )

    def _model_of(self, index: WordIndex) -> WordModel:
        """The model that made an index."""
        if lacking := self._no_model():
            raise Refused(lacking)
        model = self._model()
        if model.digest != index.head.model:
            raise Refused(
                f"The pages were looked at with another word model than {model.folder}; choose "
                f"that one by --model, or delete {index.folder}"
            )
        return model

    def _model(self) -> WordModel:
        folder = _model_folder(self._index())
        if self._given is not None or folder is None:
            assert self._given is not None  # else there is none, which was said before
            return self._given
        with self._loading:
            known = folder, stamp(folder / "words.json")
            if self._loaded is None or self._loaded[0] != known:
                self._loaded = known, _load(DEFAULT if folder == SHIPPED_WORDS else folder)
            return self._loaded[1]


def _load(folder: Path | str) -> WordModel:
    from ..spotting import WordModel  # and with it torch

    return WordModel.load(folder)


def _model_folder(index: WordIndex | None) -> Path | None:
    """The folder of the model that made an index, or that is there to make one."""
    named = DEFAULT if index is None else index.head.model_folder
    if not named:
        return None
    folder = SHIPPED_WORDS if named == DEFAULT else Path(as_named(named))
    return folder if (folder / "words.json").is_file() else None
