"""Poolings on frozen ImageNet features of real handwriting, and a study of the ridge.

    python benchmarks/frozen_features.py test  --data HANDS --weights RESNET50
    python benchmarks/frozen_features.py study --data HANDS --weights RESNET50

HANDS is a folder with a ``writers.csv`` (columns file, writer, split, page, source_repo). No
training: pages are binarised (Sauvola, window 51, k 0.2), the centre patch is taken (a smaller
page is padded with white to the right and below), a ResNet-50 gives the map, one pooling the
descriptor, the cosine the ranking. Mean average precision over all pages as queries; a crop of the
query's own page by the same writer counts neither as hit nor as miss. Nothing is fitted on test
pages: the whitening is that of the centre patches of the training pages, the channel mean that of
all positions of the whole training pages. The last table compares it with other means of the
training pages; one of its rows depends on the sources of the test pages, and on nothing else of
them.

``test`` is the table of poolings on the test pages with a sweep of ρ = λ / Σ‖φᵢ‖². ``study`` looks
for the ρ to recommend, on training pages only, on maps from 16 to 4096 positions.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from skimage.filters import threshold_sauvola
from torch import Tensor
from torch.nn import functional as F

from dgmp.models import ResNet, load_weights, resnet50
from dgmp.pooling import generalized_max_pool, make_pooling

RESULTS = Path(__file__).parent / "results"
RHOS = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0)


@dataclass(frozen=True)
class Page:
    """A page crop, and who wrote it."""

    file: Path
    writer: str
    page: str
    source: str


def read_pages(data: Path, split: str) -> list[Page]:
    with (data / "writers.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["split"] == split]
    return [
        Page(data / row["file"], row["writer"], row["page"], row["source_repo"]) for row in rows
    ]


def binarised(page: Page) -> np.ndarray:  # (H, W), true on paper
    with Image.open(page.file) as image:
        grey = np.asarray(image.convert("L"))
    return grey > threshold_sauvola(grey, window_size=51, k=0.2)


def centre_patch(page: Page, side: int) -> Tensor:  # (1, side, side), ink 0, paper 1
    paper = binarised(page)
    top, left = (max(0, (size - side) // 2) for size in paper.shape)
    cut = paper[top : top + side, left : left + side]
    full = np.ones((side, side), np.float32)
    full[: cut.shape[0], : cut.shape[1]] = cut
    return torch.from_numpy(full).unsqueeze(0)


def stages(model: ResNet, images: Tensor, last: tuple[int, ...]) -> Iterator[tuple[str, Tensor]]:
    """The maps of layer2, layer3 and layer4, the last with each of the given strides."""
    x = F.max_pool2d(F.relu(model.bn1(model.conv1(images))), 3, stride=2, padding=1)
    x = model.layer2(model.layer1(x))
    yield "layer2", x
    x = model.layer3(x)
    yield "layer3", x
    first = model.layer4[0]
    for stride in last:
        first.conv1.stride = first.downsample[0].stride = (stride, stride)
        yield f"layer4, stride {stride}", model.layer4(x)


@torch.inference_mode()
def extract(model: ResNet, pages: list[Page], side: int, wanted: set[str]) -> dict[str, Tensor]:
    found: dict[str, list[Tensor]] = {}
    for start in range(0, len(pages), 10):
        batch = torch.stack([centre_patch(page, side) for page in pages[start : start + 10]])
        images = model.standardize(batch.expand(-1, 3, -1, -1))
        for name, features in stages(model, images, (2, 1)):
            if name in wanted:
                found.setdefault(name, []).append(features.half().flatten(2))
        print(f"\r{side} px: {start + len(batch)} of {len(pages)} pages", end="", flush=True)
    print()
    return {name: torch.cat(parts) for name, parts in found.items()}


@torch.inference_mode()
def whole_pages(
    model: ResNet, pages: list[Page], wanted: set[str]
) -> dict[str, tuple[Tensor, Tensor]]:
    """Of each map: the average of every whole page (pages, C), and its positions (pages,)."""
    found: dict[str, list[Tensor]] = {}
    counts: dict[str, list[int]] = {}
    for number, page in enumerate(pages, 1):
        paper = torch.from_numpy(binarised(page).astype(np.float32))
        images = model.standardize(paper.expand(1, 3, -1, -1))
        for name, features in stages(model, images, (2, 1)):
            if name in wanted:
                found.setdefault(name, []).append(features.mean((2, 3)).double())
                counts.setdefault(name, []).append(features.shape[2] * features.shape[3])
        print(f"\rwhole: {number} of {len(pages)} pages", end="", flush=True)
    print()
    return {
        name: (torch.cat(parts), torch.tensor(counts[name], dtype=torch.float64))
        for name, parts in found.items()
    }


def mean_average_precision(vectors: Tensor, pages: list[Page]) -> float:
    vectors = F.normalize(vectors.double(), dim=1)
    similarity = vectors @ vectors.T
    writers = np.array([page.writer for page in pages])
    scans = np.array([page.page for page in pages])
    precisions = []
    for query, row in enumerate(similarity):
        same = writers == writers[query]
        counted = ~(same & (scans == scans[query]))  # the query itself is among them
        order = np.argsort(-row.numpy(), kind="stable")
        hits = same[order[counted[order]]]
        if hits.any():
            ranks = np.flatnonzero(hits) + 1
            precisions.append(np.mean(np.arange(1, len(ranks) + 1) / ranks))
    return 100 * float(np.mean(precisions))


def pooled(features: Tensor, pool: Callable[[Tensor], Tensor]) -> Tensor:
    """Pool in small groups, in float32."""
    with torch.inference_mode():
        return torch.cat([pool(part.float()) for part in features.split(10)])


def gmp(rho: float, mean: Tensor | None = None) -> Callable[[Tensor], Tensor]:
    def pool(features: Tensor) -> Tensor:
        centred = features if mean is None else features - mean[:, None]
        return generalized_max_pool(centred, rho, relative=True)

    return pool


def training_means(
    patches: Tensor,  # (pages, C): averages of the centre patches of the training pages
    whole: Tensor,  # (pages, C): averages of the whole pages
    positions: Tensor,  # (pages,): of the whole pages
    pages: list[Page],
    test_pages: list[Page],
) -> dict[str, Tensor]:
    """What the channel mean of the training pages can be taken to be, each (C,)."""

    def mean_of_means(keys: list[str]) -> Tensor:
        groups = [patches[[key == each for key in keys]].mean(0) for each in sorted(set(keys))]
        return torch.stack(groups).mean(0)

    shared = {page.source for page in test_pages}
    return {
        "whole pages, every position alike": (positions @ whole / positions.sum()).float(),
        "whole pages, every page alike": whole.mean(0).float(),
        "centre patches, every page alike": patches.mean(0),
        "centre patches, every scan alike": mean_of_means([page.page for page in pages]),
        "centre patches, every writer alike": mean_of_means([page.writer for page in pages]),
        "centre patches, every source alike": mean_of_means([page.source for page in pages]),
        "centre patches, pages of sources that test pages have": patches[
            [page.source in shared for page in pages]
        ].mean(0),
    }


def whitened(train: Tensor, test: Tensor) -> Tensor:
    """Rotate and scale by the training pages' covariance, shrunk towards its mean eigenvalue."""
    train, test = F.normalize(train.double(), dim=1), F.normalize(test.double(), dim=1)
    mean = train.mean(0)
    _, sigma, vt = torch.linalg.svd(train - mean, full_matrices=False)
    variance = sigma.square() / (len(train) - 1)
    shrink = variance.mean()
    centred = test - mean
    inside = centred @ vt.T
    outside = centred - inside @ vt
    return (inside / (variance + shrink).sqrt()) @ vt + outside / shrink.sqrt()


