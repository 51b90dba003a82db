"""Whether a machine can run the course, and which PyTorch it gets. `make` runs this file to set up `.venv`.

It runs before anything is installed, perhaps with an old Python: it imports only the standard library, and its syntax
is that of Python 3.6, so that it can say what is missing.
"""

import glob
import os
import platform
import shutil
import ssl
import subprocess
import sys
import urllib.request

PROCESSORS = {"x86_64": "x86-64", "aarch64": "ARM"}  # that the course runs on
PYTORCH = "torch>=2.11"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
GXX_FIX = "install it (on Debian and Ubuntu: apt install g++)"
NVCC = "cuda-toolkit[nvcc,cccl]==13.0.*"  # as in pyproject.toml
# Of PyTorch and everything else together, in GB: what is downloaded, what the installed packages take on disk.
WITHOUT_CUDA, WITH_CUDA = (0.5, 2.0), (3.2, 6.2)
CONTAINER = "run it in a Linux container (README.md says how), or open the notebooks in Google Colab"
ELSEWHERE = {
    "Darwin": ("macOS", CONTAINER),
    "Windows": ("Windows", "install it in WSL2 (wsl --install), or open the notebooks in Google Colab"),
}


def platform_problem() -> str:
    """Why the course cannot work on this operating system or processor, in a sentence; "" if it can."""
    system, machine = platform.system(), platform.machine()
    if system == "Linux" and machine in PROCESSORS:
        return ""
    name, way_out = ELSEWHERE.get(system, (system, "use another machine, or open the notebooks in Google Colab"))
    needed = " or ".join(PROCESSORS.values())
    return f"The course runs on Linux on an {needed} processor, but this is {name} on {machine}: {way_out}."


def python_problem() -> str:
    """Why this Python cannot run the course, in a sentence; "" if it can."""
    if sys.version_info >= (3, 11):  # noqa: UP036
        return ""
    uv = "~/.local/bin/uv"
    return (
        f"The course needs Python 3.11 or later, and {sys.executable} is {platform.python_version()}: install another "
        "one, which needs no root with uv (curl -LsSf https://astral.sh/uv/install.sh | sh && "
        f'{uv} python install 3.12), and name it, as in make PYTHON="$({uv} python find 3.12)" lab.'
    )


def has_driver() -> bool:
    """Whether NVIDIA's driver is installed, also in WSL2."""
    return bool(shutil.which("nvidia-smi")) or any(
        map(os.path.exists, ("/proc/driver/nvidia/version", "/usr/lib/wsl/lib/nvidia-smi"))
    )


def install(python: str, index: str, *more: str) -> None:
    """Install PyTorch, and then `more`, into the environment of an interpreter. Ends the process if that fails.

    Says first what will be downloaded, how much disk it needs, and what will not work. PyTorch comes from `index`, if
    given. By default, it is built for CUDA if there is a driver, and then nvcc is installed too.
    """
    driver = has_driver()
    print(f"{'An' if driver else 'No'} NVIDIA driver was found.")
    if driver and not shutil.which("g++"):
        print(f"For kernels on the GPU, nvcc will need g++: {GXX_FIX}.")
    index = index or ("" if driver else CPU_INDEX)
    if index == CPU_INDEX and not _answers(f"{index}/torch/"):
        print(f"{index} cannot be reached, so PyTorch comes from pip's own index, where it may be built for CUDA.")
        index = ""
    cuda = not index.rstrip("/").endswith("/cpu")
    place = os.path.dirname(os.path.dirname(python))
    if not glob.glob(os.path.join(place, "lib", "python*", "site-packages", "torch")):  # by far the largest part
        download, disk = WITH_CUDA if cuda else WITHOUT_CUDA
        free = shutil.disk_usage(place).free / 1e9
        print(
            f"This downloads PyTorch with{'' if cuda else 'out'} CUDA and the rest, up to {download} GB, and takes "
            f"{disk} GB of disk, of which {free:.1f} GB are free: a few minutes, in which pip may print nothing for "
            "some time.",
            flush=True,
        )
        if free < disk:
            sys.exit(f"{place} has too little room: delete something, or use a disk with more (make VENV=/disk/venv).")
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check"]
    only = ["--index-url", index] if index else []
    for packages in ([PYTORCH, *only], [*([NVCC] if driver else []), *more]):
        if packages and subprocess.call(pip + packages):
            sys.exit(
                "pip failed, as it says above. If it reached no index, look at the network or the proxy. Run the same "
                "command again, which goes on where pip stopped."
            )


def _answers(address: str) -> bool:
    """Whether something answers at an address. pip may have certificates that this Python lacks."""
    try:
        urllib.request.urlopen(address, timeout=10).close()
    except OSError as error:
        return isinstance(getattr(error, "reason", None), ssl.SSLError)
    return True


def main(venv: str, index: str = "") -> None:
    """Set up a virtual environment for the clone in this folder, anew if other settings than before are given."""
    problem = platform_problem() or python_problem()
    if problem:
        sys.exit(problem)
    ready, settings = (os.path.join(venv, name) for name in (".ready", ".settings"))
    version = "{}.{}".format(*sys.version_info)
    os.makedirs(venv, exist_ok=True)
    with open(settings, "a+") as file:  # which may be new
        file.seek(0)
        before, _, index_before = file.read().partition(" ")
    index = index or index_before  # what was given last time still holds
    again = bool(before) and (before, index_before) != (version, index)
    if not again and os.path.exists(ready) and os.path.getmtime(ready) >= os.path.getmtime("pyproject.toml"):
        return
    subprocess.check_call([sys.executable, "-m", "venv", *(["--clear"] if again else []), venv])
    with open(settings, "w") as file:  # now, since pip may be interrupted
        file.write(f"{version} {index}")
    install(os.path.join(os.path.abspath(venv), "bin", "python"), index, "-e", ".[class]")
    open(ready, "w").close()


if __name__ == "__main__":
    main(*sys.argv[1:])
