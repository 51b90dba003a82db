"""The sandbox in which an answer is built and run. bubblewrap makes it, for each compiler and for the workers' server.

    verdict = judge(answer, task, server=sandbox())

In the sandbox there are no network, no processes of the machine and no environment variables. The only files are those
of the system, of Python and of the course, all read-only. There are no solutions, hidden cases, gradebook or
submissions. Each worker has its own processes, namespaces and limits, and an empty folder of bounded size (see
`course/worker/inside/isolation.py`). A worker sees only the modules that were built for it. When a worker ends, its
changes are lost. Only modules built from the text of its answer stay in the build cache.
"""

import atexit
import fcntl
import functools
import glob
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from socket import socket

import torch

import course
from autograder.judging.system_calls import call_filter, numbers
from course import device
from course.build import default_toolchain
from course.device import EMULATED
from course.errors import CourseError
from course.toolchains.cache import cache_root, cached, working_folder
from course.toolchains.emulator import clang
from course.toolchains.emulator.library import cxx_library, preludes, runtime_folder
from course.worker.inside.isolation import Isolation
from course.worker.protocol import ServerLost
from course.worker.server import END_SECONDS, REPLY_BOUND, Process, Server

MEMORY = 4 << 30  # bytes for all processes of a worker together
ADDRESSES = 16 << 30  # bytes of address space of one process; no limit on a GPU, since CUDA reserves far more
DISK = 256 << 20  # bytes of the writable folder, and of one file
COMPILED = 32 << 20  # bytes of one file that a compiler writes, since the build cache keeps such files
PROCESSES = 64  # processes and threads, in addition to eight per core, which PyTorch and CUDA may start
FILES = 512  # open files of one process
COMPILER_SECONDS = 60  # seconds of processor time
# The folders that a compiler needs below its installation folder, such as ~/.local. The last is named after its target.
COMPILER_FOLDERS = ("bin", "include", "lib*", "nvvm", "targets", "*-linux-gnu*")
SCRATCH, CACHE, BUILDS = "/scratch", "/cache", "/builds"  # paths in the sandbox
# The server's capabilities. Each worker gives them up.
RIGHTS = ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "SETFCAP", "KILL")

_FILTER_FD = 9  # the last that every shell can open

COURSE = Path(course.__file__).resolve().parent
NEEDED = "A student's code runs in a sandbox"
FIX = "or use --no-sandbox if you trust the answers."

log = logging.getLogger(__name__)


class Sandbox(Server):
    """A server whose workers run in a sandbox. The compilers that build for the workers run in a sandbox too.

    `toolchain` is the toolchain that judges the answers. Raises CourseError if no sandbox can be made.
    """

    def __init__(self, toolchain: str):
        super().__init__()
        require_bubblewrap()
        if toolchain in EMULATED:
            runtime_folder()
        # The emulator's headers are precompiled outside of the sandbox, where compilers may write large files.
        self.toolchain, self.confine = toolchain, tuple(_compiler())
        _require_compilers(toolchain, self.confine)
        if toolchain not in EMULATED:
            _require_gpu()
        self.builds = working_folder(cache_root().absolute() / "shown")
        self.builds.chmod(0o755)
        atexit.register(shutil.rmtree, self.builds, ignore_errors=True)
        # bubblewrap ends with the thread that has started it, so this thread outlives those of a pool that judges.
        self.starter = ThreadPoolExecutor(1)

    def popen(self, fd: int) -> subprocess.Popen:
        self.builds.mkdir(parents=True, exist_ok=True)
        self.builds.chmod(0o755)
        fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FILTER_FD + 1)  # so that it is not the filter's
        try:
            command = [*_server(self.toolchain, self.builds), *self.command(fd)]
            start = functools.partial(subprocess.Popen, command, pass_fds=[fd], stdin=subprocess.DEVNULL)
            return self.starter.submit(start).result()
        finally:
            os.close(fd)

    def fork(self, toolchain: str, kind: str, channel: int, output: int) -> Process:
        with self.lock:
            if not self.builds.exists():  # the running server still shows the deleted folder
                super().close()
            self.start()
            os.utime(self.builds)  # marks the folder as used, so that the cache keeps it
        modules = Path(tempfile.mkdtemp(dir=self.builds))
        modules.chmod(0o755)
        try:
            return _Confined(modules, *self._forked(toolchain, (channel, output), self._isolation(modules, kind)))
        except BaseException:
            shutil.rmtree(modules, ignore_errors=True)
            raise

    def _isolation(self, modules: Path, kind: str) -> Isolation:
        limits = {"NPROC": _processes(), "NOFILE": FILES, "FSIZE": DISK, "CORE": 0}
        if self.toolchain in EMULATED:
            limits["AS"] = ADDRESSES
        # If this process is root, each worker runs as another user. The worker then does not own root's files, and its
        # processes are counted separately.
        user = random.SystemRandom().randrange(20_000, 60_000) if _root() else 0
        calls = call_filter(kind, self.toolchain)
        return Isolation(BUILDS, modules.name, SCRATCH, DISK, MEMORY, limits, user, calls.hex())

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()  # which ends every process in the sandbox
        super().close()


