"""What the machine has, and what the doctor says about it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import course
from course import device
from course.build import load_inline
from course.doctor import SELF_TEST, doctor
from course.errors import CourseError, ToolchainMissing
from course.notebook.trace import trace
from course.tasks import Case, load_task
from course.toolchains import pytorch
from course.toolchains.base import Source
from course.toolchains.emulator import clang, self_test, toolchain
from course.toolchains.nvcc import Nvcc
from course.worker.protocol import Answer
from course.worker.worker import Worker
from tests.clang import replaced_clang

NVCC = """#!/bin/sh
[ "$1" = --dryrun ] && echo '#$ TOP={home}/bin/..' >&2
echo 'Cuda compilation tools, release 13.0, V13.0.88'
"""


@pytest.fixture
def cuda(tmp_path, monkeypatch):
    """A CUDA installation whose compiler only prints its version, in an environment that names no other."""
    home = tmp_path / "cuda"
    compiler = home / "bin" / "nvcc"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(NVCC.format(home=home))
    compiler.chmod(0o755)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.mark.parametrize(
    ("system", "machine", "name", "way_out"),
    [
        ("Windows", "AMD64", "Windows", "in WSL2"),
        ("Darwin", "arm64", "macOS", "a Linux container"),
        ("Linux", "riscv64", "Linux", "another machine"),
    ],
)
def test_elsewhere_the_doctor_says_one_sentence(monkeypatch, system, machine, name, way_out, capsys):
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert doctor() == 1
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 1
    for word in (name, machine, "Colab", way_out):
        assert word in out
    assert ("WSL2" in out) == (name == "Windows")
    with pytest.raises(CourseError, match=way_out):
        _ = course.check
    with pytest.raises(CourseError, match=way_out):
        course.load_ipython_extension(None)


@pytest.mark.parametrize(("machine", "processor"), [("x86_64", "x86-64"), ("aarch64", "ARM")])
def test_the_doctor_accepts_both_processors(monkeypatch, machine, processor, capsys):
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("course.doctor._torch_line", lambda: ("broken", "not asked here"))
    assert doctor() == 1
    assert f"Linux, {processor}, Python" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("name", ["torch._C._aoti.of_another_version", "torch.utils._moved.name", "torch._C.a.b"])
def test_a_pytorch_without_a_private_name_is_named_with_the_versions_that_work(monkeypatch, name, capsys):
    assert pytorch.pytorch_problem() is None
    monkeypatch.setattr(pytorch, "PRIVATE_NAMES", (*pytorch.PRIVATE_NAMES, name))
    said = rf"^PyTorch {re.escape(torch.__version__)} lacks {name}, which the course needs: .* known to work, 2\.11 to"
    for use in (lambda: course.check, lambda: course.load_ipython_extension(None)):
        with pytest.raises(CourseError, match=said):
            use()
    assert doctor() == 1 and f"lacks {name}" in capsys.readouterr().out


def test_a_pytorch_without_a_c_function_is_named(monkeypatch):
    monkeypatch.setattr(pytorch, "c_functions", lambda: {"aoti_torch_copy_", "aoti_torch_of_another_version"})
    assert "lacks aoti_torch_of_another_version, which" in pytorch.pytorch_problem()


def test_every_private_name_that_is_used_is_checked():
    pattern = r"\btorch\._C\.(?:_aoti\.)?\w+|\btorch\._ops\.\w+|^from (torch\.utils\._\w+) import (.+)$"
    used = set()
    for path in Path(course.__file__).parent.rglob("*.py"):
        for match in re.finditer(pattern, path.read_text(), re.MULTILINE):
            used |= {f"{match[1]}.{each}" for each in match[2].split(", ")} if match[1] else {match[0]}
    assert used <= set(pytorch.PRIVATE_NAMES)


def test_the_doctor_needs_no_torch_to_say_that_it_is_missing():
    code = "import sys; sys.modules['torch'] = None; from course.cli import main; sys.exit(main(['doctor']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert "PyTorch" in done.stdout and "pip install torch" in done.stdout


def test_cuda_home_sets_which_nvcc_is_meant(cuda, monkeypatch):
    monkeypatch.setenv("CUDA_HOME", str(cuda))
    assert device.nvcc() == device.Tool(cuda / "bin" / "nvcc", "13.0.88")
    assert device.cuda_home() == cuda


def test_a_wrapper_on_the_path_does_not_mislead(cuda, tmp_path, monkeypatch):
    wrapper = tmp_path / "elsewhere" / "bin" / "nvcc"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(f'#!/bin/sh\nexec {cuda}/bin/nvcc "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    assert device.nvcc().path == wrapper
    assert device.cuda_home() == cuda


def test_gxx_is_the_one_on_the_path(tmp_path, monkeypatch):
    found = device.gxx()
    assert found.path == Path(shutil.which("g++"))
    said = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    assert found.version == said
    monkeypatch.setenv("PATH", str(tmp_path))
    assert device.gxx() is None


@pytest.mark.parametrize(
    ("capability", "multiprocessors", "khz", "tflops"),
    [((9, 0), 132, 1_980_000, 67), ((8, 0), 108, 1_410_000, 19.5), ((7, 5), 40, 1_590_000, 8.1)],
    ids=["H200", "A100", "T4"],
)
def test_arithmetic_peak_is_the_one_on_the_data_sheet(monkeypatch, capability, multiprocessors, khz, tflops):
    major, minor = capability
    card = SimpleNamespace(major=major, minor=minor, multi_processor_count=multiprocessors, clock_rate=khz)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: card)
    assert device.arithmetic_peak.__wrapped__() / 1e12 == pytest.approx(tflops, rel=0.01)


def test_tensors_go_where_the_toolchain_works(monkeypatch):
    monkeypatch.delenv("COURSE_TOOLCHAIN", raising=False)
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert expected == course.DEVICE
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    assert course.DEVICE == "cpu"


def test_importing_the_course_imports_nothing_slow():
    code = (
        "import sys, course; assert 'torch' not in sys.modules; "
        "import course.notebook.check, course.notebook.compare, course.notebook.magics, course.notebook.trace; "
        "assert not {'matplotlib', 'IPython', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_doctor_sees_a_toolchain_work_and_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.delenv("COURSE_TOOLCHAIN", raising=False)
    code = doctor()
    out = capsys.readouterr().out
    lines = {line[:20].strip(): line[20:].split(maxsplit=1) for line in out.splitlines()}
    assert code == 0
    assert lines["toolchain emulator"][0] == lines["counted traffic"][0] == "ok"
    assert lines["the course"][0] == "ok" and lines["the course"][1].startswith("works here, with the toolchain ")
    assert lines["PyTorch"][1].startswith(torch.__version__)
    for what, (state, text) in lines.items():
        assert state in ("ok", "missing"), (what, text)
    if not torch.cuda.is_available():
        assert lines["GPU"][0] == lines["toolchain nvcc"][0] == "missing"


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("nothing", "clang was not found, which the package ziglang has"),
        ("a package without its program", "clang was not found, which the package ziglang has"),
        ("another version", f"ziglang is 0.1 here, and the course needs {clang.VERSION}"),
        ("a version without a name", f"ziglang is of unknown version here, and the course needs {clang.VERSION}"),
    ],
)
def test_where_clang_is_not_the_course_s_the_doctor_says_how_to_install_it(there, said, tmp_path, monkeypatch, capsys):
    if there == "nothing":
        monkeypatch.setitem(sys.modules, "ziglang", None)
    else:
        replaced_clang(tmp_path, "")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "ziglang", raising=False)  # another test may have imported it
    if there == "a package without its program":
        (tmp_path / "ziglang" / "zig").unlink()
    elif there == "another version":
        (tmp_path / "ziglang-0.1.dist-info").mkdir()
        (tmp_path / "ziglang-0.1.dist-info" / "METADATA").write_text("Name: ziglang\nVersion: 0.1\n")
    elif there == "a version without a name":
        monkeypatch.setattr("importlib.metadata.distributions", lambda name: [])
    sentence = f"{said}: install it: pip install ziglang=={clang.VERSION}"
    assert clang.missing() == sentence
    for compiler in (clang.clang, clang.linker):
        with pytest.raises(ToolchainMissing, match=re.escape(sentence)):
            compiler()
    monkeypatch.setattr("course.doctor._torch_line", lambda: ("ok", ""))
    monkeypatch.setattr("course.doctor.gpu", lambda: None)
    assert doctor() == 1
    rows = capsys.readouterr().out.splitlines()
    for what in ("toolchain emulator", "counted traffic"):
        assert f"{what:<20} missing  {sentence}" in rows


@pytest.mark.parametrize(
    ("bubblewrap", "row"),
    [
        ("exit 0", "ok       provides the sandbox for grading a class"),
        (
            "echo 'No permissions' >&2; exit 1",
            "missing  needed only to grade a class in a sandbox: .* cannot make a sandbox here .No permissions",
        ),
        (None, "missing  needed only to grade a class in a sandbox: .*bwrap was not found: install it"),
    ],
)
def test_the_doctor_says_whether_bubblewrap_works(tmp_path, monkeypatch, capsys, bubblewrap, row):
    monkeypatch.setattr("course.doctor.self_test", lambda toolchain: 0.1)
    for cached in (device.namespaces, device._namespaces_problem):
        monkeypatch.setattr(device, cached.__name__, cached.__wrapped__)
    for name, text in (("bwrap", bubblewrap), ("prlimit", "exit 0")):
        if text:
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    doctor()
    assert re.search(f"^bubblewrap +{row}", capsys.readouterr().out, re.MULTILINE)


def in_another_process(**environment):
    """The status of `course doctor`, its rows, and what it wrote to stderr."""
    changed = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment}
    command = [sys.executable, "-m", "course.cli", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, env=changed)
    rows = {line[:20].strip(): line[20:].split(maxsplit=1) for line in done.stdout.splitlines()}
    return done.returncode, rows, done.stderr


@pytest.mark.slow
def test_the_doctor_has_a_row_for_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("where a folder should be")
    for environment in (
        {"COURSE_CACHE": str(tmp_path / "file" / "cache")},
        {"COURSE_CACHE": "", "XDG_CACHE_HOME": "", "HOME": str(tmp_path / "file")},
    ):
        status, rows, err = in_another_process(**environment)
        assert (status, err) == (1, "")
        for what in ("toolchain emulator", "counted traffic"):
            assert rows[what][0] == "broken" and "set COURSE_CACHE to a folder that can" in rows[what][1]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "not a program", "#!/bin/sh\nprintf '\\377'\n"])
def test_the_doctor_has_a_row_for_a_compiler_that_is_none(tmp_path, text):
    status, rows, err = in_another_process(PYTHONPATH=replaced_clang(tmp_path, text), COURSE_CACHE=str(tmp_path))
    assert (status, err) == (1, "")
    assert rows["toolchain emulator"][0] == rows["the course"][0] == "broken"
    assert rows["counted traffic"][0] == "broken"


def test_the_doctor_has_a_row_for_a_pytorch_that_cannot_be_imported(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise OSError('libtorch_cpu.so: cannot open shared object file')")
    path = f"{tmp_path}{os.pathsep}{Path(__file__).parents[1]}"
    status, rows, err = in_another_process(PYTHONPATH=path)
    assert (status, err) == (1, "")
    assert rows["PyTorch"] == ["broken", "OSError: libtorch_cpu.so: cannot open shared object file"]


def test_the_doctor_goes_on_where_the_gpu_is_broken(monkeypatch, capsys):
    def broken():
        raise RuntimeError("CUDA error: uncorrectable ECC error encountered")

    monkeypatch.setattr("course.doctor.gpu", broken)
    monkeypatch.setattr("course.doctor.self_test", lambda toolchain: 0.1)
    assert doctor() == 0
    out = capsys.readouterr().out
    assert re.search(r"^GPU +broken +RuntimeError: CUDA error: uncorrectable ECC", out, re.MULTILINE)


@pytest.fixture
def counted_wrongly(fresh_cache, monkeypatch):
    """A clang with which a kernel's counts differ from the counts that were derived by hand."""
    monkeypatch.setattr(self_test, "EXPECTED", {**self_test.EXPECTED, ("shared", "load", 4): (2, 4, 2)})
    self_test.counting_problem.cache_clear()
    yield
    self_test.counting_problem.cache_clear()


