"""The referee: right answers pass, wrong ones are refused with a reason, and nothing stops the referee."""

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
import torch

import course
from autograder.classroom import ROOT
from course.errors import CannotJudge, Hazard, ToolchainMissing
from course.explain.rules import PATTERN, SEEN
from course.explain.texts import Found
from course.referee.judge import judge
from course.referee.tolerance import Tolerance
from course.referee.trial import Trial
from course.referee.values import least_size
from course.referee.verdict import CaseResult, Example, Verdict
from course.referee.wrong_elements import WrongElements
from course.tasks import Case, TaskError, load_task
from course.toolchains.cache import cache_root
from course.worker.inside.engine import LibraryCalls
from course.worker.inside.runner import why_uncounted
from course.worker.protocol import Answer, Failure, Outcome, WorkerDied
from course.worker.worker import Worker
from tests.kernels import kernel

RIGHT = "return A[:, None] * B"

CUDA = kernel("row_scaling")


def line_of(text):
    """The line of the row scaling that has the text."""
    return CUDA[: CUDA.index(text)].count("\n") + 1


def python(*lines):
    body = "\n".join(f"    {line}" for line in lines)
    return Answer("python", f"import os, torch\ndef f(A, B):\n{body}", "f")


def judged(answer, task="row_scaling", **options):
    return judge(answer, task, toolchain="emulator", **options)


def file_task(tmp_path, forward, inputs="torch.rand(6, 7)", extra=""):
    path = tmp_path / "task.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n"
        f"    def forward(self, x):\n        return {forward}\n"
        f"def get_inputs():\n    return [{inputs}]\n{extra}"
    )
    return load_task(path)


def f_of_x(body):
    return Answer("python", f"import torch\ndef f(x):\n    return {body}", "f")


def test_a_right_answer_passes_every_case():
    verdict = judged(python(RIGHT))
    assert verdict.correct and len(verdict.cases) == len(load_task("row_scaling").cases)
    assert verdict.message == f"{len(verdict.cases)} cases passed."


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["return A[:, None] + B"], r"The result is A\[row\] \+ B"),
        (["return torch.zeros_like(B)"], "Every element is 0"),
        (["return torch.empty_like(B)"], "ever written"),
        (["return B.clone()"], "equals B unchanged"),
        (["return (A[:, None].half() * B.half()).float()"], "half precision"),
        (["return torch.diag(A) @ B"], "NaN spreads"),
        (["return (A[:, None] * B).T"], r"has shape \(\d+, \d+\); expected"),
        (["return (A[:, None] * B).double()"], "is float64; expected float32"),
        (["return None"], r"is nothing \(None\); expected a tensor"),
        (["return 'C'"], "is 'C'; expected a tensor"),
        (
            ["raise KeyError('row')"],
            r"The call raised KeyError: 'row' \(line 3 of the answer: `raise KeyError\('row'\)`\)\.",
        ),
    ],
)
def test_a_wrong_answer_is_refused_with_its_reason(lines, words):
    verdict = judged(python(*lines))
    assert verdict.compiled and not verdict.correct and not verdict.hazards
    assert re.search(words, verdict.text()), verdict.text()


def test_the_first_wrong_elements_are_shown():
    lines = ["C = A[:, None] * B", "if C.shape == (37, 53): C[2, 3] = 7; C[36, 52] = 8", "return C"]
    verdict = judged(python(*lines))
    (case,) = verdict.failed
    assert case.seen == "2 of 1,961 elements of the output are wrong."
    assert [(e.position, e.got) for e in case.examples] == [("[2, 3]", "7"), ("[36, 52]", "8")]


def test_an_input_that_is_changed_is_a_hazard_even_where_the_values_are_right():
    verdict = judged(python("C = A[:, None] * B", "B[0:1] += 1", "return C"))
    assert not verdict.failed and not verdict.correct
    assert [hazard.kind for hazard in verdict.hazards] == ["modified-input"]
    assert not judged(python("A.resize_(0)", "return B")).correct


@pytest.mark.parametrize(("line", "kind"), [("os.kill(os.getpid(), 11)", "crash"), ("os._exit(0)", "crash")])
def test_a_crash_is_a_verdict_and_the_next_judgement_works(line, kind):
    verdict = judged(python("if B.shape == (1, 1):", f"    {line}", RIGHT))
    assert [hazard.kind for hazard in verdict.hazards] == [kind]
    assert [case.passed for case in verdict.cases[:4]] == [True, True, False, False]
    assert verdict.cases[3].seen == "Not run, since an earlier case ended the process."
    assert judged(python(RIGHT)).correct


def test_a_hang_is_a_verdict(monkeypatch):
    monkeypatch.setattr("course.referee.trial.CALL_SECONDS", 3.0)
    verdict = judged(python("while True: pass"))
    assert [hazard.kind for hazard in verdict.hazards] == ["timeout"] and len(verdict.failed) == len(verdict.cases)


