"""`course judge` as seen from a shell: what it prints, and its exit status."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from course.cli import main
from course.worker import server

ROOT = Path(__file__).parents[1]

TASK = (ROOT / "tests/scripts/tasks/row_scaling.py").read_text()
CANDIDATE = '''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, const float* B, float* C, int M, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < M * N) C[i] = A[i / N] * B[i];
}

torch::Tensor scale(torch::Tensor A, torch::Tensor B) {
    auto C = torch::zeros_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
"""
module = load_inline(
    name="scale",
    cpp_sources="torch::Tensor scale(torch::Tensor A, torch::Tensor B);",
    cuda_sources=source,
    functions=["scale"],
    verbose=True,
)

class ModelNew(nn.Module):
    def forward(self, A, B):
        return module.scale(A.cuda(), B.cuda())
'''


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "right.py").write_text(CANDIDATE)
    (tmp_path / "wrong.py").write_text(CANDIDATE.replace("A[i / N]", "A[i % N]"))
    (tmp_path / "broken.py").write_text(CANDIDATE.replace("i < M * N", "i < Q"))
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    return tmp_path


def course(capsys, *arguments):
    """Exit status, stdout and stderr of one command."""
    try:
        status = main(["judge", *arguments])
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


SMALL = ("--task", "task.py", "--set", "M=30", "--set", "N=50")


def test_a_right_candidate(files, capsys):
    status, out, err = course(capsys, "right.py", *SMALL)
    assert (status, err) == (0, "")
    verdict, asked = out.splitlines()
    assert verdict == "✓ Right: 2 cases passed." and asked.startswith("  Global memory, with M=30, N=50: ")


def test_a_task_of_the_course_has_cases_of_its_own(files, capsys):
    status, out, _ = course(capsys, "right.py", "--task", "row-scaling")
    assert status == 0 and "14 cases" in out
    status, out, _ = course(capsys, "right.py", "--task", "row-scaling", "--set", "M=5", "--json")
    assert status == 0 and [case["inputs"] for case in json.loads(out)["cases"]] == ["M=5"] * 2


def test_a_wrong_candidate(files, capsys):
    status, out, _ = course(capsys, "wrong.py", *SMALL)
    assert status == 1 and out.startswith("✗ Not right: 2 of 2 cases failed. ") and "M=30, N=50: 1,4" in out


def test_a_candidate_that_does_not_build_or_is_none(files, capsys):
    status, out, _ = course(capsys, "broken.py", *SMALL)
    assert status == 1 and "line 11: error" in out and "Q" in out
    status, out, _ = course(capsys, "empty.py", *SMALL)
    assert status == 1 and "does not define ModelNew" in out


def test_the_json_is_one_object(files, capsys):
    status, out, _ = course(capsys, "wrong.py", *SMALL, "--json", "--toolchain", "emulator")
    verdict = json.loads(out)
    assert status == 1 and out.count("\n") == 1
    assert (verdict["task"], verdict["toolchain"], verdict["compiled"], verdict["correct"]) == (
        "task",
        "emulator",
        True,
        False,
    )
    assert [case["inputs"] for case in verdict["cases"]] == ["M=30, N=50"] * 2


def test_sizes_too_large_for_the_emulator(files, capsys):
    status, out, err = course(capsys, "right.py", "--task", "task.py")
    assert (status, out) == (3, "")
    assert "M=4096, N=4096 are too large for the emulator" in err and "--set M=... --set N=..." in err
    assert "Traceback" not in err


@pytest.fixture
def short_calls(monkeypatch):
    """Let a call in the emulator take 0.3 s."""
    program = f"""
import runpy
from course.toolchains.emulator import calls
calls.TIME_LIMIT = 0.3
runpy.run_module({server.PROGRAM!r}, run_name="__main__", alter_sys=True)
"""
    server.own_server().close()  # the next worker starts it again
    monkeypatch.setattr(server.Server, "command", staticmethod(lambda fd: [sys.executable, "-c", program, str(fd)]))
    yield
    server.own_server().close()


@pytest.mark.usefixtures("short_calls")
def test_what_the_emulator_cannot_run_could_not_be_judged(files, capsys):
    for line, status, message in (
        ("for (volatile int j = 0; j < 1000000; ++j) {}", 3, "too large for the emulator .*: judge .*--set M="),
        ("while (true) {}", 1, "ran for more than 0.3 s: an endless loop"),
        ("atomicAdd(&all, 1); while (atomicAdd(&all, 0) < gridDim.x) {}", 3, "blocks that have not started, since"),
        ("tex2D<float>(0, 0, 0);", 3, "the emulator has no textures and surfaces: read the tensor"),
    ):
        text = CANDIDATE.replace("__global__", "__device__ unsigned all;\n__global__")
        (files / "candidate.py").write_text(text.replace("    int i =", f"    {line}\nint i ="))
        found, out, err = course(capsys, "candidate.py", *SMALL)
        assert found == status and re.search(message, out + err), (line, found, out, err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.py", "--task", "row_scaling"), "nowhere.py cannot be read: No such file or directory"),
        (("latin.py", "--task", "row_scaling"), "latin.py is not UTF-8 text"),
        (
            ("kernel.cu", "--task", "row_scaling"),
            "kernel.cu is C++ or CUDA source, but this command judges Python scripts",
        ),
        (("right.py",), "--task"),
        (("right.py", "--task", "row_scalign"), "did you mean row_scaling"),
        (("right.py", "--task", "nowhere.py"), "nowhere.py cannot be read"),
        (("right.py", "--task", "empty.py"), "is not a task: it does not define Model"),
        (("right.py", "--task", "task.py", "--set", "K=3"), "no size 'K'; its sizes are M=4096, N=4096"),
        (("right.py", "--task", "task.py", "--set", "M=-3"), "is not NAME=VALUE"),
        (("right.py", "--task", "task.py", "--set", "M"), "is not NAME=VALUE"),
        (("right.py", "--task", "task.py", "--toolchain", "clang"), "invalid choice: 'clang'"),
    ],
)
def test_misuse_is_one_sentence_and_status_2(files, capsys, arguments, message):
    status, out, err = course(capsys, *arguments)
    assert (status, out) == (2, "") and message in err and "Traceback" not in err


def test_a_byte_order_mark_is_no_mistake(files, capsys):
    for name in ("right.py", "task.py"):
        (files / name).write_text((files / name).read_text(), encoding="utf-8-sig")
    assert course(capsys, "right.py", *SMALL)[0] == 0


def test_what_the_terminal_cannot_show_is_written_otherwise(files):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "course.cli", "judge", "empty.py", *SMALL]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 1 and rb"\u2717 Not right" in done.stdout and not done.stderr


def test_an_unusable_toolchain_could_not_judge(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ziglang", None)  # no compiler here
    status, out, err = course(capsys, "right.py", *SMALL, "--toolchain", "emulator")
    assert (status, out) == (3, "") and err.count("\n") == 1
    assert "clang was not found, which the package ziglang has: install it: pip install ziglang==" in err


def test_another_platform_could_not_judge(files, capsys, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    status, out, err = course(capsys, "right.py", *SMALL)
    assert (status, out) == (3, "") and "Google Colab" in err and err.count("\n") == 1


def test_a_failure_of_the_judge_itself_is_no_verdict(files, capsys, monkeypatch):
    def fail(*args, **kwargs):
        raise MemoryError("the judge's own")

    monkeypatch.setattr("course.referee.judge.judge", fail)
    status, out, err = course(capsys, "right.py", *SMALL)
    assert (status, out) == (3, "") and "the judge's own" in err


def test_the_command_runs_from_any_folder(files):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    (files / "torch.py").write_text("raise ImportError('not this one')")
    command = [sys.executable, "-P", "-m", "course.cli", "judge", "right.py", *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_a_cache_that_cannot_be_written_is_not_the_candidate_s_fault(files, capsys, monkeypatch):
    (files / "file").write_text("where a folder should be")
    monkeypatch.setenv("COURSE_CACHE", str(files / "file" / "cache"))
    status, out, err = course(capsys, "right.py", *SMALL)
    assert (status, out) == (3, "") and "set COURSE_CACHE to a folder that can" in err


def test_the_lines_of_a_candidate_s_compiler_errors_are_those_of_its_file(files, capsys):
    _, out, _ = course(capsys, "broken.py", *SMALL)
    assert "line 11: error:" in out
