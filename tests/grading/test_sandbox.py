"""The sandbox: whatever an answer tries there, in Python, in C++ or in its compiler, reaches nothing outside."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import course
from autograder.judging import sandbox as module
from autograder.judging import system_calls as calls
from autograder.judging.sandbox import Sandbox, sandbox
from autograder.judging.system_calls import call_filter
from course import device
from course.errors import BuildError, CourseError
from course.referee.judge import judge
from course.tasks import Case, load_task
from course.toolchains.cache import cache_root
from course.toolchains.emulator import clang
from course.worker.modules import Budget, Modules
from course.worker.protocol import Answer, ServerLost, TimedOut, WorkerDied
from course.worker.worker import Worker
from tests.kernels import kernel

ROOT = Path(__file__).parents[2]
SECRET = "known to the grader alone"

SCALE = kernel("row_scaling")
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}[platform.machine()]  # the next system call is ioprio_get


pytestmark = pytest.mark.usefixtures("bubblewrap")


USER_NAMESPACE = "in a user namespace"


@pytest.fixture(scope="module", params=["as root or a user", pytest.param(USER_NAMESPACE, marks=pytest.mark.seldom)])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox; the second is made as for a container's root, who lacks the rights of a real root."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET", SECRET)
        if request.param == USER_NAMESPACE:
            patch.setattr(device, "namespaces", lambda: (*device.SPACES, *device.OF_A_USER))
        there = Sandbox("emulator")
        yield there
        there.close()


def inside(box: Sandbox, *lines: str, timeout: float = 20.0, budget: Budget | None = None) -> Any:
    """What the lines return, run as an answer's Python."""
    body = "\n".join(f"    {line}" for line in lines)
    answer = Answer(
        "python",
        f"import ctypes, fcntl, glob, os, resource, signal, socket, struct, sys, time\ndef f(*_):\n{body}",
        "f",
    )
    task = load_task("row_scaling")
    with Worker("emulator", timeout, box, budget) as worker:
        worker.load("a", answer, task)
        outcome = worker.run("a", task, Case({"M": 3, "N": 4}), 0)
        assert outcome.failure is None, outcome.failure
        return outcome.result


def refused(box: Sandbox, line: str) -> str:
    """The class of the error that the line raises."""
    return inside(
        box, "try:", f"    {line}", "except Exception as error:", "    return type(error).__name__", "return ''"
    )


@pytest.mark.parametrize("place", ["gcc", "."], ids=["of its own", "with other things"])
def test_a_compiler_in_a_folder_of_its_own_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    gxx = tmp_path / place / "bin" / "g++"
    gxx.parent.mkdir(parents=True)
    gxx.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} "$@"')
    gxx.chmod(0o755)
    (gxx.parents[1] / "share").mkdir()  # ~/.local/share, say
    monkeypatch.setenv("PATH", f"{gxx.parent}:{os.environ['PATH']}")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    command = [part.replace("{folder}", str(tmp_path / "work")) for part in module._compiler()]
    if place == ".":
        assert "No such file" in subprocess.run([*command, "ls", str(gxx)], capture_output=True, text=True).stderr
        return
    (tmp_path / "work" / "unit.cpp").write_text("int main() {}")
    subprocess.run([*command, str(gxx), "-c", "unit.cpp"], check=True)
    assert (tmp_path / "work" / "unit.o").exists()
    seen = subprocess.run([*command, "ls", str(gxx.parents[1])], capture_output=True, text=True)
    assert seen.stdout.split() == ["bin"]
    touched = subprocess.run([*command, "touch", str(gxx)], capture_output=True, text=True)
    assert "Read-only file system" in touched.stderr and touched.returncode


def test_a_compiler_that_does_not_run_there_is_no_answers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    confine = tuple(module._compiler())
    monkeypatch.setattr(module.clang, "clang", lambda: ("/nowhere/zig", "clang"))
    with pytest.raises(CourseError, match=r"/nowhere/zig does not run in a sandbox .*: install it below /usr, or in a"):
        module._require_compilers.__wrapped__("emulator", confine)