ASKS_FOR_PATHS = """
#include <dlfcn.h>
#include <torch/extension.h>
torch::Tensor paths(torch::Tensor A, torch::Tensor B) {
    Dl_info library;
    dladdr(reinterpret_cast<void*>(&aoti_torch_get_dim), &library);
    TORCH_CHECK(false, "in ", library.dli_fname, " and ", __FILE__);
}
"""


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (python("from torch import nothere"), "cannot import name 'nothere' from 'torch' (torch/__init__.py)"),
        (python("print('file:/' + torch.__file__)", "return B"), "file:/torch/__init__.py"),
        (
            python("import warnings", "warnings.warn_explicit('no', UserWarning, torch.__file__, 1)"),
            "torch/__init__.py:1",
        ),
        (replace(python(), source="import torch\nf = torch.__file__"), "'torch/__init__.py'"),
        (Answer("cuda", ASKS_FOR_PATHS, "paths"), "in torch/lib/libtorch_cpu.so and cuda_sources"),
    ],
    ids=["import", "printed", "warning", "prediction", "dladdr"],
)
def test_no_verdict_says_where_the_course_and_python_are(answer, says):
    task = "row_scaling" if answer.source.count("\n") > 1 else "first_kernel_blocks"
    verdict = judged(answer, task)
    text = f"{verdict} {json.dumps(verdict.to_json())}"
    assert says in text
    assert not [place for place in (sys.prefix, ROOT, cache_root()) if str(place) in text]


def test_seeds_are_fresh_and_decide_the_inputs(monkeypatch):
    shown = python("print(float(B.sum()))", RIGHT)
    cases = [Case({"M": 2, "N": 2})] * 2
    first, second = judged(shown, cases=cases), judged(shown, cases=cases)
    assert len({*first.printed.split(), *second.printed.split()}) == 4
    monkeypatch.setattr("secrets.randbits", lambda bits: 1)
    assert judged(shown, cases=cases).printed == judged(shown, cases=cases).printed


def test_refusals_are_judged_by_the_error_of_the_wrapper():
    case = Case({"M": 2, "N": 3}, change="dtype:0", expect="error")
    assert judged(python("raise RuntimeError('A must be float32')"), cases=[case]).correct
    assert judged(python("raise NotImplementedError('not implemented for Double')"), cases=[case]).correct
    assert judged(python("assert A.dtype == torch.float32, 'A must be float32'"), cases=[case]).correct
    assert judged(python(RIGHT), cases=[case]).correct  # more types than asked, with right values
    accepted = judged(python("return B"), cases=[case])
    assert not accepted.correct and "must refuse them" in accepted.message
    wrong_kind = judged(python("return A.missing"), cases=[case])
    assert (
        not wrong_kind.correct
        and "must refuse these inputs. What happened instead: The call raised AttributeError" in wrong_kind.message
    )
    assert not judged(python("os.abort()"), cases=[case]).correct


@pytest.mark.parametrize(("relation", "right"), [("==", True), ("<=", False), (">=", False)])
def test_sizes_that_fit_from_one_side_alone_are_not_checked(relation, right):
    check = f'TORCH_CHECK(A.size(0) {relation} B.size(0), "A must have an element for each row of B");'
    source = CUDA.replace("auto C", f"{check}\n    auto C")
    fits = [Case({"M": 2, "N": 3}, change=change, expect="error") for change in ("shape:0", "short:0")]
    verdict = judged(Answer("cuda", source, "scale"), cases=fits)
    assert verdict.correct == right
    assert right or "every input's dim() and size()" in verdict.message or verdict.hazards


def test_a_hazard_is_no_refusal():
    guardless = CUDA.replace("if (i < M * N) ", "")
    case = Case({"M": 2, "N": 3}, change="shape:0", expect="error")
    verdict = judged(Answer("cuda", guardless, "scale"), cases=[case])
    assert not verdict.correct and "out-of-bounds" in {hazard.kind for hazard in verdict.hazards}


def test_a_cuda_answer_that_is_right():
    verdict = judged(Answer("cuda", CUDA, "scale"))
    assert verdict.correct and verdict.toolchain == "emulator"


def test_a_source_that_does_not_build_is_a_verdict():
    verdict = judged(Answer("cuda", CUDA.replace("int M =", "int Q ="), "scale"))
    assert not verdict.compiled and not verdict.correct and not verdict.cases
    assert re.search(rf"line {line_of('if (M * N == 0)')}: error: use of undeclared identifier 'M'", verdict.message)


def test_a_function_that_is_missing_is_a_verdict():
    verdict = judged(Answer("cuda", CUDA, "scaled"))
    assert not verdict.compiled and verdict.message == "The source does not define scaled: it has scale."


@pytest.mark.parametrize("body", ["return torch.diag(A) @ B", "return A[:, None] * B"])
def test_a_candidate_may_not_let_pytorch_compute(body):
    script = f"import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, A, B):\n        {body}\n"
    verdict = judged(Answer("candidate", script))
    assert not verdict.correct and "library-call" in {hazard.kind for hazard in verdict.hazards}


def test_weights_of_model_and_candidate_are_the_same(tmp_path):
    source = (
        "import torch\nclass Model(torch.nn.Module):\n"
        "    def __init__(self, n):\n        super().__init__()\n        self.w = torch.nn.Parameter(torch.rand(n))\n"
        "    def forward(self, x):\n        return x + self.w\n"
        "n = 5\ndef get_inputs():\n    return [torch.rand(n)]\ndef get_init_inputs():\n    return [n]\n"
    )
    (tmp_path / "weights.py").write_text(source)
    task = load_task(tmp_path / "weights.py")
    same = Answer("candidate", "from model import Model\nclass ModelNew(Model): pass\n")
    other = same.source.replace("pass", "forward = lambda self, x: x + 2 * self.w")
    assert not judged(same, task).failed
    refused = judged(Answer("candidate", other), task)
    assert refused.failed and "Are these the weights of Model?" in refused.message
    eager = source[: source.index("n = 5")].replace("Model", "Eager")
    assert judged(Answer("python", eager, "Eager"), task).correct
    assert not judged(Answer("python", eager.replace("rand(n)", "ones(n)"), "Eager"), task).correct


