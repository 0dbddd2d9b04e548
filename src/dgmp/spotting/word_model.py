"""A trained word network on disk, and words as the vectors it gives.

FOLDER/words.json         network, pooling, embedding, height of words, how it came about
FOLDER/words.safetensors  its weights

``default`` is the name of the model that comes with ``dgmp[pages]``; a folder of that name is
``./default``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ..classical import unit_rows
from ..errors import DgmpError, WeightsError
from ..files import Format, from_plain, read_json, replacing, to_plain, write_json
from ..models import load_weights
from ..names import check_name, need, need_data
from ..records import Grey, Matrix
from .default_model import DEFAULT, SHIPPED_WORDS
from .embeddings import Embedding
from .networks import NETWORKS, WordNetwork, make_word_network
from .word_pictures import WordChanges, WordLook, WordPicture

FORMAT = Format("dgmp-words", 1, "word model")
_GMP = {"relative": True, "center": True}  # see docs/pooling.md
_VIEWED = WordChanges(points=0.03, box=0.05, slant=0.1, thickness=0.3)
_AT_A_TIME = 64 * 32 * 128  # pixels of a batch, padding included


@dataclass(frozen=True)
class WordSpec:
    """A word network: what it is built of and what it looks at."""

    network: str = "word-resnet"
    pooling: str = "tpp-max"
    pooling_options: Mapping[str, Any] | None = None  # None: GMP centred with a relative ridge
    embedding: Embedding = field(default_factory=Embedding)
    look: WordLook = field(default_factory=WordLook)

    def __post_init__(self) -> None:
        check_name(self.network, NETWORKS, "word network")

    def build(self) -> WordNetwork:
        """The network with random weights."""
        options = self.pooling_options
        if options is None:
            options = _GMP if self.pooling.rpartition("-")[2] == "gmp" else {}
        try:
            return make_word_network(self.network, self.embedding.size, self.pooling, dict(options))
        except (TypeError, ValueError) as error:
            raise DgmpError(f"pooling_options: {error}") from error

    def check(self) -> None:
        """Refuse a network that cannot be built, before any other work."""
        with torch.random.fork_rng(devices=[]):
            self.build()


@dataclass(frozen=True, eq=False)
class WordModel:
    """A network in eval mode and what it needs to be used as it was trained."""

    network: WordNetwork
    spec: WordSpec
    made: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""  # of the weights, once they are in a file
    folder: str = ""  # that they were read from, or the name of the model

    def describe(
        self,
        pictures: Sequence[WordPicture],
        progress: Callable[[int], None] | None = None,
        *,
        views: int = 1,
    ) -> Matrix:  # (words, entries)
        """The vectors of words, each the same in whatever company it is described.

        For PHOC the square roots of the probabilities of its entries, for DCToW of unit length.
        With more ``views`` each is the mean over the picture and changed ones: better by up to a
        point of mAP, for so many times the work.
        """
        found = np.zeros((len(pictures), self.spec.embedding.size), np.float32)
        widths = [picture.width for picture in pictures]
        self.network.eval()
        with torch.inference_mode():
            for places in _batches(widths, self.spec.look.height):
                chosen = [pictures[place] for place in places]
                mean = torch.stack([self._seen(chosen, view) for view in range(views)]).mean(dim=0)
                if self.spec.embedding.binary:
                    found[places] = mean.sqrt().numpy()
                else:
                    found[places] = unit_rows(mean.numpy())
                if progress is not None:
                    progress(len(places))
        return found

    def _seen(self, pictures: Sequence[WordPicture], view: int) -> Tensor:  # (words, entries)
        """Probabilities, or entries of DCToW; all words are changed alike, the first not at all."""
        words = [
            _VIEWED.apply(picture, np.random.default_rng(view)) if view else picture.word()
            for picture in pictures
        ]
        values: Tensor = self.network(*stack_words(words))
        return values.sigmoid() if self.spec.embedding.binary else F.normalize(values)

    def weights_for(self, spec: WordSpec) -> dict[str, Tensor]:
        """What a training of another network can begin with.

        All weights for a network of the same spec; those before the pooling where another pooling
        or embedding follows. Raises DgmpError for another network or another size of words.
        """
        own = (self.spec.network, self.spec.look)
        if own != (spec.network, spec.look):
            raise DgmpError(
                f"the weights are of {own[0]} for words of {own[1]}; {spec.network} for words of "
                f"{spec.look} cannot begin with them"
            )
        state = self.network.state_dict()
        return state if self.spec == spec else trunk_of(state)

    def save(self, folder: Path | str) -> None:
        """Write the model, weights before their description."""
        folder = Path(folder)
        state = {name: value.contiguous() for name, value in self.network.state_dict().items()}
        with replacing(folder / "words.safetensors") as beside:
            need("safetensors.torch").save_file(state, beside)
            digest = _digest(beside)
        about = {"spec": to_plain(self.spec), "made": dict(self.made), "sha256": digest}
        write_json(folder / "words.json", FORMAT, about)

    @classmethod
    def load(cls, folder: Path | str) -> WordModel:
        """Read what :meth:`save` wrote, or the model that comes with the package."""
        shipped = folder == DEFAULT
        if shipped:
            folder = need_data(SHIPPED_WORDS, "word model default")
        path = Path(folder) / "words.json"
        about = read_json(path, FORMAT)
        spec = from_plain(about.get("spec"), WordSpec, path)
        network = spec.build()
        weights = path.with_suffix(".safetensors")
        load_weights(network, weights)
        digest = _digest(weights)
        if digest != about.get("sha256"):
            raise WeightsError(f"{weights}: these are not the weights that words.json describes")
        place = DEFAULT if shipped else str(Path(folder).resolve())
        return cls(network.eval(), spec, about.get("made", {}), digest, place)


def trunk_of(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a network before its pooling."""
    ends = ("pooling.", "head.")
    return {name: value for name, value in state.items() if not name.startswith(ends)}


def stack_words(words: Sequence[Grey]) -> tuple[Tensor, Tensor | None]:  # (B,1,H,W), (B,H,W)
    """Words of any sizes in one batch, each at the upper left; where they are, None: all over."""
    height = max(word.shape[0] for word in words)
    width = max(word.shape[1] for word in words)
    images = np.zeros((len(words), height, width), np.uint8)
    mask = np.zeros(images.shape, bool)
    for image, inside, word in zip(images, mask, words, strict=True):
        image[: word.shape[0], : word.shape[1]] = word
        inside[: word.shape[0], : word.shape[1]] = True
    values = torch.from_numpy(images).float().div_(255).unsqueeze(1)
    inside = None if mask.all() else torch.from_numpy(mask)
    return values.contiguous(memory_format=torch.channels_last), inside


def _batches(widths: Sequence[int], height: int) -> Iterator[list[int]]:
    """Places of words of about one width, so that little is padding."""
    batch: list[int] = []
    for place in sorted(range(len(widths)), key=widths.__getitem__):
        if batch and (len(batch) + 1) * widths[place] * height > _AT_A_TIME:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
