"""`make figures`: the README's picture of a verdict, on a mistake from the gallery. Needs Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.gallery import gallery
from course.judge import judge
from tests.benchmarks.kernels import ROOT

MISTAKE = "00-grid-rounded-down"
PICTURE = ROOT / "course" / "recorded" / "verdict.png"
PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><style>
body {{ font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; margin: 14px 18px; width: 860px; }}
pre {{ background: #f4f4f4; padding: 8px 12px; font: 13px/1.4 "DejaVu Sans Mono", monospace; }}
</style></head><body><pre>{source}</pre>{verdict}</body></html>"""


def main() -> int:
    """Judge the mistake under the emulator and take a screenshot of its verdict. Returns 1 without Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium was not found: install it (on Debian and Ubuntu: apt install chromium).", file=sys.stderr)
        return 1
    mistake = next(each for each in gallery() if each.name == MISTAKE)
    verdict = judge(mistake.answer, mistake.task, toolchain="emulator", seed=1)
    launch = next(line for line in mistake.answer.source.splitlines() if "<<<" in line)
    page = PAGE.format(source=launch.strip().replace("<", "&lt;"), verdict=verdict._repr_html_())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "verdict.html").write_text(page)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=900,500"]
        target = [f"--screenshot={PICTURE}", f"file://{folder}/verdict.html"]
        subprocess.run([browser, *options, *target], check=True, stderr=subprocess.DEVNULL, cwd=folder)
    print(f"Written: {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
