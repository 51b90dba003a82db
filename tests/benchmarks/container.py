"""`python -m tests.benchmarks.container [OPTION ...]`: build the Dockerfile without Docker, and check an answer there.

This needs root, debootstrap and buildah. debootstrap makes the base image, and buildah runs the steps in a chroot, as
the Dockerfile's user. The options are buildah's, for a network where PyTorch's index or PyPI is not reached directly:
`--build-arg TORCH_INDEX=ADDRESS`, or `--volume /etc/pip.conf:/etc/pip.conf:ro`. A volume is not a part of the image.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat

from autograder.classroom import ROOT, Classroom

LIMIT = 2200 * 10**6 // 2**20  # MiB
PORT = 18888  # on this machine, whose network the chroot has
ANSWER = "00-add-check"
# In the image: runs a notebook, and prints the seconds and the first line of the last cell's verdict.
EXECUTE = """
import sys, time, nbformat
from nbclient import NotebookClient
start, notebook = time.monotonic(), nbformat.reads(TEXT, as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
verdict = notebook.cells[-1].outputs[-1].data["text/plain"].splitlines()[0]
print(f"{time.monotonic() - start:.0f} s: {verdict}")
"""


def main() -> int:
    """Build the image, print its size and what it can do. Returns 1 if anything is not as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        image, minutes = _build(work)
        size = int(subprocess.check_output(["du", "-sm", _buildah(work, "mount", image)]).split()[0])
        print(f"{size} MiB, built in {minutes:.1f} minutes after the base", flush=True)
        said = _checked(work, image)
        print(f"00 up to {ANSWER}, as {_run(work, image, 'id', '-un')}: {said}", flush=True)
        seconds = _served(work, image)
        print(f"JupyterLab served after {seconds:.0f} s")
        _buildah(work, "umount", image)
    return int(size > LIMIT or "2 of 2 points" not in said)


def _buildah(work: Path, *command: str | Path) -> str:
    """The last line that a command of buildah prints on stdout; it keeps all its files in `work`."""
    print("+ buildah", *command, file=sys.stderr, flush=True)
    output = subprocess.check_output([*_buildah_in(work), *command], text=True, stdin=subprocess.DEVNULL)
    return output.strip().rpartition("\n")[2]


def _buildah_in(work: Path) -> tuple[str | Path, ...]:
    return ("buildah", "--storage-driver=vfs", "--root", work / "store", "--runroot", work / "run")


def _run(work: Path, image: str, *command: str) -> str:
    return _buildah(work, "run", "--isolation=chroot", image, "--", *command)


def _build(work: Path) -> tuple[str, float]:
    """A container of the Dockerfile's image, and the minutes of the Dockerfile's steps."""
    base, suite = re.findall(r"^FROM (debian:(\w+)-slim)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[0]
    subprocess.run(["debootstrap", "--variant=minbase", suite, work / "base"], check=True, stdout=sys.stderr)
    documentation = (f"usr/share/{name}" for name in ("doc", "info", "locale", "man"))
    for name in ("var/cache/apt/archives", "var/lib/apt/lists", *documentation):  # which the real base image has not
        shutil.rmtree(work / "base" / name)
    scratch = _buildah(work, "from", "scratch")
    _buildah(work, "add", "--quiet", scratch, work / "base", "/")
    _buildah(work, "commit", "--quiet", "--rm", scratch, f"docker.io/library/{base}")
    start = time.monotonic()
    _buildah(work, "build", "--isolation=chroot", "--pull-never", "--tag=course", *sys.argv[1:], ROOT)
    minutes = (time.monotonic() - start) / 60
    return _buildah(work, "from", "--pull-never", "course"), minutes


def _checked(work: Path, image: str) -> str:
    """What the image says about the solution of notebook 00's first kernel, judged in a notebook."""
    notebook = Classroom(ROOT).read("solutions", "00-first-kernel")
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    notebook.cells = notebook.cells[: names.index(ANSWER) + 1]
    program = f"TEXT = {nbformat.writes(notebook)!r}\n{EXECUTE}"
    return _run(work, image, "python", "-c", program)


def _served(work: Path, image: str) -> float:
    """The seconds until the image's own command serves JupyterLab."""
    settings = json.loads(subprocess.check_output([*_buildah_in(work), "inspect", image]))["OCIv1"]["config"]
    command = [*_buildah_in(work), "run", "--isolation=chroot", image, "--", *settings["Cmd"], f"--port={PORT}"]
    start = time.monotonic()
    server = subprocess.Popen(command, start_new_session=True)
    try:
        while server.poll() is None:
            with contextlib.suppress(URLError), urlopen(f"http://127.0.0.1:{PORT}/api"):
                return time.monotonic() - start
            time.sleep(0.2)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
    raise RuntimeError("the image's command ended before JupyterLab served a page")


if __name__ == "__main__":
    sys.exit(main())