def test_a_task_may_leave_an_operation_to_pytorch_and_no_other(tmp_path):
    task = file_task(tmp_path, "x * 2", extra='LIBRARY = ("mul",)\n')
    script = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x * 2{}\n"
    (permitted,) = judged(Answer("candidate", script.format("")), task).hazards
    assert "No kernel was launched" in permitted.detail  # all of the work must not be left to one operation
    (other,) = judged(Answer("candidate", script.format(" + 0")), task).hazards
    assert "PyTorch (add) computed" in other.detail


def test_a_layer_of_pytorch_is_refused_in_a_file_of_kernelbench_and_why_is_said(tmp_path):
    source = (
        "import torch\nclass Model(torch.nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.linear = torch.nn.Linear(4, 3)\n"
        "    def forward(self, x):\n        return self.linear(x)\n"
        "def get_inputs():\n    return [torch.rand(2, 4)]\ndef get_init_inputs():\n    return []\n"
    )
    (tmp_path / "layer.py").write_text(source)
    same = Answer("candidate", "from model import Model\nclass ModelNew(Model): pass\n")
    verdict = judged(same, load_task(tmp_path / "layer.py"))
    assert not verdict.correct
    assert re.search(r"\(addmm\) .* KernelBench would accept this answer. .* lists in LIBRARY", verdict.message)
    assert "KernelBench" not in judged(python("return A[:, None] * B")).message


def test_work_that_is_left_to_pytorch_is_seen_and_cannot_be_counted():
    x = torch.ones(2, 2)
    with (library := LibraryCalls(("mm",))):
        torch.mm(x, x.T) + 1
    assert (library.permitted, library.calls) == (["mm"], ["add"])
    assert "PyTorch did a part of the work (mm)" in why_uncounted(SimpleNamespace(whole=True, copied=False), library)


def test_parts_of_a_result_are_compared_one_by_one(tmp_path):
    task = file_task(tmp_path, "(x + 1, {'sum': x.sum(1)})")
    assert judged(f_of_x("[x + 1, {'sum': x.sum(1)}]"), task).correct
    verdict = judged(f_of_x("(x + 1, {'sum': x.sum(1) + 1})"), task)
    assert "of the result[1]['sum'] are wrong" in verdict.message
    assert not judged(f_of_x("(x + 1,)"), task).correct


def test_the_strides_matter_only_where_the_task_says_so(tmp_path):
    assert judged(f_of_x("(x.T + 1).T.contiguous().mT.contiguous().mT"), file_task(tmp_path, "x + 1")).correct
    task = file_task(tmp_path, "x + 1", extra="STRIDES_MATTER = True\n")
    verdict = judged(f_of_x("(x + 1).mT.contiguous().mT"), task)
    assert "has strides (1, 6); expected (7, 1)" in verdict.message


def test_integers_are_compared_exactly(tmp_path):
    task = file_task(tmp_path, "(x * 2**60).long() + 1")
    assert judged(f_of_x("(x * 2**60).long() + 1"), task).correct
    assert not judged(f_of_x("(x * 2**60).long()"), task).correct


def test_a_prediction_is_right_or_not_and_the_right_one_is_not_given_away():
    right = load_task("first_kernel_blocks").reference([])
    assert judged(Answer("python", f"p = {right}", "p"), "first_kernel_blocks").correct
    assert judged(Answer("python", f"p = {float(right)}", "p"), "first_kernel_blocks").correct
    verdict = judged(Answer("python", "p = 12345", "p"), "first_kernel_blocks")
    assert verdict.message == "Your prediction, 12345, is not right."
    assert str(right) not in json.dumps(verdict.to_json()) + verdict.text() + verdict._repr_html_()
    assert judged(Answer("python", "p = 1.5", "p"), "first_kernel_blocks").message.endswith("a whole number.")
    assert judged(Answer("python", "p = '1'", "p"), "first_kernel_blocks").message.endswith("'1' is not a number.")
    for other in ("True", "None", "'x'", "(1, 2)", "float('nan')"):
        assert not judged(Answer("python", f"p = {other}", "p"), "first_kernel_blocks").correct


def test_a_prediction_of_words():
    right = load_task("first_kernel_clinic").reference([])
    assert judged(Answer("python", f"p = {right!r}", "p"), "first_kernel_clinic").correct
    wrong = {**right, "patient 2": "grid"}
    assert not judged(Answer("python", f"p = {wrong!r}", "p"), "first_kernel_clinic").correct
    forgotten = {name: right[name] for name in right if name != "patient 3"}
    verdict = judged(Answer("python", f"p = {forgotten!r}", "p"), "first_kernel_clinic")
    assert verdict.message.endswith("is not right: it has no entry for patient 3.")


@pytest.mark.parametrize(
    "text",
    [
        "import math\nblocks = math.ceil(1_000_003 / 256)",
        "class Grid:\n    def blocks(self):\n        return -(-1_000_003 // 256)\n\n\nblocks = Grid().blocks()",
        "import numpy as np\nblocks = np.ceil(np.int64(1_000_003) / 256)",
        "from fractions import Fraction\nblocks = int(Fraction(1_000_003, 256)) + 1",
    ],
)
def test_a_prediction_is_any_python_that_gives_the_value(text):
    assert judged(Answer("python", text, "blocks"), "first_kernel_blocks").correct


