"""`course lab`: a learner's folder through releases, interruptions and accidents; what JupyterLab is started with."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course.cli import main
from course.errors import CourseError
from course.notebook import lab as module
from course.notebook.lab import copy_notebooks, lab
from course.toolchains.cache import cached
from tests.conftest import ROOT

pytestmark = pytest.mark.quick

FIRST, SECOND = (f"{name}/{name}.ipynb" for name in ("00-first-kernel", "01-row-scaling"))


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release of two notebooks, which a test may change."""
    folder = tmp_path / "release"
    for name in (FIRST, SECOND):
        (folder / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / "notebooks" / name, folder / name)
    (folder / FIRST).with_name("own_task.py").write_text("SIZES = {}\n")
    monkeypatch.setattr(module, "RELEASED", folder)
    return folder


@pytest.fixture
def mine(released: Path, tmp_path: Path) -> Path:
    """A learner's folder, with a space in its path."""
    folder = tmp_path / "my course" / "lab"
    assert [*copy_notebooks(folder)] == []
    return folder


def edited(path: Path) -> bytes:
    notebook = json.loads(path.read_text())
    notebook["cells"][-1]["source"] = "what I remember"
    path.write_text(json.dumps(notebook))
    return path.read_bytes()


def released_anew(released: Path, name: str) -> bytes:
    (released / name).write_bytes((released / name).read_bytes() + b"\n")
    return (released / name).read_bytes()


def test_a_later_release_replaces_what_was_not_touched_and_names_what_was(released: Path, mine: Path) -> None:
    work = edited(mine / FIRST)
    assert [*copy_notebooks(mine)] == []  # the same release: nothing to say
    new = [released_anew(released, name) for name in (FIRST, SECOND)]
    (said,) = copy_notebooks(mine)
    assert "of an earlier release: 00-first-kernel.ipynb. Rename" in said
    assert (mine / FIRST).read_bytes() == work and (mine / SECOND).read_bytes() == new[1]
    (mine / FIRST).rename(mine / "00-first-kernel" / "mine.ipynb")
    assert [*copy_notebooks(mine)] == []
    assert (mine / FIRST).read_bytes() == new[0] and (mine / "00-first-kernel" / "mine.ipynb").read_bytes() == work
    assert not [*mine.rglob("*.new")] and (mine / "00-first-kernel" / "own_task.py").exists()


def test_an_interrupted_copy_is_completed(released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each step, when a file is written and not yet in its place; new copies, and later replaced ones."""
    for stop in range(4):
        folder = tmp_path / f"stopped at {stop}"
        for _ in ("new", "replaced"):
            new = released_anew(released, FIRST)
            replace, calls = Path.replace, itertools.count()

            def interrupted(path: Path, target: Path, stop: int = stop, calls=calls, replace=replace) -> Path:
                if next(calls) == stop:
                    raise KeyboardInterrupt
                return replace(path, target)

            with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
                patch.setattr(Path, "replace", interrupted)
                [*copy_notebooks(folder)]
            assert [*copy_notebooks(folder)] == []
            assert (folder / FIRST).read_bytes() == new == (folder / module.KEPT / FIRST).read_bytes()


def test_a_half_written_notebook_is_named_and_kept(mine: Path) -> None:
    (mine / FIRST).write_text('{"cells": [')
    (said,) = copy_notebooks(mine)
    assert said.startswith(f"{mine / FIRST} cannot be read") and "`course reset" in said
    assert (mine / FIRST).read_text() == '{"cells": ['


def test_an_older_version_of_the_course_leaves_a_newer_folder_alone(released: Path, mine: Path) -> None:
    (mine / module.KEPT / "version").write_text("99.0.1")
    before = (mine / SECOND).read_bytes()
    released_anew(released, SECOND)
    (said,) = copy_notebooks(mine)
    assert "of version 99.0.1" in said and (mine / SECOND).read_bytes() == before


def test_what_cannot_work_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["lab", str(tmp_path / "file" / "lab")]) == 2
    assert "cannot be written (Not a directory): name another folder" in capsys.readouterr().err
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    assert main(["lab", str(tmp_path / "lab")]) == 2
    assert "choose another home, as in HOME=/tmp/home course lab." in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CourseError, match=r'pip install "jupyterlab'):
        lab(None, [])


def test_the_first_build_is_announced_until_it_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "COURSE_CACHE": str(tmp_path), "COURSE_CACHE_BASE": ""})
    monkeypatch.setattr(os, "execv", lambda *_: None)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)
    lab(str(tmp_path / "lab"), [])
    assert "about 40 s of two cores" in capsys.readouterr().out
    cached("counting", "as of the self-test", lambda folder: None)
    lab(str(tmp_path / "lab"), [])
    assert capsys.readouterr().out == f"Your notebooks are in {tmp_path / 'lab'}.\n"


JUPYTERLAB = """
import json, sys
from jupyter_client.manager import start_new_kernel
from jupyterlab.labapp import LabApp
manager, client = start_new_kernel(startup_timeout=300)
reply = client.execute_interactive("check, trace, get_ipython().find_cell_magic('cuda').__name__", timeout=300)
manager.shutdown_kernel(now=True)
print()
print(json.dumps([sys.argv[1:], reply["content"]["status"], LabApp().labextensions_path]))
"""


@pytest.mark.slow
def test_jupyterlab_opens_at_the_first_notebook_with_further_options(tmp_path: Path) -> None:
    """With a stand-in for JupyterLab's main module that starts a kernel, and prints what it finds."""
    stand_in = tmp_path / "stand-in" / "jupyterlab"
    stand_in.mkdir(parents=True)
    package = subprocess.check_output(
        [sys.executable, "-c", "import jupyterlab; print(jupyterlab.__path__[0])"], text=True
    )
    (stand_in / "__init__.py").write_text(f"__path__.append({package.strip()!r})\n__version__ = '4'\n")
    (stand_in / "__main__.py").write_text(JUPYTERLAB)
    environment = {**os.environ, "PYTHONPATH": f"{stand_in.parent}:{ROOT}"}
    code = "import sys, course.cli; sys.exit(course.cli.main(['lab', '--', '--ip', '0.0.0.0']))"
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True)
    arguments, names, extensions = json.loads(printed.splitlines()[-1])
    assert arguments[:2] == [f"--ServerApp.root_dir={tmp_path / 'lab'}", f"--LabApp.default_url=/lab/tree/{FIRST}"]
    assert arguments[-2:] == ["--ip", "0.0.0.0"] and (tmp_path / "lab" / FIRST).exists()
    assert names == "ok"  # the kernel has the course's names, before any cell has run
    assert any((Path(each) / "cuda-kernels-course" / "package.json").exists() for each in extensions[:2])
