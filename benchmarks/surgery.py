"""Surgery tried on other people's models: one per family of timm and torchvision, random weights.

    python benchmarks/surgery.py            all, and the table in docs/models.md
    python benchmarks/surgery.py vit vgg    those whose names hold one of these

Four things are looked at: the new pooling is called once; an average in the place of the old
pooling changes nothing (in models that take a class token or attention: gives the head the mean of
the patches); the ridge gets a gradient; ``forward_head(forward_features(x))`` is ``forward(x)``,
and what is pooled is still a map.
"""

import contextlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from dgmp.errors import SurgeryError
from dgmp.models import replace_global_pooling
from dgmp.pooling import AveragePool, GeneralizedMaxPool

# The smallest of each module and kind of head in timm 1.0, and a few more families.
TIMM = """
    beit_base_patch16_224 cait_xxs24_224 coat_lite_tiny coat_tiny coatnet_0_224 convit_tiny
    convmixer_768_32 convnext_tiny_hnf cpubone_nano crossvit_tiny_240 cs3darknet_focus_s
    csatv2 cspnext_tiny davit_tiny deepseek_vit_412m deit_tiny_distilled_patch16_224
    deit_tiny_patch16_224 densenet121 dla46x_c dpn48b edgenext_xx_small efficientformer_l1
    efficientformerv2_s0 efficientvim_m1 efficientvim_m1_dist efficientvit_b0
    efficientvit_l1 efficientvit_m0 ese_vovnet19b_slim_dw eva02_tiny_patch14_336
    fasternet_t0 fastvit_t8 focalnet_tiny_srf gcvit_xxtiny gemma4_vit_167m ghostnet_050
    gmlp_ti16_224 halonet_h1 hardcorenas_a hgnetv2_b0 hiera_tiny_224 hrnet_w18_small
    iformer_t inception_next_atto inception_resnet_v2 inception_v3 inception_v4
    lcnetv2_small legacy_seresnet18 legacy_xception levit_128s levit_256d lowformer_b0
    mambaout_femto mixer_s32_224 mobilenetv3_small_050 mobilenetv5_300m mobilevit_xxs
    mvitv2_small_cls mvitv2_tiny naflexvit_base_patch16_gap naflexvit_base_patch16_map
    nasnetalarge nest_tiny nextvit_small pit_ti_224 pnasnet5large poolformerv2_s12 pvt_v2_b0
    qwen3_vit_88m rdnet_tiny regnetx_002 repghostnet_050 repvit_m1 res2next50 resmlp_12_224
    resnest14d resnet50_clip resnet50_mlp resnetv2_18 rexnet_100 sam2_hiera_tiny
    samvit_base_patch16_224 selecsls42 sequencer2d_s shvit_s1 skresnet18 starnet_s050
    swiftformer_xs swin_tiny_patch4_window7_224 swinv2_cr_tiny_224 swinv2_tiny_window8_256
    test_byobnet test_coatnet test_convnext test_efficientnet test_mambaout test_nfnet
    test_resnet test_vit test_vit2 test_vit3 test_vit_relpos tiny_vit_5m_224
    tnt_s_legacy_patch16_224 tresnet_m twins_svt_small vgg11 visformer_tiny
    vit_small_patch16_rope_224 vit_small_patch8_224 vit_tiny_patch16_dinov3_qkvb
    vit_tiny_r_s16_p8_224 vitamin_small_224 volo_d1_224 xception41p xcit_nano_12_p8_224
""".split()  # noqa: SIM905
TORCHVISION = """
    alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3
    maxvit_t mnasnet0_5 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small regnet_x_400mf
    regnet_y_400mf resnet18 resnext50_32x4d shufflenet_v2_x0_5 squeezenet1_1 swin_t swin_v2_t vgg11
    vit_b_32 wide_resnet50_2
""".split()  # noqa: SIM905

# Images of another size than the model's own, and fewer layers: the heads are what is tried.
SMALLER = {
    "csatv2": ({}, 256),
    "deepseek_vit_412m": ({"img_size": 112, "depth": 1}, 112),
    "gemma4_vit_167m": ({"img_size": 96, "depth": 1}, 96),
    "mobilenetv5_300m": ({}, 128),
    "nasnetalarge": ({}, 160),
    "pnasnet5large": ({}, 160),
    "qwen3_vit_88m": ({"img_size": 96, "depth": 1}, 96),
    "sam2_hiera_tiny": ({}, 224),
}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "models.md"
BEGIN, END = "<!-- models: by benchmarks/surgery.py -->", "<!-- end of models -->"


@dataclass(frozen=True)
class Trial:
    """What came of one model."""

    library: str
    name: str
    pooled: str = ""  # what the model did before
    where: str = ""  # where the pooling is now
    map: tuple[int, int] = (0, 0)  # channels and positions that it sees
    faults: tuple[str, ...] = ()
    refused: str = ""

    @property
    def good(self) -> bool:
        """Whether it was operated on, and all checks held."""
        return not self.refused and not self.faults