def test_a_large_output_is_compared_in_slices(monkeypatch):
    answer = python("C = A[:, None] * B", "C.view(-1)[::100] = 9", "return C")
    case = Case({"M": 40, "N": 50})
    monkeypatch.setattr("secrets.randbits", lambda bits: 1)
    whole = judged(answer, cases=[case]).cases[0]
    monkeypatch.setattr("course.referee.tolerance.SLICE_BYTES", 96)
    sliced = judged(answer, cases=[case]).cases[0]
    assert (sliced.seen, sliced.examples) == (whole.seen, whole.examples)
    assert sliced.seen.startswith("20 of 2,000")


def test_a_very_large_output_is_compared_on_a_sample_which_the_verdict_says(monkeypatch):
    monkeypatch.setattr("course.referee.values.SAMPLED_BYTES", 4000)
    monkeypatch.setattr("course.referee.values.SAMPLE_BYTES", 400)
    case = Case({"M": 40, "N": 50})
    right = judged(python(RIGHT), cases=[case])
    assert right.correct and "a sample; there are 2,000 in all" in right.cases[0].detail
    for end in ("0", "-1"):
        assert not judged(python("C = A[:, None] * B", f"C.view(-1)[{end}] = 9", "return C"), cases=[case]).correct


def test_sizes_that_the_emulator_cannot_run_are_refused_before_anything_is_built():
    with pytest.raises(CannotJudge, match=r"M=4096, N=4096 are too large.*--set M=\.\.\. --set N=\.\.\."):
        judge(Answer("python", "syntax error", "f"), _foreign_row_scaling(), toolchain="emulator")


def _foreign_row_scaling():
    task = load_task("row_scaling")
    source = "import torch\nfrom torch import nn\n" + task.source[task.source.index("M = 4096") :].partition("SIZES")[0]
    return type(task)("foreign", source.replace("def reference", "def unused"), "foreign.py")


def test_a_model_that_fails_itself_cannot_be_judged(tmp_path):
    with pytest.raises(CannotJudge, match=r"The Model of the task task fails by itself: RuntimeError"):
        judged(f_of_x("x"), file_task(tmp_path, "x @ x"))
    with pytest.raises(CannotJudge, match=r"The Model of the task task fails by itself: SystemExit"):
        judged(f_of_x("x"), file_task(tmp_path, "exit(0)"))


def test_what_does_not_exist_is_refused():
    with pytest.raises(TaskError, match="There is no task"):
        judged(python(RIGHT), "nothing_like_it")
    with pytest.raises(ToolchainMissing, match="There is no toolchain 'cuda'"):
        judge(python(RIGHT), "row_scaling", toolchain="cuda")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_nvcc_is_missing_and_nothing_is_timed():
    with pytest.raises(ToolchainMissing, match="no CUDA GPU"):
        judge(python(RIGHT), "row_scaling", toolchain="nvcc")
    verdict = judged(python(RIGHT), timed=True)
    assert (verdict.reference_ms, verdict.candidate_ms, verdict.speedup) == (None, None, None)


# The tolerance.