class _Confined(Process):
    """A worker in a sandbox. It sees the modules in the folder `modules`."""

    def __init__(self, modules: Path, leash: socket, pid: int):
        super().__init__(leash, pid)
        self.modules = modules

    def shown(self, folder: str) -> str:
        there = Path(tempfile.mkdtemp(dir=self.modules))
        there.chmod(0o755)
        shutil.copyfile(Path(folder, "module.so"), there / "module.so")
        return f"{BUILDS}/{there.name}"

    def processor_seconds(self) -> float:
        """What the keeper says, which sees all processes of the worker's namespace."""
        self.leash.settimeout(END_SECONDS)
        try:
            self.leash.send(b"?")
            said = self.leash.recv(REPLY_BOUND)
        except TimeoutError:  # which is no answer's fault
            raise ServerLost("The process that judges does not reply: run the command again.") from None
        if not said:
            raise ConnectionResetError
        return float(said)

    def end(self) -> int | None:
        try:
            return super().end()
        finally:
            if self.refused:
                names = [name for name, number in numbers().items() if number in self.refused]
                log.warning("An answer tried system calls that are not on the list: %s", ", ".join(names))
            shutil.rmtree(self.modules, ignore_errors=True)


_sandboxes: dict[tuple[int, str], Sandbox] = {}  # the first key is the process id, since a fork needs its own sandbox
_one_at_a_time = threading.Lock()


def sandbox(toolchain: str | None = None) -> Sandbox:
    """This process's sandbox for answers that `toolchain` judges (default: the toolchain that `course.build` chooses).

    The sandbox takes more than a second to start, and each worker in it about 30 milliseconds. Raises what `Sandbox`
    raises.
    """
    key = os.getpid(), toolchain or default_toolchain()
    with _one_at_a_time:
        if key not in _sandboxes:
            _sandboxes[key] = Sandbox(key[1])
        return _sandboxes[key]


def require_bubblewrap() -> None:
    """Raises CourseError with the fix if no sandbox can be made."""
    if problem := device.sandbox_problem():
        raise CourseError(f"{NEEDED}, and {problem}, {FIX}")


@functools.cache
def _require_compilers(toolchain: str, confine: tuple[str, ...]) -> None:
    """Raises CourseError if the compiler cannot run in the sandbox, since answers would get the blame for this."""
    nvcc = device.nvcc()
    compiler = clang.clang() if toolchain in EMULATED else (str(nvcc.path) if nvcc else "nvcc",)
    with tempfile.TemporaryDirectory() as folder:
        command = [*(part.replace("{folder}", folder) for part in confine), *compiler, "--version"]
        _require_success(
            command,
            f"{compiler[0]} does not run in a sandbox",
            "install it below /usr, or in a separate folder that the sandbox can show, such as /opt/gcc/bin.",
        )


@functools.cache
def _require_gpu() -> None:
    """Raises CourseError if CUDA does not work in the sandbox, since answers would get the blame for this."""
    ask = "import ctypes, sys; sys.exit((code := ctypes.CDLL('libcuda.so.1').cuInit(0)) and f'CUDA error {code}')"
    with tempfile.TemporaryDirectory() as folder:
        command = [*_server("nvcc", Path(folder)), sys.executable, "-c", ask]
        _require_success(command, "CUDA does not work in a sandbox", f"give all users access to /dev/nvidia*, {FIX}")


def _require_success(command: Sequence[str], problem: str, advice: str) -> None:
    """Raises CourseError with the last line that the command prints, if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise CourseError(f"{NEEDED}, and {problem} ({why}): {advice}")


def _compiler() -> list[str]:
    """The part of a command line before the compiler's command. {folder} is the folder in which the compiler works."""
    more = (COURSE, clang.folder(), cxx_library().parent, *(path.parent for path in preludes()))
    return [
        *_confined(call_filter("builder"), more),
        *("--size", str(DISK), "--tmpfs", SCRATCH, "--bind", "{folder}", "{folder}", "--chdir", "{folder}"),
        *("--remount-ro", "/", "--setenv", "LC_ALL", "C", "--"),
        *("prlimit", f"--as={MEMORY}", f"--fsize={COMPILED}", f"--cpu={COMPILER_SECONDS}", "--core=0", "--"),
    ]