@pytest.mark.slow
def test_a_compiler_that_lets_nothing_be_counted_is_named_and_nothing_is(counted_wrongly, monkeypatch, capsys):
    problem = self_test.counting_problem()
    assert re.fullmatch(
        r"The emulator fails the self-test of counted traffic \(.*\): nothing is counted here\.", problem
    )
    doctor()
    out = capsys.readouterr().out
    assert re.search(rf"^counted traffic +broken +{re.escape(problem)}$", out, re.MULTILINE)
    add = load_inline("add", cuda_sources=SELF_TEST, functions="add", toolchain="emulator").add
    x = torch.ones(10)
    with pytest.raises(CourseError, match=re.escape(problem)):
        trace(add, x, x)
    with Worker("traced") as worker:
        worker.load("answer", Answer("cuda", SELF_TEST, "add"), load_task("vector_add"))
        outcome = worker.run("answer", load_task("vector_add"), Case({"N": 10}), 0, counting=True)
    assert (outcome.failure, outcome.uncounted, outcome.traffic) == (None, problem, ())


def test_the_kernel_that_is_counted_runs_once_for_a_compiler(fresh_cache, monkeypatch):
    for _ in range(2):
        self_test.counting_problem.cache_clear()
        assert self_test.counting_problem() == ""
        monkeypatch.setattr(toolchain.Emulator, "load", None)  # so the second round must not build
    assert len(list((fresh_cache / "counting").iterdir())) == 1