def rounded(x, bits):
    """`x` rounded to `bits` bits of significand, as TF32 (11) and bfloat16 (8) hold it."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 2**bits).round() / 2**bits, exponent)


@pytest.mark.parametrize("terms", [16, 256, 2048, 8192])
def test_a_sum_in_single_precision_passes_and_one_in_half_or_tf32_fails(terms):
    generator = torch.Generator().manual_seed(terms)
    A = torch.randn(64, terms, generator=generator) * 1.5 + 0.25
    B = torch.randn(terms, 64, generator=generator) * 0.75 - 0.5
    expected = A.double() @ B.double()
    close = Tolerance.of(torch.float32, terms, expected).close
    one_after_the_other = torch.zeros(64, 64)
    for k in range(terms):
        one_after_the_other += A[:, k, None] * B[k]
    assert close(one_after_the_other, expected).all()
    assert close(A @ B, expected).all()
    assert not close(rounded(A, 11) @ rounded(B, 11), expected).all()
    assert not close((A.half().double() @ B.half().double()).half().float(), expected).all()


def test_a_single_element_of_which_little_is_left_is_right():
    """In a few of some thousand draws, the two terms nearly cancel, but their rounding errors remain."""
    task, strict = load_task("axpy"), 0
    for seed in range(3000):
        s, A, B = task.inputs(Case({"N": 1}), seed, "cpu")
        expected, got = task.reference([s, A, B], seed), s * A + B
        least = least_size(Trial(task, Case({"N": 1}), seed), [s, A, B], expected)
        assert Tolerance.of(torch.float32, 2, expected, least).close(got, expected).all(), seed
        assert not Tolerance.of(torch.float32, 2, expected, least).close(got + 1e-4, expected).any(), seed
        strict += not Tolerance.of(torch.float32, 2, expected).close(got, expected).all()
    assert strict  # without the least size


@pytest.mark.parametrize(
    ("inputs", "forward"),
    [
        ("torch.rand(6, 7) > 0.5", "x.float().mean(1)"),
        ("-2", "torch.full((6, 7), 0.1, device='cuda').sum(x)"),
        ("torch.tensor([-1, -7])", "torch.full((6, 7), 0.1, device='cuda')[:, x].sum(1)"),
    ],
)
def test_what_says_which_terms_are_summed_is_no_term(inputs, forward, tmp_path):
    task = file_task(tmp_path, forward, inputs, "def sum_length():\n    return 7\n")
    assert judged(f_of_x(forward), task).correct


def test_one_operation_may_be_off_by_its_rounding_alone():
    expected = torch.rand(1000, dtype=torch.float64) + 1
    close = Tolerance.of(torch.float32, 1, expected).close
    exact = expected.float()
    assert close(exact, expected).all()
    assert close(torch.nextafter(exact, torch.tensor(9.0)), expected).all()
    assert not close(exact * (1 + 2.0**-20), expected).any()
    assert not close(rounded(exact, 11), expected).all()


def test_nan_and_infinity_are_right_only_where_the_reference_has_them():
    nan, inf = float("nan"), float("inf")
    expected = torch.tensor([nan, inf, -inf, 1.0, 1e300, 0.0], dtype=torch.float64)
    close = Tolerance.of(torch.float32, 1, expected).close
    assert close(torch.tensor([nan, inf, -inf, 1.0, inf, -0.0]), expected).all()
    for wrong in ([0.0, 0.0, inf, nan, 3e38, inf], [inf, nan, nan, inf, nan, nan]):
        assert not close(torch.tensor(wrong), expected).any()


def test_infinity_in_a_sum_does_not_widen_the_tolerance():
    expected = torch.tensor([float("inf"), 1.0, 2.0], dtype=torch.float64)
    close = Tolerance.of(torch.float32, 100, expected).close
    assert close(torch.tensor([float("inf"), 1.0, 2.5]), expected).tolist() == [True, True, False]


# The verdict.


def test_the_json_is_the_object_that_the_design_fixes():
    hazard = Hazard("race", "two writes", "k", ({"line": 3, "block": [0, 0, 0], "thread": [1, 0, 0]},))
    verdict = Verdict("t", "emulator", "CPU", cases=[CaseResult("N=1", True)], hazards=[hazard])
    data = json.loads(json.dumps(verdict.to_json()))
    assert list(data) == [
        *("task", "toolchain", "device", "compiled", "correct", "cases", "hazards", "traffic"),
        *("reference_ms", "candidate_ms", "speedup", "message", "cause", "diagnosis"),
        *("remarks", "counted", "bounds"),
    ]
    assert data["cases"] == [{"inputs": "N=1", "passed": True, "detail": ""}]
    assert data["hazards"] == [
        {
            "kind": "race",
            "kernel": "k",
            "where": [{"line": 3, "block": [0, 0, 0], "thread": [1, 0, 0]}],
            "detail": "two writes",
        }
    ]
    assert data["correct"] is False


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("line 3: error: no member named 'x'", "line 9: error: no member named 'rows'", True),
        ("line 3: error: no member named 'x'", "line 3: error: no type named 'x'", False),
    ],
)
def test_the_cause_of_a_problem_has_neither_names_nor_lines(one, other, same):
    causes = [Verdict("t", "emulator", "CPU", compiled=False, problem=text).cause for text in (one, other)]
    assert (causes[0][0] == causes[1][0]) == same and causes[0][1] == "error: no member named 'x'"


def test_the_cause_of_wrong_values_is_the_id_of_what_explains_them():
    def cause(*found: Found) -> str:
        cases = [CaseResult("N=1", False, "1 of 2 elements is wrong", each, telling=PATTERN) for each in found]
        return Verdict("t", "emulator", "CPU", cases=cases).cause[0]

    unread = [Found("one_dimension", {"what": "block", "index": "threadIdx", "line": line}) for line in (3, 7)]
    assert cause(unread[0]) == cause(unread[1]) == "one_dimension"
    assert cause(Found("prediction", {"mistake": "rounded down"})) == "rounded down"
    assert Verdict("t", "emulator", "CPU").cause == ("", "")


def test_correct_needs_a_build_cases_and_no_hazard():
    passed = [CaseResult("N=1", True)]
    assert Verdict("t", "emulator", "CPU", cases=passed).correct
    assert not Verdict("t", "emulator", "CPU").correct
    assert not Verdict("t", "emulator", "CPU", compiled=False, cases=passed).correct
    assert not Verdict("t", "emulator", "CPU", cases=[*passed, CaseResult("N=2", False)]).correct
    assert not Verdict("t", "emulator", "CPU", cases=passed, hazards=[Hazard("race", "")]).correct


def test_the_most_telling_case_is_told_first():
    small = CaseResult("N=1", False, "1 of 1 wrong.", Found("all_zero"), elements=1, telling=SEEN)
    large = CaseResult(
        "N=99", False, "3 of 99 wrong.", Found("transposed"), (Example("[96]", "nan", "1"),), 99, telling=PATTERN
    )
    other = CaseResult("N=50", False, "50 of 50 wrong.", elements=500)
    verdict = Verdict("t", "emulator", "CPU", cases=[small, other, large])
    expected = "3 of 3 cases failed. With N=99: 3 of 99 wrong. At [96] got nan, expected 1. "
    expected += "The values are right but in transposed order: row and column are swapped where the result is stored, "
    expected += "or where the input is read."
    assert verdict.message == expected and verdict.text().startswith(f"✗ Not right: {expected}")


class Parsed(HTMLParser):
    """The tags that were opened, those left open, and the text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


HOSTILE = "<script>alert(1)</script><img src=x onerror='x'>\"&"


def test_the_html_escapes_all_that_a_student_can_write():
    verdict = judged(
        Answer("python", f"import os\ndef f(A, B):\n    print({HOSTILE!r})\n    raise ValueError({HOSTILE!r})", "f")
    )
    verdict.hazards.append(Hazard(HOSTILE, HOSTILE, HOSTILE))
    page = Parsed(verdict._repr_html_())
    assert not page.open and not {"script", "img"} & {tag for tag, _ in page.tags}
    assert page.text.count(HOSTILE) >= 4