def _server(toolchain: str, builds: Path) -> list[str]:
    """The part of a command line before the command of a server of workers. Each worker sees one folder in `builds`.

    The server forks the workers and isolates them, and keeps some capabilities to do this. No student's code runs in
    the server.
    """
    gpu: list[str] = []
    if toolchain not in EMULATED:
        gpu += ["--ro-bind", "/sys", "/sys"]
        for node in sorted([*glob.glob("/dev/nvidia*"), *glob.glob("/dev/dxg")]):
            gpu += ["--dev-bind", node, node]
    runtime: list[str] = []
    if toolchain in EMULATED:
        for folder in (cxx_library().parent.parent, runtime_folder().parent):
            runtime += ["--ro-bind", str(folder.absolute()), f"{CACHE}/{folder.name}"]
    environment = {
        "PYTHONPATH": str(COURSE.parent), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8", "COURSE_CACHE": CACHE,
        "CUDA_CACHE_DISABLE": "1",
    }  # fmt: skip
    return [
        *_confined(call_filter("server", toolchain), (COURSE,)),
        *("--perms", "1777", "--size", str(DISK), "--tmpfs", SCRATCH, "--chdir", SCRATCH),
        *("--perms", "0755", "--dir", CACHE, *runtime),
        *("--ro-bind", str(builds), BUILDS),
        *gpu,
        *("--remount-ro", "/dev", "--remount-ro", "/", "--as-pid-1"),
        *(part for name, value in environment.items() for part in ("--setenv", name, value)),
        *(part for right in RIGHTS for part in ("--cap-add", f"CAP_{right}")),
        "--",
    ]


def _confined(calls: bytes, more: Sequence[Path]) -> list[str]:
    """The command line of bubblewrap. The system, Python and `more` are readable, and nothing is writable.

    `calls` is the filter of system calls. A shell opens its file, since bubblewrap wants a file descriptor.
    """

    def write(folder: Path) -> None:
        (folder / "filter").write_bytes(calls)

    path = cached("filters", calls.hex(), write).absolute() / "filter"
    command = ["sh", "-c", f'exec "$@" {_FILTER_FD}<"$0"', str(path), "bwrap", "--seccomp", f"{_FILTER_FD}"]
    command += [*device.namespaces(), "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"]
    kept = ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
    for name in kept:
        if name in os.environ:
            command += ["--setenv", name, os.environ[name]]
    command += ["--setenv", "HOME", SCRATCH, "--setenv", "TMPDIR", SCRATCH, "--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            command += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            command += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        command += ["--ro-bind-try", name, name]
    # Terminals would be shared by all workers.
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    python = [Path(path) for path in (sys.prefix, sys.base_prefix, Path(torch.__file__).parents[1])]
    cuda = [*_compilers_of_nvcc(), *filter(None, [device.cuda_home()])]
    libraries = [Path(path) for path in os.environ.get("LD_LIBRARY_PATH", "").split(":") if os.path.isdir(path)]
    shown = {each for path in (*python, *cuda, *libraries, *more) for each in (path.absolute(), path.resolve())}
    # A folder that must be hidden may be inside a visible folder, such as a course folder in a conda environment.
    places = {Path.cwd(), COURSE.parent}
    hidden = {place / name for place in places for name in ("solutions", "autograder", "grading", "tests", ".git")}
    hidden |= {Path(__file__).resolve().parents[1], cache_root().absolute()}
    seen = {Path("/usr"): True}  # for each folder, whether its content is visible
    for path in sorted({*shown, *hidden}, key=lambda path: len(path.parts)):
        above = next((seen[place] for place in (path, *path.parents) if place in seen), False)
        # A folder that is already visible is not shown again, since its path may have a link, such as /usr/local/cuda.
        if path in shown and not above:
            for folder in reversed(path.parents[:-1]):
                command += ["--perms", "0755", "--dir", str(folder)]
            command += ["--ro-bind", str(path), str(path)]
            seen[path] = True
        elif path not in shown and above and path.is_dir():
            command += ["--size", "4096", "--tmpfs", str(path)]
            seen[path] = False
    return command


def _compilers_of_nvcc() -> list[Path]:
    """The folders that nvcc and g++, which it needs, have if they are installed in a separate folder such as /opt/gcc.

    If that folder contains the course, the cache, the user's home or the current folder, nothing of it is included.
    """
    private = (Path.home(), Path.cwd(), COURSE, cache_root().absolute())
    paths = [path for tool in (device.gxx(), device.nvcc()) if tool for path in _links(tool.path.absolute())]
    own = {path.parents[1] for path in paths if path.parent.name == "bin" and len(path.parts) > 4}  # never all of /opt
    homes = [home for home in own if not any(place.is_relative_to(home) for place in private)]
    return [path for home in homes for part in COMPILER_FOLDERS for path in home.glob(part) if path.is_dir()]


def _links(path: Path) -> list[Path]:
    """`path`, each file that a chain of links from `path` leads to, and the real path of the last file."""
    passed = [path]
    while passed[-1].is_symlink():
        passed.append(Path(os.path.abspath(passed[-1].parent / passed[-1].readlink())))
    return [*passed, path.resolve()]


def _root() -> bool:
    return not os.getuid() and "--unshare-user" not in device.namespaces()


def _processes() -> int:
    """How many processes and threads a sandbox's user may have, including those that run outside of the sandbox."""
    user = os.getuid()
    outside = 0
    for folder in () if _root() else glob.glob("/proc/[0-9]*"):
        try:
            outside += len(os.listdir(f"{folder}/task")) if os.stat(folder).st_uid == user else 0
        except OSError:  # the process has ended
            continue
    return PROCESSES + 8 * (os.cpu_count() or 1) + outside
