"""`python -m tests.benchmarks.wheels PYTHON ...`: the course installed from a wheel, for each of these interpreters.

For each, pip installs the wheel and its dependencies into a new virtual environment, and the course is then used in an
empty folder. PyTorch from PyPI has several GB; pip's own settings, such as `PIP_EXTRA_INDEX_URL`, apply.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.classroom import ROOT

SCRIPT = ROOT / "tests" / "scripts" / "row_scaling.py"
KERNEL = """
import sys, torch, course
assert course.__file__.startswith(sys.prefix), course.__file__
source = '''
#include <torch/extension.h>
__global__ void add_one(float* C, int N) { if (threadIdx.x < N) C[threadIdx.x] += 1; }
torch::Tensor ones(int64_t N) {
    auto C = torch::zeros({N});
    add_one<<<1, 1024>>>(C.data_ptr<float>(), N);
    return C;
}
'''
module = course.load_inline("ones", cuda_sources=source, functions=["ones"], toolchain="emulator")
assert torch.equal(module.ones(100), torch.ones(100))
"""


def build_wheel(folder: Path, *options: str) -> Path:
    """The wheel of this working tree, built from a copy in `folder`, so that it has nothing from earlier builds."""
    copy = folder / "copy"
    for name in ("course", "autograder"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *options]
    subprocess.run([*pip, "--wheel-dir", folder, copy], check=True)
    return next(folder.glob("*.whl"))


def use(bin_folder: Path, empty: Path) -> None:
    """Run the doctor, a small kernel and the judge of the course that is installed beside `bin_folder`.

    Raises CalledProcessError if one of them fails.
    """
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {"PATH": f"{bin_folder}:{os.environ['PATH']}", "COURSE_TOOLCHAIN": "emulator"}
    judge = ["course", "judge", str(SCRIPT), "--task", "row_scaling", "--set", "M=30", "--set", "N=70"]
    for command in (["course", "doctor"], ["python", "-c", KERNEL], judge):
        subprocess.run([bin_folder / command[0], *command[1:]], cwd=empty, env=environment, check=True)


def main() -> int:
    """Install and use the wheel; returns 1 if that fails with any of the interpreters, 2 if none is named."""
    if len(sys.argv) == 1:
        print("Name the interpreters: python -m tests.benchmarks.wheels python3.12 python3.13")
        return 2
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        for python in sys.argv[1:]:
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as work:
                try:
                    subprocess.run([python, "-m", "venv", f"{work}/venv"], check=True)
                    subprocess.run([f"{work}/venv/bin/pip", "install", "--quiet", f"{wheel}[torch]"], check=True)
                    use(Path(work, "venv", "bin"), Path(work))
                except subprocess.CalledProcessError as error:
                    failed.append(f"{python}: {error}")
            print(f"{python}: {time.monotonic() - start:.0f} s", flush=True)
    print("\n".join(failed) or "All can install and use the wheel.")
    return min(len(failed), 1)


if __name__ == "__main__":
    sys.exit(main())