def test_the_html_needs_no_colour_to_be_read():
    page = Parsed(judged(python("return B.clone()"))._repr_html_())
    assert "✗ Not right" in page.text and "✗ failed" in page.text and "✓ passed" in page.text
    styles = " ".join(attributes.get("style", "") for _, attributes in page.tags)
    assert "color:" not in styles.replace("color:inherit", "") and "background" not in styles
    assert all(attributes.get("scope") == "col" for tag, attributes in page.tags if tag == "th")


# On a GPU.


@pytest.mark.gpu
@pytest.mark.timing
def test_gpu_a_right_answer_is_timed_at_the_largest_size_beside_the_reference():
    verdict = judge(Answer("cuda", CUDA, "scale"), "row_scaling", toolchain="nvcc", timed=True)
    assert verdict.correct and verdict.cases[-1].inputs == "full: M=4096, N=4096"
    assert 0 < verdict.candidate_ms < verdict.reference_ms
    assert verdict.speedup == pytest.approx(verdict.reference_ms / verdict.candidate_ms)
    assert torch.cuda.device_count() and verdict.device == torch.cuda.get_device_name()


@pytest.mark.gpu
def test_gpu_an_answer_that_is_wrong_only_at_full_size_is_not_timed():
    early = CUDA.replace("if (i < M * N)", "if (i < M * N && i < 10000000)")
    verdict = judge(Answer("cuda", early, "scale"), "row_scaling", toolchain="nvcc", timed=True)
    assert not verdict.correct and verdict.speedup is None and len(verdict.failed) == 1


@pytest.mark.gpu
def test_gpu_an_answer_that_stops_working_when_it_is_timed_is_not_right():
    lazy = "n = [0]\ndef f(A, B):\n    n[0] += 1\n    return A[:, None] * B if n[0] < 20 else torch.empty_like(B)"
    verdict = judge(Answer("python", lazy, "f"), "row_scaling", toolchain="nvcc", timed=True)
    assert not verdict.correct and verdict.speedup is None and [c.inputs[:4] for c in verdict.failed] == ["full"]


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("C[i] = A", "C[i + (1LL << 40)] = A", "out-of-bounds"),
        ("C[i] = A", "*(float*)((char*)C + 4 * i + 1) = A", "misaligned"),
        (", 256>>>", ", 4096>>>", "bad-launch"),
        ("int M =", "*(volatile int*)8 = 1; int M =", "crash"),
        ("if (i <", "while (true) { *(volatile float*)C; } if (i <", "timeout"),
    ],
)
def test_gpu_what_goes_wrong_on_the_device_is_named_and_the_next_judgement_works(monkeypatch, old, new, kind):
    monkeypatch.setattr("course.referee.trial.CALL_SECONDS", 5.0)
    cases = [Case({"M": 30, "N": 50})]
    verdict = judge(Answer("cuda", CUDA.replace(old, new), "scale"), "row_scaling", toolchain="nvcc", cases=cases)
    assert verdict.compiled and not verdict.correct and [hazard.kind for hazard in verdict.hazards] == [kind]
    assert judge(Answer("cuda", CUDA, "scale"), "row_scaling", toolchain="nvcc", cases=cases).correct


@pytest.mark.gpu
def test_gpu_refusals_and_results_on_the_host():
    check = 'TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous(), "no");\n'
    check += 'TORCH_CHECK(A.scalar_type() == torch::kFloat && B.scalar_type() == torch::kFloat, "no");\n'
    check += 'TORCH_CHECK(A.size(0) == B.size(0), "no");\n'
    source = CUDA.replace("auto C =", check + "    auto C =")
    assert judge(Answer("cuda", source, "scale"), "row_scaling_checked", toolchain="nvcc").correct
    assert not judge(Answer("cuda", CUDA, "scale"), "row_scaling_checked", toolchain="nvcc").correct
    verdict = judge(python("return (A[:, None] * B).cpu()"), "row_scaling", toolchain="nvcc")
    assert "is in the memory of the host" in verdict.message


@pytest.mark.gpu
def test_gpu_a_gap_in_the_output_shows_however_memory_was_left():
    cases = [Case({"M": 30, "N": 50})] * 3
    gap = CUDA.replace("i < M * N", "i < M * N - 4")
    for answer in (
        Answer("cuda", gap, "scale"),
        python("C = torch.empty_like(B)", "C[:-1] = A[:-1, None] * B[:-1]", "return C"),
    ):
        verdict = judge(answer, "row_scaling", toolchain="nvcc", cases=cases)
        assert len(verdict.failed) == 3
        assert re.search(r"never written|only the first 1,496 stored anything", verdict.message)


def test_a_result_that_no_kernel_made_is_refused():
    answer = Answer("cuda", kernel("judge/on_the_host"), "add")
    verdict = judge(answer, "vector_add", cases=[Case({"N": 100})], toolchain="emulator")
    assert not verdict.correct
    assert [hazard.kind for hazard in verdict.hazards] == ["library-call"]
    assert "No kernel was launched" in verdict.message


@pytest.mark.parametrize(("result", "right"), [("= kept[n]", False), ("= torch::empty_like(A); kept[n] = C", True)])
def test_a_result_that_the_next_call_overwrites_is_refused(result, right):
    source = kernel("judge/kept_output").replace("= kept[n]", result)
    verdict = judge(Answer("cuda", source, "add"), "vector_add", toolchain="emulator")
    assert verdict.correct == right, verdict.message
    if not right:
        assert "Two calls returned the same memory" in verdict.message
        assert {hazard.kind for hazard in verdict.hazards} == {"kept-output"}