def table(model: ResNet, data: Path) -> str:
    train_pages, test_pages = read_pages(data, "train"), read_pages(data, "test")
    names = ["layer4, stride 2", "layer4, stride 1", "layer3"]
    whole = whole_pages(model, train_pages, set(names))
    train, test = (extract(model, p, 256, set(names)) for p in (train_pages, test_pages))
    shares = (1, 10, 100)  # λ in units of mean‖φᵢ‖²
    head = ["map", "N", "avg", "avg, whitened", "avg centred", "max", "GeM 3", "LSE 10"]
    head += [f"GMP centred, λ={share}·mean‖φᵢ‖²" for share in shares]
    rhos = [f"ρ={rho:g}" for rho in RHOS]
    plain = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    means = [
        "| map | mean | avg centred | " + " | ".join(f"λ={k}·mean‖φᵢ‖²" for k in shares) + " |",
        "|" + "---|" * (3 + len(shares)),
    ]
    sweep = ["| map | features | " + " | ".join(rhos) + " |", "|" + "---|" * (2 + len(rhos))]
    for name in names:
        features, positions = test[name], test[name].shape[2]
        average = {
            key: pooled(maps[name], lambda part: part.mean(2))
            for key, maps in (("train", train), ("test", test))
        }
        candidates = training_means(average["train"], *whole[name], train_pages, test_pages)
        mean = candidates["whole pages, every position alike"]
        for label, other in candidates.items():
            centred = [average["test"] - other]
            centred += [pooled(features, gmp(share / positions, other)) for share in shares]
            scores = [f"{mean_average_precision(v, test_pages):.1f}" for v in centred]
            means.append(f"| {name} | {label} | " + " | ".join(scores) + " |")
            print(means[-1], flush=True)
        channels = features.shape[1]
        vectors = [
            average["test"],
            whitened(average["train"], average["test"]),
            average["test"] - mean,
            *(
                pooled(features, make_pooling(key, channels=channels))
                for key in ("max", "gem", "lse")
            ),
        ]
        vectors += [pooled(features, gmp(share / positions, mean)) for share in shares]
        scores = [f"{mean_average_precision(v, test_pages):.1f}" for v in vectors]
        plain.append(f"| {name} | {positions} | " + " | ".join(scores) + " |")
        for label, shift in (("raw", None), ("centred", mean)):
            row = [
                mean_average_precision(pooled(features, gmp(rho, shift)), test_pages)
                for rho in RHOS
            ]
            best = max(row)
            cells = [f"**{v:.1f}**" if v == best else f"{v:.1f}" for v in row]
            sweep.append(f"| {name} | {label} | " + " | ".join(cells) + " |")
            print(sweep[-1], flush=True)
    return "\n".join(
        [
            f"{len(test_pages)} test pages by {len({p.writer for p in test_pages})} writers, "
            "centre 256 px, mAP in percent.",
            "",
            *plain,
            "",
            "GMP with a relative ridge:",
            "",
            *sweep,
            "",
            "Means of the training pages, GMP centred:",
            "",
            *means,
        ]
    )


