"""`course lab`: copies the released notebooks, builds what the first kernel needs, and opens JupyterLab."""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.version import Version

from course.errors import CourseError
from course.notebook.reset import RELEASED
from course.notebook.saved import put_back, read_notebook
from course.prepare import install
from course.toolchains.cache import RECORD, cache_root, shared_base

SETTINGS = RELEASED.with_name("student_menus")  # of JupyterLab: its menus, and in a clone its extension
KEPT = ".released"  # in a learner's folder: what was copied there, which shows what the learner has changed
FIRST = "#include <torch/extension.h>\ntorch::Tensor same(torch::Tensor A) { return A; }"


def lab(folder: str | None, options: Sequence[str]) -> None:
    """Copy the released notebooks to a folder and become JupyterLab there. Installs PyTorch if it is missing.

    Parameters
    ----------
    folder : str, optional
        By default `lab`, or the current folder if it is a learner's folder.
    options : sequence of str
        Further options of JupyterLab.

    Raises
    ------
    CourseError
        If JupyterLab is not installed, or the folder cannot be written.
    """
    if not importlib.util.find_spec("jupyterlab"):
        raise CourseError('JupyterLab is not installed here: pip install "jupyterlab>=4.6,<5".')
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_core.paths import jupyter_runtime_dir

    if not importlib.util.find_spec("torch"):
        if not importlib.util.find_spec("pip"):
            raise CourseError("PyTorch is not installed here, nor is pip: uv pip install --torch-backend=auto torch.")
        install(sys.executable, "")
    where = Path(folder or ("." if Path(KEPT).is_dir() else "lab")).resolve()
    try:
        said = [*copy_notebooks(where)]
        kernel = get_kernel_dict(["--ext=course"])  # after each start of a notebook's kernel, `check` is there
        _write(where / KEPT / "kernels" / "python3" / "kernel.json", json.dumps(kernel).encode())
    except OSError as error:
        what = f"{error.filename or where} cannot be written ({error.strerror})"
        raise CourseError(f"{what}: name another folder, as in course lab FOLDER.") from None
    try:
        Path(jupyter_runtime_dir()).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(
            f"{error.filename} cannot be written ({error.strerror}), as JupyterLab must: choose another home, as in "
            "HOME=/tmp/home course lab."
        ) from None
    if not any([*root.glob(f"counting/*/{RECORD}")] for root in (cache_root(), shared_base()) if root):
        said.append(
            "What a first kernel needs is built meanwhile, once on each machine: about 40 s of two cores, 40 MB."
        )
    print(f"Your notebooks are in {where}.", *said, sep="\n", flush=True)
    build = [sys.executable, "-m", "course.notebook.lab"]  # its stdout has a progress line, amid JupyterLab's messages
    subprocess.Popen(build, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    first = min(RELEASED.glob("*/*.ipynb")).relative_to(RELEASED).as_posix()
    root = [] if os.getuid() else ["--allow-root"]
    open_at = [f"--ServerApp.root_dir={where}", f"--LabApp.default_url=/lab/tree/{first}"]
    for name, place in (
        ("JUPYTER_CONFIG_PATH", SETTINGS),
        ("JUPYTER_PATH", SETTINGS),
        ("JUPYTER_PATH", where / KEPT),
        ("PATH", Path(sys.executable).parent),  # so that a terminal of JupyterLab finds `course`
    ):
        os.environ[name] = os.pathsep.join(filter(None, [str(place), os.environ.get(name)]))
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", *open_at, *root, *options])


def copy_notebooks(folder: Path) -> Iterator[str]:
    """Copy the released files to a learner's folder, but not over a learner's work, and yield what to tell the learner.

    A copy that the learner has not changed is replaced by a later release's. Each file is replaced in one step, so an
    interrupted copy can be repeated.
    """
    version = importlib.metadata.version("cuda-kernels-course")
    stamp = folder / KEPT / "version"
    known = stamp.read_text() if stamp.exists() else ""
    if known and Version(known) > Version(version):
        yield f"They are of version {known} of the course, and this is the older {version}: all stay as they are."
        return
    older = []
    for released in sorted(RELEASED.glob("[!._]*/[!._]*")):
        name = released.relative_to(RELEASED)
        copy, kept, new = folder / name, folder / KEPT / name, released.read_bytes()
        before = copy.read_bytes() if copy.exists() else None
        if before in (None, new) or (kept.exists() and before == kept.read_bytes()):
            for path in (copy, kept):
                if not path.exists() or path.read_bytes() != new:
                    _write(path, new)
            continue
        try:
            if copy.suffix == ".ipynb":
                read_notebook(copy)
        except CourseError as error:
            yield put_back(error, copy)
        else:
            if not kept.exists() or kept.read_bytes() != new:
                older.append(copy.name)
    _write(stamp, version.encode())
    if older:
        yield (
            f"Kept as you left them, but of an earlier release: {', '.join(older)}. Rename a notebook and run this "
            "command again to get the new one beside it."
        )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def build_first() -> None:
    """Build what the first kernel and the first check need, once on each machine, and say so on stderr."""
    from course.build import load_inline
    from course.toolchains.emulator.self_test import counting_problem

    start = time.monotonic()
    load_inline("first", cuda_sources=FIRST, functions=["same"])
    print(f"A first kernel is built, after {time.monotonic() - start:.0f} s: %%cuda is ready.", file=sys.stderr)
    counting_problem()
    print(f"A first trace is built, after {time.monotonic() - start:.0f} s: check is ready.", file=sys.stderr)


if __name__ == "__main__":
    os.nice(5)  # the page comes first
    try:
        build_first()
    except (CourseError, KeyboardInterrupt) as error:
        sys.exit(str(error))
