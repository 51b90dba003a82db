"""`make figures`: the README's pictures of a verdict, on a mistake from the gallery, and of a trace. Needs Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from autograder.gallery import gallery
from course.cells import trace
from course.judge import judge
from tests.benchmarks.emulator import built
from tests.benchmarks.kernels import ROOT

MISTAKE = "00-grid-rounded-down"
PICTURES = ROOT / "course" / "recorded"
PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><style>
body {{ font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; margin: 14px 18px; width: 860px; }}
pre {{ background: #f4f4f4; padding: 8px 12px; font: 13px/1.4 "DejaVu Sans Mono", monospace; }}
</style></head><body><pre>{source}</pre>{verdict}</body></html>"""


def main() -> int:
    """Write both pictures, as the emulator has them. Returns 1 without Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium was not found: install it (on Debian and Ubuntu: apt install chromium).", file=sys.stderr)
        return 1
    photograph_verdict(browser, PICTURES / "verdict.png")
    (PICTURES / "trace.png").write_bytes(traced())
    print(f"Written: verdict.png and trace.png in {PICTURES.relative_to(ROOT)}")
    return 0


def photograph_verdict(browser: str, picture: Path) -> None:
    """Judge the mistake and take a screenshot of its verdict."""
    mistake = next(each for each in gallery() if each.name == MISTAKE)
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator", seed=1)
    launch = next(line for line in mistake.answer.source.splitlines() if "<<<" in line)
    page = PAGE.format(source=launch.strip().replace("<", "&lt;"), verdict=verdict._repr_html_())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "verdict.html").write_text(page)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=900,500"]
        target = [f"--screenshot={picture}", f"file://{folder}/verdict.html"]
        subprocess.run([browser, *options, *target], check=True, stderr=subprocess.DEVNULL, cwd=folder)


def traced() -> bytes:
    """The PNG of what one load of a warp asks for in the kernel that gives each row to one thread."""
    by_row = built("01-row-scaling", "row-kernel")
    return trace(by_row.scale_rows, torch.ones(64), torch.ones(64, 512)).plot(array="B").png


if __name__ == "__main__":
    sys.exit(main())