@pytest.mark.parametrize("by", ["path", "CUDA_HOME", "CUDA_PATH", "wheels", "usual place"])
def test_nvcc_runs_there_wherever_it_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    """Also through a link to a link, of a folder and of a file, as in NVIDIA's packages and Debian's alternatives."""
    (tmp_path / "cuda-13.0/bin").mkdir(parents=True)
    (tmp_path / "cuda-13.0/bin/nvcc").write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
    (tmp_path / "cuda-13.0/bin/nvcc").chmod(0o755)
    (tmp_path / "cuda-13").symlink_to("cuda-13.0")
    (tmp_path / "cuda").symlink_to(tmp_path / "cuda-13")
    for name, to in (("alternatives", "../../cuda/bin/nvcc"), ("venv", tmp_path / "alternatives/bin/nvcc")):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin/nvcc").symlink_to(to)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    home = tmp_path / "venv"
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module.device, "USUAL_NVCC", str(home / "bin/nvcc") if by == "usual place" else "")
    monkeypatch.setattr(module.device, "_nvcc_of_wheels", lambda: [home / "bin/nvcc"] if by == "wheels" else [])
    elsewhere = [each for each in os.environ["PATH"].split(":") if not os.path.exists(f"{each}/nvcc")]
    monkeypatch.setenv("PATH", ":".join([*elsewhere, *([str(home / "bin")] if by == "path" else [])]))
    if by.isupper():
        monkeypatch.setenv(by, str(home))
    assert module.device.nvcc() == module.device.Tool(home / "bin/nvcc", "13.0.88")
    module._require_compilers.__wrapped__("nvcc", tuple(module._compiler()))


def test_what_lies_behind_a_link_in_a_folder_that_is_shown_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in NVIDIA's packages, where /usr/local/cuda is a link to /usr/local/cuda-13.0."""
    (tmp_path / "shown/cuda-13.0/lib").mkdir(parents=True)
    (tmp_path / "shown/cuda-13.0/lib/libcudart.so").touch()
    (tmp_path / "shown/cuda").symlink_to(tmp_path / "shown/cuda-13.0")
    (tmp_path / "work").mkdir()
    linked = tmp_path / "shown/cuda/lib"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'shown'}:{linked}")
    there = Sandbox("emulator")
    command = [part.replace("{folder}", str(tmp_path / "work")) for part in there.confine]
    there.close()
    seen = subprocess.run([*command, "ls", str(linked)], capture_output=True, text=True)
    assert seen.stdout.split() == ["libcudart.so"], seen.stderr