def test_a_compiler_that_cannot_build_what_is_traced_is_named(fresh_cache, monkeypatch):
    monkeypatch.setattr(toolchain, "TRACED_FLAGS", (*toolchain.TRACED_FLAGS, "-fno-such-flag"))
    self_test.counting_problem.cache_clear()
    problem = self_test.counting_problem()
    self_test.counting_problem.cache_clear()
    assert "fails the self-test" in problem and "no-such-flag" in problem and "\n" not in problem


@pytest.fixture
def wheels_alone(monkeypatch, tmp_path):
    """NVIDIA's wheels, on a machine without any other CUDA."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    found = next(iter(device._nvcc_of_wheels()), None)
    if found is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("needs nvcc of NVIDIA's wheels: pip install .[cuda]")
    monkeypatch.setattr(device.shutil, "which", lambda name, find=shutil.which: None if name == "nvcc" else find(name))
    monkeypatch.setattr(device, "USUAL_NVCC", "")
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    return found


def test_nvcc_of_the_wheels_builds_where_there_is_no_other(wheels_alone, tmp_path):
    assert device.nvcc().path == wheels_alone
    work = tmp_path / "work"
    work.mkdir()
    Nvcc("75").build(Source(cuda=SELF_TEST, functions=(("add", ""),)), work)
    assert "cudaLaunchKernel" in (work / "symbols").read_text()
