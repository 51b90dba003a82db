"""KernelBench scripts with traits of code found in the wild. What does not build is in the gallery and the corpus."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from course.cli import main
from course.tasks import task_names
from course.toolchains.compiler import shorten
from tests.tiers import tiered

FOLDER = Path(__file__).parents[1] / "scripts"
INCLUDE = "#include <ATen/cuda/CUDAContext.h>\n"
PASSED = r"^(\d+ cases passed|\d+ elements are right)\."

TOOLCHAINS = (
    "emulator",
    pytest.param("nvcc", marks=pytest.mark.gpu),
)


@dataclass(frozen=True)
class Script:
    """A script of tests/scripts/, and the sizes at which it is judged."""

    file: str
    task: str
    sizes: str

    @property
    def text(self) -> str:
        return (FOLDER / self.file).read_text()


SCRIPTS = {
    "row scaling": Script("row_scaling.py", "row_scaling", "M=53 N=37"),
    "scalar multiply that throws": Script("scalar_multiply.py", "scalar_multiply", "M=33 N=65"),
    "transposed matmul": Script("transposed_matmul.py", "transposed_matmul", "M=7 N=5 K=300"),
    "relu": Script("relu.py", "relu", "batch_size=40 dim=52"),
    "row scaling that moves its inputs": Script("row_scaling_moves.py", "row_scaling", "M=53 N=37"),
    "a convolution with random weights": Script("conv.py", "conv", "batch_size=2 out_channels=5 height=19 width=23"),
    "a mask and a number as inputs": Script("masked_sum.py", "masked_sum", "batch_size=33"),
    "two parameters, and a number as the result": Script("gemm.py", "gemm", "in_features=37 out_features=29"),
}


def judged(script: Script, toolchain: str, folder: Path, capsys: pytest.CaptureFixture) -> tuple[int, dict]:
    """The exit status and the JSON output of `course judge`."""
    candidate = folder / script.file
    candidate.write_text(script.text)
    sizes = [word for size in script.sizes.split() for word in ("--set", size)]
    task = str(FOLDER / "tasks" / f"{script.task}.py")
    status = main(["judge", str(candidate), "--task", task, "--toolchain", toolchain, "--json", *sizes])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
@pytest.mark.parametrize("name", tiered(SCRIPTS, lambda name: [SCRIPTS[name].task in task_names()]))
def test_a_script_from_the_wild(name, toolchain, tmp_path, capsys):
    status, verdict = judged(SCRIPTS[name], toolchain, tmp_path, capsys)
    assert re.search(PASSED, verdict["message"]), verdict["message"]
    assert (status, verdict["compiled"], verdict["correct"]) == (0, True, True)
    assert verdict["cases"] and not verdict["hazards"]


def test_weights_that_are_drawn_in_another_order_are_not_the_reference_s(tmp_path, capsys, monkeypatch):
    first, second = re.findall(r"^        self\.(?:gemm|bias) = .*\n", (FOLDER / "gemm.py").read_text(), re.MULTILINE)
    script = SCRIPTS["two parameters, and a number as the result"]
    exchanged = script.text.replace(first + second, second + first)
    monkeypatch.setattr(Script, "text", exchanged)
    status, verdict = judged(script, "emulator", tmp_path, capsys)
    assert exchanged.count(second + first) == 1
    assert (status, verdict["compiled"], verdict["hazards"]) == (1, True, [])
    assert "2 of 2 cases failed" in verdict["message"]


@pytest.mark.parametrize("K", [300, 8192])
def test_operands_rounded_to_half_precision_are_refused_and_a_sum_by_one_thread_is_not(
    K, tmp_path, capsys, monkeypatch
):
    script = Script("transposed_matmul.py", "transposed_matmul", f"M=9 N=8 K={K}")
    honest = script.text.replace("BLOCK = 256", "BLOCK = 1").replace(INCLUDE, f"{INCLUDE}#include <cuda_fp16.h>\n")
    operands = ("A[(size_t)k * M + m]", "B[(size_t)n * K + k]")
    narrow = honest
    for operand in operands:
        narrow = narrow.replace(operand, f"__half2float(__float2half({operand}))")
    assert narrow.count("__half2float") == len(operands)
    for text, correct, says in ((honest, True, PASSED), (narrow, False, "computed in half precision or TF32")):
        monkeypatch.setattr(Script, "text", text)
        status, verdict = judged(script, "emulator", tmp_path, capsys)
        assert (status, verdict["compiled"], verdict["correct"]) == (int(not correct), True, correct), verdict
        assert re.search(says, verdict["message"]), verdict["message"]


@pytest.mark.parametrize("task", ["conv", "masked_sum", "gemm"])
def test_sizes_of_a_task_file_that_are_too_large_are_an_error_that_names_set(task, tmp_path, capsys):
    large = "batch_size=4096" if task == "conv" else ""
    status = main(
        [
            "judge",
            str(FOLDER / f"{task}.py"),
            "--task",
            str(FOLDER / "tasks" / f"{task}.py"),
            "--toolchain",
            "emulator",
            *(["--set", large] if large else []),
        ]
    )
    said = capsys.readouterr().err
    assert status == 3 and "are too large for the emulator" in said and "--set batch_size=..." in said


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_a_tail_that_is_treated_as_if_it_were_four_is_refused(toolchain, tmp_path, capsys):
    # On a GPU the values are right: PyTorch allocates memory in steps of 512 bytes, so that a write past the end of
    # an output overwrites nothing. The emulator traces right answers on such a machine too, and its trace shows it.
    script = Script("relu.py", "relu", "batch_size=43 dim=53")
    status, verdict = judged(script, toolchain, tmp_path, capsys)
    assert (status, verdict["compiled"], verdict["correct"]) == (1, True, False)
    assert {hazard["kind"] for hazard in verdict["hazards"]} == {"out-of-bounds"}
    assert "does the last float4 reach too far?" in verdict["message"]


def test_a_hint_is_about_the_error_not_about_the_line_it_is_in():
    sources = {"a.cu": "auto stream = at::cuda::getCurrentCUDAStream()"}
    missing = 'a.cu(1): error: name followed by "::" must be a class or namespace name\n'  # in nvcc's words
    assert shorten(missing, sources).endswith("Is #include <ATen/cuda/CUDAContext.h> missing?")
    assert shorten('a.cu(1): error: expected a ";"\n', sources).endswith(sources["a.cu"])
    for name in ('"double *"', '"scalar_t *" (aka "double *")'):
        other = f'a.cu(1): error: argument of type {name} is incompatible with parameter of type "const float *"\n'
        assert "both need the type of the tensor's elements" in shorten(other, sources)
        assert "compiles the code inside it for double too" in shorten(other, {"a.cu": "AT_DISPATCH_FLOATING_TYPES(f)"})
    loop = {"a.cu": "int i;\nfor i in range(N):\n    C[i] = A[i]\nC[0] = 1;"}
    errors = 'a.cu(2): error: expected a "("\na.cu(3): error: this range-based "for" requires a suitable "begin"\n'
    shown = shorten(f'{errors}a.cu(4): error: expected a ")"\n', loop)
    assert "line 2" in shown and "A loop in C++" in shown and not re.search("line [34]|more", shown)
    undeclared = "a.cu:1:5: error: use of undeclared identifier 'steam'\n"
    assert "prototype" not in shorten(undeclared, sources) and "prototype" in shorten(undeclared, {})
