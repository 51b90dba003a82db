"""The course as pip installs it from a wheel: C++ sources, headers and records travel with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from autograder.classroom import ROOT
from tests.benchmarks.wheels import build_wheel, use

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"), "--no-build-isolation")


def test_a_wheel_has_every_file_but_the_answers(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if not name.partition("/")[0].endswith(".dist-info")}
    listed = subprocess.run(
        ["git", "ls-files", "course", "autograder"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    pages = {name for name in listed if name.endswith(".md")}
    data = next(name for name in inside if ".data/data/" in name).partition("/")[0]
    extension = f"{data}/data/share/jupyter/labextensions/cuda-kernels-course/"
    links = {"course/released", "course/student_menus/labextensions/cuda-kernels-course"}
    placed = {name.replace("course/labextension/", extension) for name in listed if name not in links}
    notebooks = {f"course/released/{path.parent.name}/{path.name}" for path in ROOT.glob("notebooks/*/*.ipynb")}
    of_a_clone = ("autograder/hidden/", "autograder/templates/question")  # answers, and what `question add` copies
    assert inside == {name for name in placed if not name.startswith(of_a_clone)} - pages | notebooks


def test_neither_wheel_nor_bundle_gives_answers_away(wheel: Path, tmp_path: Path) -> None:
    subprocess.run(["make", "-C", ROOT, "student-bundle", f"DIST={tmp_path}"], check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as bundle:
        in_bundle = {name.partition("/")[2] for name in bundle.getnames()}
    for names in (set(zipfile.ZipFile(wheel).namelist()), in_bundle):
        assert "course/build.py" in names
        assert not [name for name in names if name.startswith(("tests/", "solutions/", "autograder/hidden/"))]
        kernels = {name for name in names if name.endswith((".cu", ".ptx"))}
        # The first is run to try a sandbox before use. The others are kernels that the course provides for notebook 09.
        assert kernels <= {"autograder/judging/probe.cu", "course/kernels/mma.cu", "course/kernels/wgmma.cu"}


def installed(environment: Path, *what: str | Path) -> Path:
    """The programs of a new virtual environment with the course; the large PyTorch is this environment's."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    there = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (there / "others.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python"]
    # A build's metadata in a folder on PYTHONPATH would count as installed.
    options = ["--quiet", "--no-deps", "--no-index", "--ignore-installed", "--no-build-isolation"]
    subprocess.run([*pip, "install", *options, *what], check=True)
    return environment / "bin"


def test_what_a_wheel_installs_works(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    use(installed(environment, wheel), tmp_path)
    extension = environment / "share" / "jupyter" / "labextensions" / "cuda-kernels-course"
    loaded = json.loads((extension / "package.json").read_text())["jupyterlab"]["_build"]["load"]
    assert (extension / loaded).stat().st_size < 12_000  # bytes: it is written by hand, and read


def test_a_clone_named_course_hides_nothing_from_what_is_started_beside_it(tmp_path: Path) -> None:
    clone = tmp_path / "course"
    for name in ("course", "autograder"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    (clone / "build").mkdir()  # as tests leave it behind
    python = installed(tmp_path / "venv", "--editable", clone) / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ask = "import autograder, course.build; print(course.build.__file__)"
    told = subprocess.check_output([python, "-c", ask], cwd=tmp_path, env=environment, text=True)
    assert Path(told.strip()) == clone / "course" / "build.py"


@pytest.mark.seldom
def test_a_later_bundle_unpacked_over_an_older_one_works(fresh_cache: Path, tmp_path: Path) -> None:
    """With files of 0.1.0 that no longer exist, of the tasks and of the emulator's runtime.

    If the runtime's old file were compiled, what the cache has would not be the right one, and the build would fail.
    """
    shutil.copytree(ROOT / "course", tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    tasks, runtime = tmp_path / "course" / "tasks", tmp_path / "course" / "toolchains" / "emulator" / "runtime"
    (tasks / "relu_few_requests.py").write_text("from course.tasks.relu import *\nCASES = [Case(most={})]\n")
    (runtime / "emulator.cpp").write_text('#error "older"\n')
    (tmp_path / "course" / "worker.py").write_text("raise ImportError('older')\n")
    program = (
        "import sys; from course.referee.judge import judge; from course.worker.protocol import Answer; "
        "print(judge(Answer('cuda', sys.argv[1], 'add'), 'vector_add', toolchain='emulator').text())"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program, (ROOT / "autograder" / "judging" / "probe.cu").read_text()]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "cases passed" in done.stdout, done.stdout + done.stderr