def make(library: str, name: str) -> tuple[nn.Module, Tensor]:
    """A model with random weights and ten classes, and an image for it."""
    torch.manual_seed(0)
    if library == "timm":
        import timm

        options, size = SMALLER.get(name, ({}, 0))
        model = timm.create_model(name, pretrained=False, num_classes=10, **options)
        size = size or model.default_cfg["input_size"][-1]
    else:
        from torchvision.models import get_model

        options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        model, size = get_model(name, weights=None, num_classes=10, **options), 224
    for parameter in model.parameters():  # a head that begins at zero would hide everything
        if parameter.ndim > 1 and parameter.std() < 1e-3:
            nn.init.normal_(parameter, std=0.02)
    return model.eval(), torch.randn(1, 3, size, size)


def trial(library: str, name: str) -> Trial:
    """Operate on one model and look whether it is still what it was."""
    model, images = make(library, name)
    pooled = str(getattr(model, "global_pool", "") or "") if library == "timm" else ""
    pooled = pooled if pooled in ("token", "map") else "avg"
    if library == "torchvision" and hasattr(model, "class_token"):
        pooled = "token"
    with torch.no_grad():
        before = model(images)
        features = model.forward_features(images) if library == "timm" else None
    average = AveragePool()
    calls: list[Tensor] = []
    average.register_forward_hook(lambda module, given, made: calls.append(given[0]))
    try:
        replace_global_pooling(model, average)
    except SurgeryError as error:
        return Trial(library, name, pooled, refused=str(error))
    faults = []
    with torch.no_grad():
        after = model(images)
        seen = calls[0] if calls else torch.zeros(1, 1, 1)
        if len(calls) != 1:
            faults.append(f"called {len(calls)} times")
        if seen[0, 0].numel() < 2:
            faults.append("pools a single position")
        wanted = before if pooled == "avg" else _head_of_mean(model, seen)
        if not torch.allclose(after, wanted, rtol=1e-4, atol=1e-4 * float(wanted.abs().max())):
            faults.append(
                f"average changes the result by {float((after - wanted).abs().max()):.1e}"
            )
        if features is not None:
            if not torch.equal(model.forward_features(images), features):
                faults.append("forward_features has changed")
            if not torch.allclose(model.forward_head(features), after, rtol=1e-4, atol=1e-5):
                faults.append("head of features is not forward")
    where = next(place for place, module in model.named_modules() if module is average)
    shape = seen.shape[1], seen[0, 0].numel()
    with contextlib.suppress(SurgeryError):
        replace_global_pooling(model, GeneralizedMaxPool(relative=True, center=shape[0] + 1))
        faults.append("takes a wrong center")
    pooling = GeneralizedMaxPool(relative=True, center=shape[0])
    replace_global_pooling(model, pooling)
    model(images).square().sum().backward()
    gradients = [parameter.grad for parameter in pooling.parameters()]
    if not all(grad is not None and grad.isfinite().all() and grad.any() for grad in gradients):
        faults.append("no gradient for the ridge")
    return Trial(library, name, pooled, where.removesuffix(".pooling"), shape, tuple(faults))


def _head_of_mean(model: nn.Module, seen: Tensor) -> Tensor:
    """What the layers after the pooling make of the mean of the patches."""
    vector = seen.flatten(start_dim=2).mean(dim=2)
    if hasattr(model, "heads"):
        return model.heads(vector)
    scores = [
        getattr(model, name)(getattr(model, "fc_norm", nn.Identity())(vector))
        for name in ("head", "head_dist")
        if isinstance(getattr(model, name, None), nn.Module)
    ]
    mean = torch.stack(scores).mean(dim=0)
    if getattr(model, "aux_head", None) is not None:  # VOLO: the best of the patches on top
        mean = mean + 0.5 * model.aux_head(seen.flatten(start_dim=2).mT).amax(dim=1)
    return mean


def table(trials: list[Trial]) -> str:
    """All trials as Markdown, and how many went well."""
    lines = []
    for library in ("timm", "torchvision"):
        ours = [one for one in trials if one.library == library]
        lines.append(f"{library}: {sum(one.good for one in ours)} of {len(ours)}.\n")
        lines += ["| model | pooled by | now in | channels × positions |", "|---|---|---|---|"]
        kinds = {"avg": "average", "token": "class token", "map": "attention"}
        for one in ours:
            if one.refused:
                reason = one.refused.partition(" module: ")[2] or one.refused
                reason = re.split(r"[.:] ", reason)[0]
                lines.append(f"| `{one.name}` | – | refused | {reason} |")
            else:
                found = f"{one.map[0]} × {one.map[1]}" + "".join(f"; {f}" for f in one.faults)
                lines.append(f"| `{one.name}` | {kinds[one.pooled]} | `{one.where}` | {found} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parts = sys.argv[1:]
    every = [("timm", name) for name in TIMM] + [("torchvision", name) for name in TORCHVISION]
    trials = []
    for library, name in every:
        if not parts or any(part in name for part in parts):
            trials.append(one := trial(library, name))
            told = one.refused or "; ".join(one.faults) or f"{one.where} {one.map}"
            print(f"{'ok' if one.good else 'NO':3}{library} {name}: {told}", flush=True)
    print(table(trials) if parts else f"{sum(one.good for one in trials)} of {len(trials)}")
    if not parts:
        text = PAGE.read_text(encoding="utf-8")
        head, tail = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{head}{BEGIN}\n\n{table(trials)}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
