"""The course as pip installs it from a wheel: C++ sources, headers and records travel with it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from autograder.classroom import ROOT
from tests.benchmarks.wheels import build_wheel, use


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"), "--no-build-isolation")


def test_a_wheel_has_every_file_but_the_answers(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if not name.partition("/")[0].endswith(".dist-info")}
    listed = subprocess.run(
        ["git", "ls-files", "course", "autograder"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    pictures = {name for name in listed if name.endswith((".png", ".md"))}
    assert inside == {name for name in listed if not name.startswith("autograder/hidden/")} - pictures


def test_what_a_wheel_installs_works(wheel: Path, tmp_path: Path) -> None:
    """PyTorch, which is large, is this environment's; all of the course is the wheel's."""
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    here = sysconfig.get_path("purelib")
    there = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    (there / "others.pth").write_text(here)
    use(environment / "bin", tmp_path)
