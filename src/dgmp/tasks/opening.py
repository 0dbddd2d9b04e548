"""What a task is given: a corpus or the path of one, loose pictures, a run and what it has seen."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from weakref import WeakKeyDictionary

from ..catalogue import Catalogue, Head, read_shift
from ..corpora import (
    Corpus,
    Remark,
    content_of,
    contents_of_split,
    open_corpus,
    page_of_side,
    read_split_file,
)
from ..describers import Describer, full_spec, load_describer
from ..errors import CatalogueError, CorpusError
from ..files import readable
from ..hands import CALIBRATION_FORMAT, Background, Calibration, recalibrated
from ..names import nearest_name
from ..records import Page
from ..sources import is_address
from ..storage import AnyPath, as_path

# Of catalogues that are open: what takes a while to load or to find out.
_DESCRIBERS: WeakKeyDictionary[Catalogue, Describer] = WeakKeyDictionary()
_BACKGROUNDS: WeakKeyDictionary[Catalogue, tuple[int, Background]] = WeakKeyDictionary()


def opened(corpus: Corpus | AnyPath | str) -> Corpus:
    """The corpus, or that of a path; one without a single usable page is refused."""
    found = corpus if isinstance(corpus, Corpus) else open_corpus(corpus)
    found.check_usable()
    return found


def with_known_ids(corpus: Corpus, paths: Mapping[str, str]) -> Corpus:
    """The corpus with the ids by which a catalogue knows its addresses, whatever their labels now.

    ``paths`` are those of the catalogue. A new page that is called like a known one gets letters.
    """
    known = {path: page_of_side(id) for id, path in paths.items() if is_address(path)}
    taken = {known[page.source.address] for page in corpus if page.source.address in known}
    if not taken:
        return corpus
    folded = {id.casefold() for id in taken}

    def known_id(page: Page) -> str:
        address = page.source.address
        if address in known or page.id.casefold() not in folded:
            return known.get(address, page.id)
        return f"{page.id}~{hashlib.sha256(address.encode()).hexdigest()[:6]}"

    pages = [replace(page, id=known_id(page)) for page in corpus]
    return replace(corpus, pages=tuple(sorted(pages, key=lambda page: page.id)))


def opened_catalogue(catalogue: Catalogue | AnyPath | str) -> Catalogue:
    """The catalogue, or that of a folder."""
    return catalogue if isinstance(catalogue, Catalogue) else Catalogue.open(catalogue)


def page_missing(catalogue: Catalogue, text: str) -> CatalogueError:
    """The error for a text that names no page of a catalogue, with the page that may be meant."""
    pages = {id if "/" in text else PurePosixPath(id).name: id for id in catalogue.paths()}
    near = nearest_name(text, pages)
    hint = "" if near is None else f"; did you mean {pages[near]!r}?"
    return CatalogueError(
        f"{text}: is no page of {catalogue.folder}, and there is no such file{hint}"
    )


def loose_pages(paths: Sequence[AnyPath | str]) -> tuple[list[Page], list[Remark]]:
    """The pages of pictures and of folders, named as they were given, and what cannot be used."""
    pages: list[Page] = []
    left_out: list[Remark] = []
    for path in map(as_path, paths):
        try:
            corpus = open_corpus(path, kind="plain")
        except CorpusError as error:
            left_out.append(Remark(str(path), str(error).removeprefix(f"{path}: ")))
            continue
        root = as_path(corpus.root)
        left_out += [Remark(str(root / r.file), r.reason) for r in corpus.left_out]
        pages += [replace(page, id=readable(str(root / "_"))[:-1] + page.id) for page in corpus]
    return pages, left_out


def one_page(path: AnyPath | str) -> Page:
    """The page of a picture; of several in one file or manifest the first."""
    if not is_address(path) and as_path(path).is_dir():
        raise CorpusError(f"{path}: is a folder; give the picture of one page")
    corpus = open_corpus(path, kind="plain")
    if not corpus.pages:
        raise CorpusError(f"{path}: {corpus.left_out[0].reason}")
    if len(corpus) > 1:
        warnings.warn(f"{path}: has {len(corpus)} pages, the first is taken", stacklevel=2)
    return replace(corpus.pages[0], id=readable(str(path)))


def trained_on(run: Path | str, corpus: Corpus) -> set[str]:
    """Ids of the pages of a corpus that a run learned from; its split.csv lists them.

    They are known by their content, wherever they lie now, and by their names where they lay.
    """
    run = Path(run)
    try:
        about = json.loads((run / "run.json").read_text(encoding="utf-8"))
        learned_from = str(about["data"]["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()  # a saved model that is no run
    listed = run / "split.csv"
    contents = contents_of_split(listed, "train") if listed.is_file() else frozenset()
    known = {page.id for page in corpus if contents and content_of(page) in contents}
    if learned_from != corpus.place and str(Path(learned_from).resolve()) != corpus.place:
        return known
    return known | {id for id, split in read_split_file(listed).items() if split == "train"}


def head_for(name: str, describer: Describer) -> Head:
    """What a catalogue holds of the describer that is loaded by that name."""
    calibration = describer.calibration
    stored = None if calibration is None else calibration.to_json()
    return Head(full_spec(describer), describer.dim, name, stored)


def calibration_of(catalogue: Catalogue) -> Calibration | None:
    """What likenesses say about hands; None where describer or pages lack what that needs."""
    stored = catalogue.head.calibration
    if stored is None or stored.get("version", 0) in CALIBRATION_FORMAT.older:
        return None
    found = Calibration.from_json(stored)
    return found if catalogue.has_halves() else None


def own_calibration(catalogue: Catalogue) -> Calibration | None:
    """The same, moved to where confirmed pairs of this collection have it."""
    calibration = calibration_of(catalogue)
    if calibration is None:
        return None
    return recalibrated(calibration, read_shift(catalogue.folder))


def describer_of(catalogue: Catalogue) -> Describer:
    """The describer of a catalogue, loaded and compared with it once."""
    found = _DESCRIBERS.get(catalogue)
    if found is None:
        name = catalogue.head.describer
        found = load_describer(name)
        catalogue.check_describer(head_for(name, found))
        _DESCRIBERS[catalogue] = found
    return found


def background_of(catalogue: Catalogue) -> Background | None:
    """The collection of a catalogue, to judge likenesses by; None where that is not possible.

    It is found out once for every version of the catalogue's table.
    """
    calibration = own_calibration(catalogue)
    if calibration is None:
        return None
    version, found = _BACKGROUNDS.get(catalogue, (-1, None))
    if found is None or version != catalogue.version or found.calibration != calibration:
        version = catalogue.version
        found = Background.of(catalogue.sample(), len(catalogue), calibration)
        _BACKGROUNDS[catalogue] = version, found
    return found