def test_an_empty_sum_needs_no_kernel():
    answer = Answer("cuda", kernel("judge/empty_sum"), "transposed_matmul")
    verdict = judge(answer, "transposed_matmul", toolchain="emulator")
    assert verdict.correct and not verdict.untraced, verdict.message


BUILDS = """
import torch
from torch.utils.cpp_extension import load_inline

def module():
    return load_inline(name="x", cpp_sources="torch::Tensor add(torch::Tensor A, torch::Tensor B);",
                       cuda_sources=SOURCE, functions=["add"], FLAGS)
"""
ADDS = kernel("judge/library_for_large")


def add_candidate(flags="", where="forward", source=ADDS):
    """A candidate that builds `source` in one of its methods."""
    call = {
        "forward": "    def forward(self, A, B):\n        return module().add(A, B)\n",
        "__init__": "    def __init__(self):\n        super().__init__()\n        self.add = module().add\n\n"
        "    def forward(self, A, B):\n        return self.add(A, B)\n",
    }[where]
    script = (
        BUILDS.replace("SOURCE", repr(source)).replace("FLAGS", flags) + f"\n\nclass ModelNew(torch.nn.Module):\n{call}"
    )
    return judge(
        Answer("candidate", script), "vector_add", cases=[Case({"N": 100})], toolchain="emulator", traced=False
    )


@pytest.mark.parametrize("where", ["__init__", "forward"])
def test_a_library_that_is_called_is_seen_whenever_the_module_is_built(where):
    verdict = add_candidate(where=where)
    assert [case.passed for case in verdict.cases] == [False]  # stopped before it is loaded
    assert [hazard.detail.split()[3] for hazard in verdict.hazards] == ["dlopen,"]


@pytest.mark.parametrize(
    ("flags", "leave"),
    [
        ("extra_cflags=['-fplugin=/tmp/x.so']", "-fplugin=/tmp/x.so': leave it out of extra_cflags"),
        ("extra_cflags=['-O2', '-B/tmp']", "-B/tmp"),
        ("extra_cflags=['@/etc/passwd']", "@/etc/passwd"),
        ("extra_cflags=['-include', '/etc/passwd']", "-include"),
        ("extra_cflags=['-wrapper', 'sh,-c,id']", "-wrapper"),
        ("extra_cflags=['-Wa,-I/etc']", "-Wa,-I/etc"),
        ("extra_cuda_cflags=['-ccbin', '/tmp/x']", "-ccbin': leave it out of extra_cuda_cflags"),
        ("extra_cuda_cflags=['-Xcompiler', '-O2,-fplugin=x']", "-Xcompiler=-O2,-fplugin=x"),
        ("extra_cuda_cflags=['-Unoinline']", "-Unoinline"),
        ("extra_cuda_cflags=['-DCOURSE_WITHOUT_BINDINGS']", "-DCOURSE_WITHOUT_BINDINGS"),
        ("extra_cuda_cflags=['-I/etc']", "-I/etc"),
        ("extra_ldflags=['-lcublas']", "-lcublas': leave it out of extra_ldflags"),
        ("extra_include_paths=['/etc']", "leave extra_include_paths out"),
        (f"extra_include_paths=[{course.include_path()!r}]", "leave extra_include_paths out"),
    ],
)
def test_a_flag_that_could_do_more_than_compile_is_refused(flags, leave):
    verdict = add_candidate(flags)
    assert not verdict.correct and leave in verdict.message


def test_a_script_writes_its_checks_itself_as_it_must_where_there_is_no_course():
    verdict = add_candidate(source=f"#include <course/checks.h>\n{ADDS}")
    assert not verdict.correct and "copy the checks that it needs from course/checks.h" in verdict.message


def test_flags_that_say_how_to_compile_are_taken():
    cuda = "['-O3', '--use_fast_math', '-lineinfo', '-Xcompiler', '-O3,-fPIC', '-arch=sm_90', '-DWIDE=4', '']"
    source = ADDS.replace('if (A.numel() > 5000) dlopen("libcublas.so", RTLD_NOW);', "static_assert(WIDE == 4);")
    flags = f"extra_cflags=['-O2', '-ffast-math'], extra_cuda_cflags={cuda}, extra_ldflags=['']"
    assert add_candidate(flags, source=source).correct


def test_a_result_of_several_is_told_in_words():
    answer = Answer("python", "def f(A, B):\n    return A, B", "f")
    verdict = judge(answer, "vector_add", cases=[Case({"N": 3})], toolchain="emulator")
    assert "(a tensor of shape (3,), a tensor of shape (3,))" in verdict.message


def trace_with(monkeypatch, results: list[Outcome | WorkerDied]) -> None:
    """The next runs of a traced worker end with these results, and later runs end as usual."""
    run = Worker.run

    def traced(worker, *arguments, **order):
        if worker.toolchain != "traced" or not results:
            return run(worker, *arguments, **order)
        if isinstance(result := results.pop(0), Outcome):
            return result
        raise result

    monkeypatch.setattr(Worker, "run", traced)


TOO_LONG = "the kernel did not end within 10 s."
SLOW = Outcome(failure=Failure("KernelError", f"timeout: {TOO_LONG}", hazards=(Hazard("timeout", TOO_LONG),)))
CASES = [Case({"M": 4, "N": 8}), Case({"M": 3, "N": 5})]