STUDY = [
    (128, "layer4, stride 2"),
    (256, "layer4, stride 2"),
    (256, "layer4, stride 1"),
    (256, "layer3"),
    (256, "layer2"),
    (512, "layer4, stride 2"),
    (512, "layer3"),
    (512, "layer2"),
]


def study(model: ResNet, data: Path) -> tuple[str, list[dict[str, object]]]:
    pages = read_pages(data, "train")
    lines = [
        f"{len(pages)} training pages by {len({p.writer for p in pages})} writers, mAP in percent; "
        "in bold the best ρ of a row.",
        "",
        "| centre patch | map | C | N | features | avg | "
        + " | ".join(f"ρ={rho:g}" for rho in RHOS)
        + " |",
        "|" + "---|" * (6 + len(RHOS)),
    ]
    records: list[dict[str, object]] = []
    for side in sorted({side for side, _ in STUDY}):
        maps = extract(model, pages, side, {name for size, name in STUDY if size == side})
        for name in [name for size, name in STUDY if size == side]:
            features = maps[name]
            mean = pooled(features, lambda part: part.mean(2)).mean(0)
            for label, shift in (("raw", None), ("centred", mean)):
                base = pooled(features, lambda part: part.mean(2))
                average = mean_average_precision(base if shift is None else base - mean, pages)
                row = [
                    mean_average_precision(pooled(features, gmp(rho, shift)), pages) for rho in RHOS
                ]
                cells = [f"**{v:.1f}**" if v == max(row) else f"{v:.1f}" for v in row]
                lines.append(
                    f"| {side} px | {name} | {features.shape[1]} | {features.shape[2]} | {label} "
                    f"| {average:.1f} | " + " | ".join(cells) + " |"
                )
                print(lines[-1], flush=True)
                records += [
                    {
                        "side": side,
                        "map": name,
                        "positions": features.shape[2],
                        "features": label,
                        "avg": round(average, 1),
                        "rho": rho,
                        "map_percent": round(v, 1),
                    }
                    for rho, v in zip(RHOS, row, strict=True)
                ]
    return "\n".join(lines), records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["test", "study"])
    parser.add_argument("--data", type=Path, required=True, help="folder with writers.csv")
    parser.add_argument("--weights", type=Path, required=True, help="ResNet-50, v1 strides")
    args = parser.parse_args()
    model = resnet50(classes=None, stride_in_1x1=True).eval()
    load_weights(model, args.weights)
    RESULTS.mkdir(exist_ok=True)
    if args.what == "test":
        (RESULTS / "frozen_features.md").write_text(table(model, args.data) + "\n")
        return
    text, records = study(model, args.data)
    (RESULTS / "ridge_study.md").write_text(text + "\n")
    with (RESULTS / "ridge_study.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(records)


if __name__ == "__main__":
    main()
