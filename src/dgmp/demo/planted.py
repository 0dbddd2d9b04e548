"""What a pooling keeps of a pattern that is planted at a few positions only.

Each map (C×H×W) is a small made-up page. Its positions carry one pattern each, on top of a
direction they all share, with noise on every value and a ReLU at the end:

    φ = scale · max(0, mean·m + pattern + noise)      m, patterns: non-negative, of length 1

    parchment    one pattern, the same in all maps; fills what the others leave, 59 to 83 %
    strokes      one pattern, the same in all maps unless they lean (below); 15 to 35 %, drawn anew
                 for each map: how much is written says nothing about who wrote it
    rare         the writer's own pattern, at 4 of 196 positions (2 %)
    blots        a pattern drawn anew for each map: rare as well, but nobody's

Strokes and rare patterns fall on random places of the written lines (every second row), blots
between them. No pooling here sees places, so only the picture depends on that.

Three scenes, of which only the first is the one GMP was made for:

    rare strokes    the writer shows at the rare positions; a pattern is spread over 128 of 256
                    channels, clear as a direction but lost in the noise of any one channel
    few channels    the same, but a pattern uses 32 channels and stands out in each, where a
                    maximum per channel finds it
    common strokes  no rare pattern; all strokes of a writer lean towards one pattern, and 12
                    positions are blots. To give rare positions a say is to listen to blots

Per pooling two questions. What do descriptors differ in? Take unit-length descriptors less their
mean over all maps; ``writer`` is the share of their squared length along the writer's pattern,
``writing`` the share along strokes less parchment, which is how much of the frequent pattern a map
has; the rest is noise and blots. And does it matter? Each map is a query for the others by its
writer, nearest first by Euclidean distance: top-1 and mAP.

Noise, lean and the number of blots were set so that the poolings differ at all. Each has its usual
parameter, and no ridge suits every scene: without centring, ρ = 0.01 would be best in the first
and 0.1 in the third, 0.001 fits noise, and 1 is all but average pooling. Frozen features of real
pages (benchmarks/results/) are more like the third scene: max, LSE and GMP with a small ridge fall
behind avg, and centring helps GMP, though by far less than here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from enum import IntEnum

import torch
from torch import Generator, Tensor

from ..pooling import make_pooling, unit_length


class Planted(IntEnum):
    """What is planted at a position."""

    PARCHMENT = 0
    STROKE = 1
    RARE = 2
    BLOT = 3


@dataclass(frozen=True)
class Planting:
    """What is planted, how often and how clearly."""

    writers: int = 20
    maps_per_writer: int = 5
    channels: int = 256
    side: int = 14  # the map of a 224-pixel image at stride 16
    active: int = 128  # channels that a pattern uses
    rare: int = 4  # positions with the writer's own pattern
    blots: int = 0  # positions with a pattern of nobody
    lean: float = (
        0.0  # of all strokes towards the writer's own pattern, which then need not be rare
    )
    least_strokes: float = 0.15  # of all positions
    most_strokes: float = 0.35
    mean: float = 0.5  # length of the direction that all positions share; a pattern has 1
    noise: float = 0.7  # expected length of the noise at a position
    scale: float = 8.0  # values then have a mean of about 0.6, as after the last ReLU of a ResNet

    def __post_init__(self) -> None:
        lines = self.side // 2 * self.side
        if self.rare + round(self.most_strokes * self.side**2) > lines:
            raise ValueError(
                f"strokes and rare positions must fit on the {lines} positions of the written "
                f"lines, got most_strokes={self.most_strokes} and rare={self.rare}"
            )
        if not 0 <= self.blots <= self.side**2 - lines:
            raise ValueError(f"blots must fit between the written lines, got {self.blots}")
        if not 1 <= self.active <= self.channels:
            raise ValueError(f"active must be from 1 to {self.channels}, got {self.active}")


@dataclass(frozen=True)
class Scene:
    """A planting and what it is about."""

    name: str
    planting: Planting
    story: str


SCENES = (
    Scene(
        "rare strokes",
        Planting(),
        "The writer shows at 4 of 196 positions, spread over half of the channels.\n"
        "GMP is made for this: where its ridge is small, rare positions get a say.",
    ),
    Scene(
        "few channels",
        Planting(active=32),
        "The same, but the rare pattern stands out in a few channels.\n"
        "A maximum per channel finds it just as well.",
    ),
    Scene(
        "common strokes",
        Planting(rare=0, lean=0.2, blots=12),
        "The writer shows in all the strokes; what is rare are 12 blots of nobody.\n"
        "The say now goes to blots, unless the features are centred.",
    ),
)


@dataclass(frozen=True)
class PlantedMaps:
    """Maps, and the truth about them."""

    features: Tensor  # (maps, C, H, W)
    kinds: Tensor  # (maps, H, W), values of Planted
    writers: Tensor  # (maps,)
    own: Tensor  # (writers, C): the pattern by which each writer can be told
    writing: Tensor  # (C,): strokes less parchment


@dataclass(frozen=True)
class PlantedRow:
    """What one pooling does with the maps; all but its name in percent."""

    pooling: str
    writer: float  # share of the differences between descriptors that is the writer's pattern
    writing: float  # share that is how much is written
    top1: float
    mean_average_precision: float


@dataclass(frozen=True)
class PlantedTable:
    """One scene; each number is the mean over the draws."""

    scene: Scene
    draws: int
    rows: tuple[PlantedRow, ...]


Pool = Callable[[Tensor], Tensor]  # (maps, C, H, W) -> (maps, C)


def _pooling(name: str, *, centred: bool = False, **options: float) -> Pool:
    def pool(features: Tensor) -> Tensor:
        if centred:  # what the layer's ``center`` does while training, with all maps as the batch
            features = features - features.mean(dim=(0, 2, 3), keepdim=True)
        return make_pooling(name, channels=features.shape[1], **options)(features)

    return pool


SMALL_RIDGE = 0.03  # ρ at which rare positions get a say; the layer's default if centred
# The poolings as people use them. avg is there twice more because GMP brings its result to unit
# length and may centre the features: what these two do alone must not be put down to GMP.
PLANTED_POOLINGS: dict[str, Pool] = {
    "avg": _pooling("avg"),
    "avg, ℓ2": _pooling("avg", normalize=True),
    "avg, centred, ℓ2": _pooling("avg", normalize=True, centred=True),
    "max, ℓ2": _pooling("max", normalize=True),
    "GeM p=3, ℓ2": _pooling("gem", normalize=True),
    "LSE r=10, ℓ2": _pooling("lse", normalize=True),
    "GMP λ=1000": _pooling("gmp", ridge=1000),  # the paper's; on these maps ρ is 0.033 to 0.04
    "GMP ρ=0.001": _pooling("gmp", relative=True, ridge=0.001),
    "GMP ρ=0.03": _pooling("gmp", relative=True, ridge=SMALL_RIDGE),
    "GMP ρ=1": _pooling("gmp", relative=True, ridge=1),  # the layer's default if not centred
    "GMP ρ=0.03, centred": _pooling("gmp", relative=True, ridge=SMALL_RIDGE, centred=True),
}


def plant(planting: Planting, generator: Generator) -> PlantedMaps:
    """Draw patterns and maps."""
    parchment, stroke = _patterns(2, planting, generator)
    own = _patterns(planting.writers, planting, generator)  # (writers, C)
    strokes = unit_length(stroke + planting.lean * own)
    shared = unit_length(torch.rand(1, planting.channels, generator=generator) + 0.5)
    writers = torch.arange(planting.writers).repeat_interleave(planting.maps_per_writer)
    kinds = torch.stack([_lay_out(planting, generator) for _ in writers])  # (maps, N)
    blots = _patterns(len(writers), planting, generator)
    # One pattern per kind, in the order of Planted.
    patterns = torch.stack(
        [parchment.expand_as(blots), strokes[writers], own[writers], blots], dim=1
    )
    clean = patterns.gather(1, kinds.unsqueeze(2).expand(-1, -1, planting.channels))
    noise = torch.randn(clean.shape, generator=generator) * planting.noise / planting.channels**0.5
    features = planting.scale * (planting.mean * shared + clean + noise).relu()  # (maps, N, C)
    return PlantedMaps(
        features=features.mT.unflatten(2, (planting.side, planting.side)),
        kinds=kinds.unflatten(1, (planting.side, planting.side)),
        writers=writers,
        own=strokes if planting.lean else own,
        writing=strokes.mean(dim=0) - parchment,
    )


def judge(maps: PlantedMaps, pooling: str, pool: Pool) -> PlantedRow:
    """Pool all maps and look at what became of them."""
    with torch.no_grad():
        descriptors = pool(maps.features)
    writer, writing = _shares(descriptors, maps)
    top1, average_precision = _retrieval(descriptors, maps.writers)
    return PlantedRow(pooling, 100 * writer, 100 * writing, 100 * top1, 100 * average_precision)


def planted_table(scene: Scene, generator: Generator, *, draws: int = 3) -> PlantedTable:
    """All poolings on one scene, averaged over ``draws`` sets of patterns and maps."""
    sets = [plant(scene.planting, generator) for _ in range(draws)]
    rows = (
        _mean_row([judge(maps, pooling, pool) for maps in sets])
        for pooling, pool in PLANTED_POOLINGS.items()
    )
    return PlantedTable(scene, draws, tuple(rows))


def planted_tables(seed: int = 0) -> tuple[PlantedTable, ...]:
    """Every scene, all from the same random numbers."""
    return tuple(planted_table(scene, Generator().manual_seed(seed)) for scene in SCENES)


def _mean_row(rows: list[PlantedRow]) -> PlantedRow:
    values = [astuple(row)[1:] for row in rows]
    return PlantedRow(
        rows[0].pooling, *(sum(column) / len(rows) for column in zip(*values, strict=True))
    )


def _patterns(count: int, planting: Planting, generator: Generator) -> Tensor:  # (count, C)
    """Directions of length 1 with some channels between 0.5 and 1.5 of each other, others dark."""
    order = torch.rand(count, planting.channels, generator=generator).argsort(dim=1)
    values = torch.rand(count, planting.channels, generator=generator) + 0.5
    return unit_length(values * (order < planting.active))


def _lay_out(planting: Planting, generator: Generator) -> Tensor:  # (N,), values of Planted
    places = torch.arange(planting.side**2)
    written = places // planting.side % 2 == 1
    lines, between = places[written], places[~written]
    lines = lines[torch.randperm(len(lines), generator=generator)]
    between = between[torch.randperm(len(between), generator=generator)]
    low, high = planting.least_strokes, planting.most_strokes
    share = low + (high - low) * torch.rand((), generator=generator).item()
    kinds = torch.full_like(places, Planted.PARCHMENT)
    kinds[lines[: planting.rare + round(share * len(places))]] = Planted.STROKE
    kinds[lines[: planting.rare]] = Planted.RARE
    kinds[between[: planting.blots]] = Planted.BLOT
    return kinds


def _shares(descriptors: Tensor, maps: PlantedMaps) -> tuple[float, float]:
    """The parts of the differences of unit descriptors: writer's pattern, amount of writing."""
    unit = unit_length(descriptors)
    differences = unit - unit.mean(dim=0)
    writing = unit_length(maps.writing.unsqueeze(0))  # (1, C)
    own = maps.own - maps.own.mean(dim=0)
    own = unit_length(own - (own @ writing.mT) * writing)[
        maps.writers
    ]  # (maps, C), off the writing
    total = differences.square().sum()
    by_writer = (differences * own).sum(dim=1).square().sum() / total
    by_writing = (differences @ writing.mT).square().sum() / total
    return by_writer.item(), by_writing.item()


def _retrieval(descriptors: Tensor, writers: Tensor) -> tuple[float, float]:
    """Top-1 and mAP; each map is a query for the others by its writer, nearest first."""
    distances = torch.cdist(descriptors.double(), descriptors.double())
    ranking = distances.fill_diagonal_(-1).argsort(dim=1, stable=True)[:, 1:]
    relevant = (writers[ranking] == writers.unsqueeze(1)).double()  # (maps, maps - 1)
    precision = relevant.cumsum(dim=1) / torch.arange(1, relevant.shape[1] + 1)
    average = (precision * relevant).sum(dim=1) / relevant.sum(dim=1)
    return relevant[:, 0].mean().item(), average.mean().item()
