"""`python -m tests.benchmarks.colab PYTHON [ASSIGNMENT ...]`: each notebook alone, among Colab's packages.

PYTHON is an interpreter, preferably 3.13, which Colab has. Colab's packages are installed into a virtual environment at
Colab's versions, as in its published lists of August 2026; PyTorch is from PyPI, for another CUDA release, and has
several GB. Each released notebook, or each one named, is stamped with an address that git maps to this repository's
last commit. It then runs in an empty folder and installs the course itself. Afterwards `pip freeze` must still print
each line that it printed before. The notebook must have picked the GPU, if there is one, and said so.

If nothing can be downloaded, set PIP_NO_INDEX=1: PyTorch and the other libraries are then PYTHON's own, Colab's Jupyter
and setuptools come from the wheels in PIP_FIND_LINKS, and the course is installed from this folder, without git.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from autograder.classroom import ROOT, Classroom
from autograder.plugins.stamp_repository import FIRST, MISSING, StampRepository

JUPYTER = ("ipython==7.34.0", "ipykernel==6.17.1", "jupyter_client==7.4.9", "traitlets==5.7.1", "nbclient==0.10.4")
OTHERS = (
    *("torch==2.11.0", "numpy==2.1.3", "matplotlib==3.10.0", "pandas==2.2.3", "tqdm==4.67.1", "pytest==8.4.2"),
    *("notebook==6.5.7", "nbconvert==7.17.1", "setuptools"),
)
REPOSITORY = "https://github.com/owner/course"
OFFLINE = "PIP_NO_INDEX" in os.environ
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
# Where CUDA code runs, as a notebook's first lines must say.
DEVICE = """
import torch
print(torch.cuda.get_device_name() if torch.cuda.is_available() else "the emulator, on this computer's CPU")
"""
# Does what Colab's front end does, but without one: runs each cell, even if the cell before has failed.
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
NotebookClient(notebook, timeout=900, startup_timeout=120, kernel_name="python3", allow_errors=True).execute()
nbformat.write(notebook, path)
"""


def main() -> int:
    """Run the notebooks, print a line for each, and say what differs. Returns 1 if anything is not as it should be."""
    assignments = list(Classroom(ROOT).assignments)
    names = sys.argv[2:] or assignments
    if len(sys.argv) < 2 or not set(names) <= set(assignments):
        print(
            "Name the interpreter, and assignments if not all: python -m tests.benchmarks.colab python3.13 08-model-new"
        )
        return 2
    with tempfile.TemporaryDirectory() as work:
        python = _environment(sys.argv[1], Path(work))
        before, device, bad = _frozen(python), _output(python, "-c", DEVICE).strip(), False
        for name in names:
            start = time.monotonic()
            notebook = _run(python, Path(work), name)
            errors, where = _errors(notebook), _where(notebook)
            changed = sorted(before - _frozen(python))
            seconds = time.monotonic() - start
            on = where if where == device else f"{where} in place of {device}"
            said = f"{errors or 'no cell failed'}, {changed or 'nothing'} replaced"
            print(f"{name}, on {on}: {seconds:.0f} s, {said}", flush=True)
            bad = bad or bool(errors or changed or where != device)
            _output(python, "-m", "pip", "uninstall", "-q", "-y", "cuda-kernels-course")
    return int(bad)


def _environment(python: str, work: Path) -> str:
    """The interpreter of a new virtual environment with Colab's packages."""
    inside = str(work / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "venv", *["--without-pip"] * OFFLINE, work / "venv"], env=ENVIRONMENT, check=True)
    if OFFLINE:  # if PYTHON is a venv's, --system-site-packages would give the packages of the venv's own base
        own = _output(python, "-c", "import site; print(*site.getsitepackages(), sep='\\n')")
        next(work.glob("venv/lib/*/site-packages")).joinpath("own.pth").write_text(own)
    packages = JUPYTER if OFFLINE else JUPYTER + OTHERS
    subprocess.run([inside, "-m", "pip", "install", "-q", *packages], env=ENVIRONMENT, check=True)
    return inside


def _output(*command: str) -> str:
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True).stdout


def _frozen(python: str) -> set[str]:
    return set(_output(python, "-m", "pip", "freeze").splitlines())


def _run(python: str, work: Path, name: str) -> nbformat.NotebookNode:
    """The released notebook `name`, run by `python` in a folder of its own."""
    folder = work / name
    folder.mkdir()
    resources = {"nbgrader": {"notebook": name}}
    notebook = Classroom(ROOT).read("notebooks", name)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = first.source.removeprefix(f"{FIRST}{MISSING}")  # of a release without an address
    commit = _output("git", "-C", str(ROOT), "rev-parse", "HEAD").strip()  # pip would take HEAD for a branch's name
    notebook, _ = StampRepository(repository=REPOSITORY, tag=commit).preprocess(notebook, resources)
    if OFFLINE:
        first.source = first.source.replace(f"git+{REPOSITORY}@{commit}", str(ROOT))
    nbformat.write(notebook, folder / "notebook.ipynb")
    environment = {
        **ENVIRONMENT,
        "PATH": f"{Path(python).parent}:{os.environ['PATH']}",
        "COURSE_CACHE": str(folder / "cache"),
        "COLAB_RELEASE_TAG": "as in Colab",
        **{
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
            "GIT_CONFIG_VALUE_0": REPOSITORY,
        },
    }
    subprocess.run([python, "-c", EXECUTE, "notebook.ipynb"], cwd=folder, env=environment, check=True)
    return nbformat.read(folder / "notebook.ipynb", as_version=4)


def _where(notebook: nbformat.NotebookNode) -> str:
    """What the notebook says its CUDA code runs on."""
    printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    said = re.search(r"^CUDA code runs on: (.+)", printed, re.MULTILINE)
    return said[1] if said else "nothing that it names"


def _errors(notebook: nbformat.NotebookNode) -> str:
    """The cells that failed, except those that show an error on purpose."""
    failed = [
        f"{cell.id}: {output.ename}: {output.evalue}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", [])
    ]
    return "; ".join(failed)


if __name__ == "__main__":
    sys.exit(main())
