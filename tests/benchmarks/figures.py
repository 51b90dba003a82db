"""`make figures`: the README's pictures, from the screenshots of tests/notebook/test_jupyterlab.py."""

from __future__ import annotations

from PIL import Image

from tests.benchmarks.kernels import ROOT

SCREENSHOTS = ROOT / "build" / "screenshots"
PICTURES = ROOT / "docs" / "img"
NAMES = ("verdict-light", "verdict-dark", "trace-dark", "feedback")


def main() -> None:
    """Write the pictures in 64 colours, which are a third of the bytes."""
    for name in NAMES:
        screenshot = Image.open(SCREENSHOTS / f"{name}.png").convert("RGB")
        screenshot.quantize(64).save(PICTURES / f"{name}.png", optimize=True)
    print(f"Written: {', '.join(NAMES)} in {PICTURES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
