"""Words on the pages of the catalogue: the index and the model that made it, open for all requests.

The index is read anew where another program wrote to it. The model is that of ``--model``, or the
one that the index names; that one is loaded when it is first needed.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .. import tasks
from ..errors import DgmpError
from ..files import as_named
from ..records import Page, Stage
from ..spotting import WordHit, WordIndex
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

    def lacking(self) -> str:
        """What has to be done before words can be found; empty: nothing."""
        if not isinstance(self._store.folder, Path):
            return "Words are found in catalogues on a disk; this one is in object storage."
        name, index = shlex.quote(str(self._store.folder)), self._index()
        if index is None and self._given is not None:
            return "No page has been looked at for words."
        if index is None:
            return (
                "No page has been looked at for words. That needs a model, which dgmp train words "
                "learns from pages whose words are known. With its folder RUN, "
                f"dgmp spot {name} WORD --model RUN looks at the pages; "
                f"after dgmp view {name} --model RUN a job here does."
            )
        if not self.can_look:
            where = f"no longer in {known}" if (known := index.head.model_folder) else "not known"
            return (
                f"The model that looked at these pages is {where}; say where it is: "
                f"dgmp view {name} --model RUN"
            )
        return ""

    @property
    def can_look(self) -> bool:
        """Whether there is a model to look at pages with."""
        return self._given is not None or _model_folder(self._index()) is not None

    def prepare(self) -> None:
        """Load model and index meanwhile, so that nobody waits for them."""
        if self.indexed:
            threading.Thread(target=self._try_to_find, daemon=True).start()

    def _try_to_find(self) -> None:
        with suppress(DgmpError):  # who asks gets the reason
            self._search().typed("a", 1)

    def typed(self, word: str) -> tuple[WordHit, ...]:
        """The places most like a word, best first."""
        search = self._search()
        return self._keep(search, word, lambda: self._here(search.typed(word, MOST)))

    def shown(self, page: Page, box: tuple[int, int, int, int]) -> tuple[WordHit, ...]:
        """The places most like a rectangle (left, top, right, bottom) of a page, best first."""
        search = self._search()

        def find() -> tuple[WordHit, ...]:
            return self._here(self._store.reader.run(lambda: search.shown(page, box, MOST)))

        return self._keep(search, (page.id, box), find)

    def unseen(self) -> tuple[str, ...]:
        """The pages of the catalogue that have not been looked at."""
        index = self._index()
        known = index.pages if index else {}
        return tuple(id for id in self._store.labels() if id not in known)

    def changed(self, pages: Sequence[Page]) -> tuple[str, ...]:
        """Of these pages, and of all in a small catalogue, those whose scan is another now."""
        search = self._search()
        found = search.changed(pages)
        if self._store.size() <= CHECKED:
            moment = int(time.monotonic() / _SECONDS)
            found += self._keep(search, moment, lambda: search.changed(self._at_hand()))
        return tuple(dict.fromkeys(found))

    def look(self, stage: Stage) -> None:
        """Look at the pages that are new or have changed."""
        if not isinstance(self._store.folder, Path) or not self.can_look:
            raise Refused(self.lacking())
        tasks.index_words(self._store.folder, self._model(), stages=stage)

    def _keep(self, search: tasks.WordSearch, what: object, make: Callable[[], T]) -> T:
        """What was made before, as long as neither the index nor the catalogue has changed."""
        return self._store.keep(("words", search.index.read, what), make)

    def _at_hand(self) -> tuple[Page, ...]:
        """The pages whose scans are files of this machine; to ask others would take long."""
        pages = self._store.catalogue.pages(list(self._store.labels()))
        return tuple(page for page in pages if "://" not in page.source.address)

    def _here(self, hits: Sequence[WordHit]) -> tuple[WordHit, ...]:
        """Those on pages that are still in the catalogue."""
        labels = self._store.labels()
        return tuple(hit for hit in hits if hit.page_id in labels)

    def _search(self) -> tasks.WordSearch:
        index = self._index()
        if index is None or not self.can_look:
            raise Refused(self.lacking())
        return tasks.WordSearch(index, self._model())

    def _index(self) -> WordIndex | None:
        """The index of the catalogue; None: there is none."""
        if not self.indexed:
            return None
        folder = Path(str(self._store.folder)) / "words"
        with self._opening:
            if self._opened is None or self._opened.read != stamp(folder / "words.json"):
                self._opened = WordIndex.open(folder)
            return self._opened

    def _model(self) -> WordModel:
        folder = _model_folder(self._index())
        if self._given is not None or folder is None:
            assert self._given is not None  # else nobody comes here
            return self._given
        with self._loading:
            known = folder, stamp(folder / "words.json")
            if self._loaded is None or self._loaded[0] != known:
                self._loaded = known, _load(folder)
            return self._loaded[1]


def _load(folder: Path | str) -> WordModel:
    from ..spotting import WordModel  # and with it torch

    return WordModel.load(folder)


def _model_folder(index: WordIndex | None) -> Path | None:
    """The folder of the model that made an index, if it is known and still there."""
    if index is None or not index.head.model_folder:
        return None
    folder = Path(as_named(index.head.model_folder))
    return folder if (folder / "words.json").is_file() else None
