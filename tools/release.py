"""The wheels of a release: built, checked, and tried in an empty environment.

python tools/release.py [--out dist]

Builds dgmp (wheel and source) and dgmp-data (wheel), lets twine look at them, looks for links that
an index cannot follow, installs the bare wheel into a new environment and pools a map there, then
adds ``dgmp[pages]``, describes a page and finds a word on it.
Nothing is uploaded: `twine upload dist/*` is for whoever may.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_000_000  # bytes of the bare wheel
LAYER = """
import sys
import torch
from dgmp import GeneralizedMaxPool, __version__, make_pooling, replace_global_pooling
from dgmp.models import resnet18
pool = GeneralizedMaxPool()
assert pool(torch.randn(2, 8, 5, 5)).shape == (2, 8)
model = replace_global_pooling(resnet18(classes=3), make_pooling("gem", channels=512))
assert model(torch.randn(1, 3, 64, 64)).shape == (1, 3)
foreign = {"typer", "msgspec", "cv2", "PIL", "scipy", "sklearn"} & set(sys.modules)
assert not foreign, foreign
print("layer of", __version__)
"""


def main() -> None:
    """Build, check and try."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    build = [sys.executable, "-m", "build", "--outdir", str(out)]
    run([*build, str(ROOT)])
    run([*build, "--wheel", str(ROOT / "packages" / "dgmp-data")])
    run([sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(out.iterdir()))])
    for file in sorted(out.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file.name}")
    (bare,) = out.glob("dgmp-*.whl")
    if bare.stat().st_size > LARGEST:
        sys.exit(f"{bare.name}: is larger than {LARGEST / 1e6} MB")
    with zipfile.ZipFile(bare) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        if links := re.findall(r"\]\((?!https?:)[^)]*\)", wheel.read(metadata).decode()):
            sys.exit(f"{bare.name}: its README links to {links[0]}, which an index does not have")
    with tempfile.TemporaryDirectory() as folder:
        try_wheels(bare, out, Path(folder))


def try_wheels(bare: Path, out: Path, folder: Path) -> None:
    """Install the bare wheel and use the layer, then the extra for pages and describe one."""
    venv.create(folder / "venv", with_pip=True)
    python, dgmp = folder / "venv" / "bin" / "python", folder / "venv" / "bin" / "dgmp"
    install = [python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt"]
    run([*install, bare], folder)
    run([python, "-c", LAYER], folder)
    run([dgmp, "--help"], folder)
    run([*install, "--find-links", out, f"dgmp[pages] @ {bare.as_uri()}"], folder)
    run([dgmp, "--help"], folder)
    run([dgmp, "synth", "made", "--writers", "2", "--pages", "1"], folder)
    run([dgmp, "describe", "made", "--workers", "0", "--catalogue", "found"], folder)
    run([dgmp, "spot", "found", "et", "-n", "1"], folder)
    print("the wheels can be installed and used")


def run(command: list[object] | list[str], folder: Path = ROOT) -> None:
    """Run a command, shown; its failure ends this program."""
    words = [str(word) for word in command]
    print("$", " ".join(Path(words[0]).name if n == 0 else w for n, w in enumerate(words))[:100])
    if subprocess.run(words, cwd=folder).returncode:
        sys.exit(1)


if __name__ == "__main__":
    main()