@pytest.mark.parametrize("code", [0, 304])
def test_where_cuda_does_not_work_in_it_nothing_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """A library that returns this error stands in for the driver's library."""
    tmp_path.chmod(0o755)
    (tmp_path / "cuda.c").write_text(f"int cuInit(unsigned flags) {{ return {code}; }}")
    subprocess.run(["g++", "-x", "c", "-shared", "-o", tmp_path / "libcuda.so.1", tmp_path / "cuda.c"], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    with (
        pytest.raises(CourseError, match=r"CUDA does not work in a sandbox \(CUDA error 304\)")
        if code
        else nullcontext()
    ):
        module._require_gpu.__wrapped__()


def test_a_right_answer_is_right_there(box: Sandbox) -> None:
    verdict = judge(Answer("cuda", SCALE, "scale"), "row_scaling", toolchain="emulator", server=box)
    assert verdict.correct, verdict.message
    assert not verdict.untraced and verdict.traffic


def test_a_worker_needs_no_nvcc(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the referee, which builds, has to find nvcc."""
    monkeypatch.setattr(Modules, "reply", lambda self, wanted, *_: {"error": f"asked of {wanted['toolchain']}"})
    with Worker("nvcc", server=box) as worker, pytest.raises(BuildError, match="asked of nvcc"):
        worker.load("a", Answer("candidate", CANDIDATE.replace("SCALE", repr(SCALE))), load_task("row_scaling"))


@pytest.mark.gpu
def test_a_right_answer_is_right_there_on_a_gpu() -> None:
    verdict = judge(Answer("cuda", SCALE, "scale"), "row_scaling", toolchain="nvcc", server=sandbox("nvcc"))
    assert verdict.correct and not verdict.untraced, verdict.message


def test_nothing_of_the_machine_can_be_read(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    places = [
        *(ROOT / name for name in ("solutions", "autograder", "autograder/hidden", "tests", ".git", "grading")),
        *("/etc/passwd", "/etc/shadow", Path.home() / ".bashrc", cache_root().absolute(), tmp_path, "/var", "/sys"),
    ]  # fmt: skip
    assert inside(box, f"return [p for p in {[str(p) for p in places]} if os.path.exists(p)]") == ()
    assert inside(box, f"return {SECRET!r} in str(os.environ)") is False
    assert set(inside(box, "return os.listdir('/cache')")) == {"cxx", "runtime"}


def test_nothing_can_be_written_but_one_folder(box: Sandbox) -> None:
    folders = ["/", "/usr", "/dev", "/dev/shm", "/cache", "/cache/runtime", "/builds", "/etc", "/proc/sys/kernel"]
    folders += [str(Path(course.__file__).parent), sys.prefix]
    for folder in folders:
        assert refused(box, f"open('{folder}/x', 'w')"), folder
    assert inside(box, "open('x', 'w').write('x')", "return os.getcwd(), os.listdir('.')") == ("/scratch", ("x",))


def test_there_is_no_network(box: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        assert refused(box, f"socket.create_connection({address}, 2)") == "PermissionError"
    assert refused(box, "socket.socketpair()") == "PermissionError"


def test_no_process_of_the_machine_can_be_seen_or_signalled(box: Sandbox) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            told = inside(box, "return [open(f).read() for f in glob.glob('/proc/[0-9]*/comm')]")
            assert len(told) == 2  # the keeper and the worker
            assert refused(box, f"os.kill({other.pid}, 9)") == "ProcessLookupError"
        finally:
            assert other.poll() is None
            other.kill()


def test_the_server_can_be_neither_ended_nor_looked_into(box: Sandbox) -> None:
    inside(box, "return 1")
    pid = box.process.pid
    for name in ("KILL", "TERM", "INT", "STOP", "SEGV"):
        inside(box, "try:", f"    os.kill(1, signal.SIG{name})", "except PermissionError: pass", "time.sleep(0.1)")
    for line in ("open('/proc/1/mem')", "open('/proc/1/environ')", "os.readlink('/proc/1/fd/0')"):
        assert refused(box, line) == "PermissionError", line
    libc = "ctypes.CDLL(None, use_errno=True)"
    for call in (
        "ptrace(16, 1, 0, 0)",
        "unshare(0x10000000)",
        "memfd_create(b'x', 0)",
        "mount(0, b'/scratch', b'tmpfs', 0, 0)",
    ):
        assert inside(box, f"return {libc}.{call}") == -1, call
    rights = inside(
        box, "return [l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapPrm', 'CapEff'))]"
    )
    assert rights == ("0" * 16,) * 2
    assert box.process.pid == pid and box.process.poll() is None


def test_no_file_that_all_workers_see_tells_of_another_worker(box: Sandbox) -> None:
    path = course.__file__
    with open(path, "r+b") as shared, open(sys.executable, "rb") as other:
        fcntl.lockf(shared, fcntl.LOCK_EX)
        fcntl.flock(other, fcntl.LOCK_EX)
        told = inside(
            box,
            f"file, libc = open({path!r}, 'rb'), ctypes.CDLL(None, use_errno=True)",
            f"fcntl.flock(open({sys.executable!r}, 'rb'), fcntl.LOCK_SH | fcntl.LOCK_NB)",
            "fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)",
            "fcntl.fcntl(file, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))  # F_OFD_SETLK",
            "watches = libc.inotify_init(), libc.inotify_init1(0)",
            "return watches, fcntl.fcntl(file, fcntl.F_GETFD), open('/proc/locks').read()",
        )
    assert told == ((-1, -1), fcntl.FD_CLOEXEC, "")


def test_nothing_survives_its_worker(box: Sandbox) -> None:
    lives_on = "if not os.fork(): os.setsid(); os.fork(); time.sleep(600)"
    inside(box, lives_on, "open('kept', 'w').write('x')", "os.mkdir('d'); os.chmod('d', 0)")
    assert inside(box, "return os.listdir('.'), len(glob.glob('/proc/[0-9]*'))") == ((), 2)


def test_of_another_answers_modules_nothing_is_there(box: Sandbox) -> None:
    with Worker("emulator", server=box) as worker:
        worker.load("a", Answer("cuda", SCALE, "scale"), load_task("row_scaling"))
        assert inside(box, "return os.listdir('/builds')") == ()
    assert list(box.builds.iterdir()) == []


# What an answer does to things that might outlive it, and what an answer that is judged later sees of them.
LEFT_BEHIND = {
    "limits of the first process": (
        "resource.prlimit(1, resource.RLIMIT_AS, (1 << 28, 1 << 28))",
        "return open('/proc/1/limits').read()",
    ),
    "files of the first process": (
        "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
        "return resource.getrlimit(resource.RLIMIT_NOFILE)",
    ),
    "its own limits": (
        "resource.setrlimit(resource.RLIMIT_STACK, (1 << 16, 1 << 16))",
        "return resource.getrlimit(resource.RLIMIT_STACK)",
    ),
    "processors of the first process": (
        "os.sched_setaffinity(1, {min(os.sched_getaffinity(0))})",
        "return sorted(os.sched_getaffinity(0))",
    ),
    "processors": (
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
        "return sorted(os.sched_getaffinity(0))",
    ),
    "priority of the first process": (
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "return os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, 1)",
    ),
    "priority of the user": (
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "return os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, 1)",
    ),
    "scheduling of the first process": (
        "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
        "return os.sched_getscheduler(0), os.sched_getscheduler(1)",
    ),
    "priority of input and output": (
        f"assert not ctypes.CDLL(None).syscall({IOPRIO_SET}, 1, 1, 3 << 13)",
        f"return ctypes.CDLL(None).syscall({IOPRIO_SET + 1}, 1, 1)",
    ),
    "message queues": (
        "assert ctypes.CDLL('librt.so.1').mq_open(b'/left', 0o102, 0o666, None) >= 0",
        "return ctypes.CDLL('librt.so.1').mq_open(b'/left', 0)",
    ),
    "semaphores": (
        "assert ctypes.CDLL(None).semget(77, 1, 0o1666) >= 0",
        "return ctypes.CDLL(None).semget(77, 1, 0)",
    ),
    "queues of System V": (
        "assert ctypes.CDLL(None).msgget(77, 0o1666) >= 0",
        "return ctypes.CDLL(None).msgget(77, 0)",
    ),
    "shared memory": (
        "assert ctypes.CDLL(None).shmget(77, 4096, 0o1666) >= 0",
        "return ctypes.CDLL(None).shmget(77, 4096, 0)",
    ),
    "named shared memory": ("open('/dev/shm/left', 'w').close()", "return os.path.exists('/dev/shm/left')"),
    "files": ("open('left', 'w').close()", "return os.listdir('.')"),
    "times of the folder": ("open('left', 'w').close(); os.remove('left')", "return os.stat('.').st_nlink, 0"),
    "inodes": ("[open(f'{n}', 'w').close() for n in range(50)]", "open('x', 'w').close(); return os.stat('x').st_ino"),
    "process numbers": ("for _ in range(50): os.waitpid(os.fork() or os._exit(0), 0)", "return os.getpid()"),
    "counts of the network": (
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect_ex(('127.0.0.1', 9))",
        "return open('/proc/net/snmp').read()",
    ),
}


@pytest.mark.parametrize("what", LEFT_BEHIND)
def test_nothing_that_an_answer_changes_is_there_for_the_next(box: Sandbox, what: str) -> None:
    changes, looks = LEFT_BEHIND[what]
    before = inside(box, looks)
    inside(box, "try:", f"    {changes}", "except (AssertionError, OSError, ValueError): pass", "time.sleep(0.01)")
    assert inside(box, looks) == before


@pytest.fixture
def any_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module may call any symbol, so the sandbox is the only protection left."""
    monkeypatch.setattr("course.toolchains.guard.symbols.foreign_symbols", lambda symbols: [])


def test_a_module_that_is_shown_cannot_be_changed(box: Sandbox) -> None:
    changes = """
import glob
def f(*_):
    failed = []
    for path in [*glob.glob("/builds/*/module.so"), "/builds/x"]:
        try:
            open(path, "ab")
        except OSError as error:
            failed.append(type(error).__name__)
    return failed
"""
    task = load_task("row_scaling")
    with Worker("emulator", server=box) as worker:
        worker.load("a", Answer("cuda", SCALE, "scale"), task)
        worker.load("b", Answer("python", changes, "f"), task)
        failed = worker.run("b", task, Case({"M": 3, "N": 4}), 0).result
    assert len(failed) == 2 and set(failed) <= {"OSError", "PermissionError"}


def test_the_processor_time_of_an_answer_is_that_of_all_its_processes(box: Sandbox) -> None:
    assert inside(box, "time.sleep(1)", "return 1", timeout=0.5, budget=Budget(unwatched=0.1)) == 1
    orphan = ("if not os.fork():", "    os.setsid()", "    os.fork() and os._exit(0)", "    while True: pass")
    with pytest.raises(TimedOut, match=r"within 0\.5 s of processor time"):
        inside(box, *orphan, "time.sleep(600)", timeout=0.5, budget=Budget(unwatched=0.1))


def test_a_fork_bomb_ends_with_its_worker(box: Sandbox) -> None:
    bomb = ("try:", "    while True: os.fork()", "except OSError: time.sleep(600)")
    with pytest.raises(CourseError):
        inside(box, *bomb, timeout=3.0)
    assert inside(box, "return len(glob.glob('/proc/[0-9]*'))") == 2


CANDIDATE = """
import glob, os
from torch.utils.cpp_extension import load_inline

module = load_inline("x", "torch::Tensor scale(torch::Tensor A, torch::Tensor B);", SCALE, functions=["scale"])

class ModelNew:
    def __init__(self):
        print("processes", len(glob.glob("/proc/[0-9]*")))

    def forward(self, A, B):
        return module.scale(A, B)

    __call__ = forward
"""


def test_a_candidates_python_is_in_a_sandbox_of_its_own(box: Sandbox) -> None:
    answer = Answer("candidate", CANDIDATE.replace("SCALE", repr(SCALE)))
    verdict = judge(answer, "row_scaling", toolchain="emulator", server=box)
    assert verdict.correct, verdict.message
    assert "processes 2\n" in verdict.printed


def test_a_memory_bomb_is_stopped(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(box, "bytearray(1 << 40)") == "MemoryError"
    monkeypatch.setattr(module, "MEMORY", 1 << 30)
    hoard = ("for _ in range(3): os.fork()", "kept = b'x' * (300 << 20)", "time.sleep(20)")
    with pytest.raises(WorkerDied, match="SIGKILL, as happens when too much memory is used"):
        inside(box, *hoard)
    assert inside(box, "return 3") == 3


def test_a_disk_bomb_is_stopped(box: Sandbox) -> None:
    fill = (
        "for i in range(100):",
        "    with open(str(i), 'wb') as file:",
        "        for _ in range(16): file.write(bytes(1 << 20))",
    )
    assert refused(box, "exec(" + repr("\n".join(fill)) + ")") == "OSError"
    assert refused(box, "[open(str(i), 'w').close() for i in range(20_000)]") == "OSError"
    assert inside(box, "return os.listdir('.')") == ()


@pytest.mark.usefixtures("any_symbols")
def test_a_constructor_reads_no_file_of_the_machine(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    for path, seen in ((tmp_path / "secret", "closed"), ("/usr/bin/env", "open")):
        task = load_task("row_scaling")
        with Worker("emulator", server=box) as worker:
            worker.load("a", Answer("cuda", kernel("sandbox/peek").replace("PATH", str(path)), "peek"), task)
            assert worker.run("a", task, Case({"M": 3, "N": 4}), 0).failure.message == seen


@pytest.fixture
def compiled(box: Sandbox, tmp_path: Path) -> Callable[[str], str]:
    def run(source: str) -> str:
        """What clang says about `source`, confined as the sandbox's compilers are."""
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        (folder / "x.cpp").write_text(source)
        confined = (part.replace("{folder}", str(folder)) for part in box.confine)
        command = [*confined, *clang.clang(), "-c", "x.cpp", "-o", "x.o"]
        return subprocess.run(command, capture_output=True, text=True).stderr

    return run


def test_a_compiler_reads_no_file_of_the_machine(compiled: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    assert compiled("int x;") == ""
    for path in (
        tmp_path / "secret",
        "/etc/passwd",
        ROOT / "solutions" / "README.md",
        ROOT / "autograder" / "judging" / "sandbox.py",
    ):
        assert Path(path).exists()
        said = compiled(f'#include "{path}"\n')
        assert "file not found" in said and SECRET not in said
        assert "Could not find incbin file" in compiled(f'asm(".incbin \\"{path}\\"");')


def test_a_source_with_a_file_of_the_machine_does_not_build(box: Sandbox) -> None:
    with Worker("emulator", server=box) as worker, pytest.raises(BuildError, match="'/etc/passwd' file not found"):
        worker.load("a", Answer("cuda", '#include "/etc/passwd"\n' + SCALE, "scale"), load_task("row_scaling"))


def test_what_lies_inside_of_what_is_shown_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("solutions", "notebooks"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "file").touch()
    monkeypatch.chdir(tmp_path / "class")
    listed = [*module._confined(call_filter("builder"), (tmp_path,)), "--", "ls", "solutions", "notebooks"]
    assert subprocess.run(listed, capture_output=True, text=True).stdout.split() == ["notebooks:", "file", "solutions:"]


def test_without_bubblewrap_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CourseError, match=r"bwrap was not found: install it .*apt install bubblewrap.*--no-sandbox"):
        Sandbox("emulator")


def test_where_bubblewrap_may_not_run_it_says_what_to_allow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(device, "_namespaces_problem", device._namespaces_problem.__wrapped__)
    with pytest.raises(CourseError, match=r"No permissions to create new namespace.*user namespaces must be allowed"):
        Sandbox("emulator")


def test_lower_limits_of_the_machine_are_kept_and_no_answers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    before = module._server
    monkeypatch.setattr(module, "_server", lambda *args: ["prlimit", "--nofile=200", "--", *before(*args)])
    low = Sandbox("emulator")
    try:
        assert inside(low, "return resource.getrlimit(resource.RLIMIT_NOFILE)") == (200, 200)
    finally:
        low.close()


def test_each_list_is_made_for_each_processor_and_has_no_unknown_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known, read = set(), calls.numbers.__wrapped__
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setattr(platform, "machine", lambda machine=machine: machine)
        numbers = read()
        known |= numbers.keys()
        monkeypatch.setattr(calls, "numbers", lambda numbers=numbers: numbers)
        sizes = [len(call_filter(kind, "nvcc")) // 8 for kind in ("builder", "server", "script", "worker")]
        assert all(400 < size < 900 for size in sizes), sizes  # 900 fit into the server's FORK_BOUND
    listed = [calls._OWN, calls._PROGRAMS, calls._CUDA, calls._RIGHTS, calls._IDLE, calls._ABSENT, calls._OF_A_PROCESS]
    assert {name for names in listed for name in names.split()} <= known


def test_a_call_that_is_not_listed_fails_and_its_name_is_in_the_log(
    box: Sandbox, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    libc = "libc = ctypes.CDLL(None, use_errno=True)"
    numbers = [calls.numbers()[name] for name in ("perf_event_open", "bpf", "mincore", "getppid")]
    tries = f"return [(libc.syscall(n, 0, 0, 0, 0, 0) < 0) * ctypes.get_errno() for n in {[*numbers, 100_000]}]"
    assert inside(box, libc, tries) == (errno.EPERM, errno.EPERM, errno.ENOSYS, 0, errno.ENOSYS)
    assert caplog.messages == ["An answer tried system calls that are not on the list: perf_event_open, bpf"]
    builder = [part.replace("{folder}", str(tmp_path)) for part in box.confine]
    tells = f"import ctypes; {libc}; print(libc.syscall({numbers[0]}, 0, 0, 0, 0, 0), ctypes.get_errno())"
    assert subprocess.run([*builder, sys.executable, "-c", tells], capture_output=True, text=True).stdout == "-1 1\n"


FORKS = """
#include <unistd.h>
#include <torch/extension.h>
__global__ void nothing() {}
torch::Tensor forks(torch::Tensor A, torch::Tensor B) {
    nothing<<<1, 1>>>();
    TORCH_CHECK(false, "forked: ", fork());
    return A;
}
"""


@pytest.mark.usefixtures("any_symbols")
def test_what_runs_no_python_starts_no_process(box: Sandbox) -> None:
    task = load_task("row_scaling")
    with Worker("emulator", server=box) as worker:
        worker.load("a", Answer("cuda", FORKS, "forks"), task)
        assert worker.run("a", task, Case({"M": 3, "N": 4}), 0).failure.message == "forked: -1"


# What one answer does to be noticed, and what another does to notice it: a lock of a file, a terminal, and a futex in a
# file that both map.
SENDS = (
    "file = open(sys.executable, 'rb'); fcntl.flock(file, fcntl.LOCK_EX)",
    "try: os.open('/dev/ptmx', os.O_RDWR)",
    "except OSError: pass",
    "end = time.time() + 3",
    "while time.time() < end: libc.syscall(FUTEX, at, 0, value, (ctypes.c_long * 2)(1, 0), 0, 0); time.sleep(0.01)",
)
LOOKS = (
    "end, heard = time.time() + 2, set()",
    "while time.time() < end:",
    "    time.sleep(0.01)",
    "    try: fcntl.flock(open(sys.executable, 'rb'), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "    except OSError: heard.add('lock')",
    "    if os.listdir('/dev/pts') not in ([], ['ptmx']): heard.add('terminal')",
    "    if libc.syscall(FUTEX, at, 1, 1, 0, 0, 0) > 0: heard.add('futex')",
    "return sorted(heard)",
)


def test_no_answer_can_signal_to_another(box: Sandbox) -> None:
    mapped = (
        "import mmap; libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p",
        "fd = os.open(sys.executable, os.O_RDONLY)",
        "at = ctypes.c_void_p(libc.mmap(None, 4096, 1, mmap.MAP_SHARED, fd, ctypes.c_long(0)))",
        f"value, FUTEX = struct.unpack('i', os.read(fd, 4))[0], {calls.numbers()['futex']}",
    )
    with ThreadPoolExecutor(1) as other:
        sent = other.submit(inside, box, *mapped, *SENDS)
        assert inside(box, *mapped, *LOOKS) == ()
        sent.result()


def test_a_worker_that_cannot_be_isolated_is_no_answers_fault(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "call_filter", lambda *_: b"no program")
    with pytest.raises(CourseError, match="cannot be isolated"):
        inside(box, "return 1")
    monkeypatch.undo()
    assert inside(box, "return 1") == 1


def test_a_server_that_is_lost_is_no_answers_fault(box: Sandbox) -> None:
    task = load_task("row_scaling")
    with Worker("emulator", 20, box) as worker:
        worker.load("a", Answer("python", "import time\ndef f(*_): time.sleep(20)", "f"), task)
        killing = threading.Timer(0.5, box.process.kill)
        killing.start()
        with pytest.raises(ServerLost):
            worker.run("a", task, Case({"M": 3, "N": 4}), 0)
    assert inside(box, "return 1") == 1


def test_a_server_outlives_the_thread_that_needs_it_first() -> None:
    """bubblewrap ends with the thread that has started it, and a pool's threads end with the pool."""
    box = Sandbox("emulator")
    try:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(inside, box, "return 1").result() == 1
        with pytest.raises(subprocess.TimeoutExpired):
            box.process.wait(1)
    finally:
        box.close()


def test_a_server_that_ends_unnoticed_is_started_again(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    box.start()
    monkeypatch.setattr(box, "_runs", lambda: box.process is not None and box.process.returncode is None)
    box.process.kill()
    assert inside(box, "return 1") == 1


def test_a_keeper_that_does_not_reply_is_no_answers_timeout(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "END_SECONDS", 0.05)
    leash, silent = socket.socketpair()
    with silent, leash, pytest.raises(ServerLost, match="does not reply"):
        module._Confined(tmp_path, leash, 1).processor_seconds()


CHANNEL_AT_NINE = """
import os, socket

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.dup2(theirs.fileno(), 9)
from autograder.judging.sandbox import sandbox

server = sandbox("emulator").popen(9)
for fd in (ours.detach(), theirs.detach(), 9):
    os.close(fd)
raise SystemExit(server.wait(100))
"""


def test_the_servers_channel_may_have_the_number_at_which_a_shell_opens_the_filter(bubblewrap):
    done = subprocess.run([sys.executable, "-c", CHANNEL_AT_NINE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