@pytest.mark.parametrize(
    ("result", "told"),
    [(SLOW, f"Timeout: {TOO_LONG}"), (WorkerDied("The process is gone.", "SIGKILL"), "The process is gone.")],
)
def test_a_right_answer_that_takes_too_much_when_it_is_traced_is_right_and_says_so(monkeypatch, result, told):
    trace_with(monkeypatch, [result])
    verdict = judged(Answer("cuda", CUDA, "scale"), cases=CASES)
    assert verdict.correct
    assert verdict.message.endswith(f"Its use of memory could not be checked: {told}")


@pytest.mark.parametrize(
    ("results", "kinds", "told"),
    [
        ([SLOW, SLOW], ["timeout"], "When the answer was traced: Timeout"),
        ([SLOW, Outcome(to_host=1000)], ["library-call"], "1,000 bytes to the host"),
        ([WorkerDied("It ended.")], ["crash"], "When the answer was traced: It ended."),
        ([Outcome(failure=Failure("RuntimeError", "no"))], [], "run again for tracing. The call raised RuntimeError"),
    ],
)
def test_an_answer_that_fails_when_it_is_traced_is_not_right(monkeypatch, results, kinds, told):
    trace_with(monkeypatch, results)
    verdict = judged(Answer("cuda", CUDA, "scale"), cases=CASES)
    assert not verdict.correct and told in verdict.message
    assert [hazard.kind for hazard in verdict.hazards] == kinds


def test_a_right_answer_to_large_cases_alone_is_right_and_says_that_it_was_not_traced():
    verdict = judged(Answer("cuda", CUDA, "scale"), cases=[Case({"M": 512, "N": 1024})])
    assert verdict.correct
    assert verdict.message.endswith("could not be checked: Every case is too large to be traced.")


def test_an_answer_with_right_values_fails_for_what_it_does_to_memory():
    reads_on = CUDA.replace("C[i] = A[i / N] * B[i];", "C[i] = A[i / N] * B[i] + (B[i + 1] > 1e30f);")
    verdict = judged(Answer("cuda", reads_on, "scale"), cases=[Case({"M": 4, "N": 8})])
    assert not verdict.failed and not verdict.correct
    told = rf"line {line_of('C[i] = A')} \(`if .+`\) reads past the end of B of shape .4, 8.: .*thread 31"
    assert re.search(told, verdict.message), verdict.message


def test_a_read_and_a_write_past_the_end_are_reported_as_one_thing():
    too_far = CUDA.replace("i < M * N", "i <= M * N")
    assert too_far != CUDA
    verdict = judged(Answer("cuda", too_far, "scale"), cases=[Case({"M": 4, "N": 8})])
    line = line_of("C[i] = A")
    first = "does a guard have <= instead of <, or leave out a dimension? In a traced run, the first access "
    first += f"out of bounds is: line {line} ("
    assert first in verdict.message
    for shown in (verdict.html(), verdict.text()):
        assert shown.count("past the end") == shown.count("counted from 0") == shown.count("guard missing") == 1


def test_the_diagnosis_comes_first_then_its_line_and_the_rest_is_folded():
    place = {"line": 3, "block": [0, 0, 0], "thread": [0, 0, 0]}
    seen, advice = "a race on As: line 3 (`x < y`)", "a barrier is missing"
    race = Hazard("race", f"{seen}; {advice}", where=(place,), seen=seen, advice=advice)
    wrong = CaseResult("N=2", False, "2 of 4 elements are wrong.", None, (Example("[0]", "1", "2"),), 4)
    found = [race, replace(race, seen="a race on Bs")]
    verdict = Verdict("t", "emulator", "CPU", cases=[wrong, CaseResult("N=1", True)], hazards=found)
    shown, _, folded = verdict.html().partition("<details>")
    assert "<strong>✗ Not right. A barrier is missing.</strong>" in shown
    assert "<p>A race on As: line 3 (<code>x &lt; y</code>).</p>" in shown and "2 of 4" not in shown
    assert "2 of 4" in folded and "a race on Bs" in folded and "missing" not in folded
    assert verdict.text().count("missing") == 1
    alone = Verdict("t", "emulator", "CPU", cases=[wrong]).html()  # then the values are all that is known
    assert "<strong>✗ Not right. 2 of 4 elements are wrong.</strong>" in alone and "<details" not in alone


@pytest.mark.parametrize(("wrong", "words"), [("3 of 9", "some elements in rows 0, 1 and all columns"), ("5 of 9", "")])
def test_a_picture_has_more_than_one_colour(wrong, words):
    mask = torch.zeros(3, 3, dtype=torch.bool)
    mask.view(-1)[[0, 4, 2] if words else slice(None)] = True
    places = WrongElements.of(mask)
    assert places.uniform == (not words) and words in places.words


THROUGH_THE_COURSE = """
import torch
from course import load_inline

module = load_inline("add", cuda_sources=SOURCE, functions=["add"], toolchain="emulator")

class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return module.add(A, B)
"""


def test_what_a_script_builds_with_the_courses_own_load_inline_is_traced_and_looked_into_as_well():
    def hazards(source: str) -> list[str]:
        script = THROUGH_THE_COURSE.replace("SOURCE", repr(source))
        verdict = judge(Answer("candidate", script), "vector_add", cases=[Case({"N": 256})], toolchain="emulator")
        return [hazard.detail for hazard in verdict.hazards]

    source = kernel("judge/past_the_end_and_system")
    (library_call,) = hazards(source)
    assert "The answer calls system" in library_call
    (outside,) = hazards(source.replace('    if (A.numel() < 0) std::system("true");\n', ""))
    assert "past the end of A" in outside
