"""Scripts: their operations are recorded on other values and repeated on the judged ones; nothing else counts."""

import json
import os
import signal

import pytest
import torch

from course.errors import CourseError
from course.referee.judge import judge
from course.tasks import Case, load_task
from course.tasks.task import other_seed
from course.toolchains.base import Source
from course.worker.protocol import Answer, AnswerError, TimedOut, WorkerDied
from course.worker.recording import NotRun, NoValues, Recorder, Replay, ValueRead, checked, operator, tensors_in
from course.worker.worker import Worker
from tests.kernels import kernel


def recorded(model, inputs):
    """The record of `model(*inputs)` as the referee gets it, and its constants."""
    recorder = Recorder(inputs)
    with torch.no_grad(), NoValues(recorder), recorder:
        result = model(*inputs)
    data = json.loads(json.dumps(recorder.record(result)))
    return checked(data, len(tensors_in(inputs)), len(recorder.constants)), bytes(recorder.constants)


class WithState(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(12.0).view(4, 3).T)
        self.register_buffer("offset", torch.tensor([5.0]).expand(4))
        self.row = self.weight[1]

    def forward(self, A, B):
        return A * self.weight + self.offset, self.row + B[0]


def out(A, B):
    C = torch.empty_like(A)
    torch.add(A, B, out=C)
    return C


def in_place(A, B):
    C = A.clone()
    C[1:].copy_(B[1:])
    C.t_()
    C.add_(1)
    return C, C.mT.view(-1)[::2]


def through_data(A, B):
    C = A.clone()
    C.data.mul_(B.data)
    return C


def inputs_changed(A, B):
    A.fill_(2.0)
    B[0] = 3.0
    return A + B


MODELS = {
    "in place": in_place,
    "views": lambda A, B: (A.t()[1:, ::2], A.unsqueeze(0).expand(2, 3, 4), B.reshape(-1), B.mT.contiguous()),
    "several outputs": lambda A, B: [*A.split(1), {"k": torch.topk(B, 2)[0], "n": 7}, "text", None, 2.5],
    "out": out,
    "parameters and buffers": WithState(),
    "dtypes": lambda A, B: (A.half(), B.to(torch.int32), A.to(torch.float64) * 2, A.view(torch.int32)),
    "tensors of its own": lambda A, B: A * torch.tensor([1.0, 2.0, 3.0, 4.0])
    + torch.full((3, 4), 2.0)
    + torch.eye(3, 4),
    "data": through_data,
    "library": lambda A, B: (torch.einsum("ij,kj->ik", A, B), torch.softmax(A, 1), A[[0, 2]], torch.cat([A, B])),
    "inputs": inputs_changed,
    "an input": lambda A, B: A,
    "a constant": lambda A, B: torch.ones(2),
    "nothing of size": lambda A, B: (A[:0], torch.empty(0, 3), B.new_zeros(0) + torch.zeros(0)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_record_does_with_other_values_what_the_script_does(name):
    model = MODELS[name]
    record, constants = recorded(model, [torch.randn(3, 4), torch.randn(3, 4)])
    A, B = torch.randn(3, 4), torch.randn(3, 4)
    mine, theirs = (A.clone(), B.clone()), (A.clone(), B.clone())
    replay = Replay(record, constants, [])
    for _ in range(2):
        with torch.no_grad():
            got, wanted = replay(*mine), model(*theirs)
        for one, other in zip(tensors_in([got, mine]), tensors_in([wanted, theirs]), strict=True):
            assert one.dtype == other.dtype and one.stride() == other.stride() and torch.equal(one, other)
    if name == "several outputs":
        assert got[3]["n"] == 7 and torch.equal(got[3]["k"], wanted[3]["k"]) and got[4:] == ["text", None, 2.5]


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (lambda x: x[0, 0].item(), "item"),
        (lambda x: bool((x > 0).all()), "item"),
        (lambda x: float(x.sum()), "item"),
        (lambda x: x.tolist(), "tolist"),
        (lambda x: x.cpu().numpy(), "numpy"),
        (lambda x: memoryview(__import__("numpy").asarray(x)), "__array__"),
        (lambda x: x.data_ptr(), "data_ptr"),
    ],
)
def test_a_value_is_not_to_be_had(read, what):
    with pytest.raises(ValueRead, match=rf"use the shapes.*{what}\(\).* would read a value"):
        recorded(lambda x: (read(x), x)[1], [torch.ones(2, 2)])


def test_a_tensor_is_printed_as_its_shape_and_dtype_and_what_is_the_scripts_own_may_be_read():
    texts, own = [], torch.tensor([1.5, 2.5])
    recorded(lambda x: texts.append(f"{x} {x!r} {own[1].item()} {own.tolist()}"), [torch.ones(2, 3)])
    assert texts == [
        "tensor(shape=(2, 3), dtype=torch.float32) tensor(shape=(2, 3), dtype=torch.float32) 2.5 [1.5, 2.5]"
    ]


def test_what_a_function_of_a_module_gives_must_not_depend_on_values():
    def largest(x):
        return x.max().item()

    recorder = Recorder([torch.ones(3)])
    x = recorder._tensors[0]
    with recorder:
        y = x * recorder.call("largest", Source("x"), largest, [x])
    record = checked(json.loads(json.dumps(recorder.record(y))), 1, 0)
    replay = Replay(record, b"", [{"largest": largest}])
    assert replay(torch.tensor([1.0, 0.0, 0.5])).tolist() == [1.0, 0.0, 0.5]
    with pytest.raises(ValueRead, match=r"largest gave 2\.0, and 1\.0 for other values"):
        replay(torch.tensor([2.0, 0.0, 0.5]))


def test_a_call_has_so_many_steps_and_a_step_takes_plain_values(monkeypatch):
    monkeypatch.setattr("course.worker.recording.STEPS_BOUND", 3)
    with pytest.raises(CourseError, match="more than 3 operations"):
        recorded(lambda x: [x + 1 for _ in range(4)], [torch.ones(1)])
    with pytest.raises(CourseError, match="a UntypedStorage is none of these"):
        recorded(lambda x: x.set_(torch.ones(3).untyped_storage()), [torch.ones(1)])


@pytest.mark.parametrize("name", ["from_file.default", "save.default", "gelu.default", "overloads.x", "view.overloads"])
def test_operations_that_take_a_name_are_not_run(name):
    assert operator(f"aten.{name}") is None
    with pytest.raises(NotRun):
        checked({"modules": [], "steps": [{"tensors": 1, "operator": f"aten.{name}", "arguments": []}]}, 0, 0)


def test_operations_of_others_are_not_run():
    assert operator("prims.add.default") is None and operator("aten.add.Tensor") is not None


STEP = {"tensors": 1, "operator": "aten.neg.default", "arguments": [{"tensor": 0}], "keywords": {}}
CALL = {"tensors": 1, "module": 0, "function": "f", "arguments": [], "gives": "1", "line": 3}
OWN = {"tensors": 1, "constant": "float32", "bytes": 8, "device": "cpu"}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"steps": {}, "modules": [], "result": None},
        {"steps": [], "modules": 3, "result": None},
        {"steps": [], "modules": [], "result": {"tensor": 1}},
        {"steps": [], "modules": [], "result": {"tensor": -1}},
        {"steps": [], "modules": [], "result": {"code": "print()"}},
        {"steps": [], "modules": [], "result": {}},
        {"steps": [], "modules": [], "result": 10**400},
        {"steps": [], "modules": [], "result": "x" * 5000},
        {"steps": [], "modules": [], "result": [[[[[[[[[[1]]]]]]]]]]},
        *(
            {"steps": [step], "modules": [{}], "result": None}
            for step in (
                "neg",
                {**STEP, "tensors": "1"},
                {**STEP, "tensors": -1},
                {**STEP, "arguments": {"tensor": 0}},
                {**STEP, "arguments": [{"tensor": 1}]},
                {**STEP, "keywords": []},
                {**STEP, "arguments": [{"torch": "load"}]},
                {**CALL, "module": 1},
                {**CALL, "function": 5},
                {**CALL, "line": None},
                {**CALL, "gives": None},
                {**OWN, "bytes": 12},
                {**OWN, "bytes": 7},
                {**OWN, "device": "meta"},
                {**OWN, "constant": "strided"},
                {**OWN, "constant": "load"},
                {**OWN, "tensors": 2},
            )
        ),
    ],
)
def test_what_is_no_record_is_refused(data):
    with pytest.raises((AttributeError, KeyError, TypeError, ValueError)):
        checked(data, 1, 8 if isinstance(data, dict) and "constant" in str(data) else 0)


def test_records_that_are_right_are_taken():
    checked({"steps": [STEP, CALL, OWN], "modules": [{}], "result": [{"tensor": 3}, 1]}, 1, 8)


def test_the_seed_that_a_script_gets_is_not_that_of_the_inputs():
    seeds = {other_seed(seed, use) for seed in (7, 7 + (1 << 40), 8) for use in ("weights", "script")}
    assert len(seeds) == 6 and 7 not in seeds


SCALE = kernel("row_scaling").replace(
    "auto C =", 'TORCH_CHECK(A.size(0) == B.size(0), "A and B do not fit");\n    auto C ='
)
SOURCE = SCALE + kernel("worker/copy")
SCRIPT = f"""import gc, os, signal, sys, threading, time, torch
from torch.utils.cpp_extension import load_inline
import model
module = load_inline(name="scale", cpp_sources="torch::Tensor scale(torch::Tensor A, torch::Tensor B);"
                     "torch::Tensor copied(torch::Tensor A);",
                     cuda_sources=r'''{SOURCE}''', functions=["scale", "copied"])
HEAD
class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        BODY
"""
CASES = [Case({"M": 5, "N": 7}), Case({"M": 33, "N": 65})]


def script(body, head=""):
    lines = body.strip("\n").splitlines()
    return Answer("candidate", SCRIPT.replace("BODY", "\n        ".join(lines)).replace("HEAD", head))


def verdict_of(body, head=""):
    return judge(script(body, head), "row_scaling", cases=CASES, toolchain="emulator")


@pytest.mark.parametrize(
    "body",
    [
        "return module.scale(A, B)",
        "A, B = A.cuda().float(), B.to('cuda').contiguous()\nreturn module.scale(A.view(-1), B)",
        "C = torch.zeros(B.shape, device='cuda')\nC.copy_(module.scale(A, B))\nreturn C",
        "return torch.empty_like(B).copy_(module.scale(A, B)) if B.size(0) > 8 else module.scale(A, B)",
        "print(A, B)\nreturn module.scale(A.detach(), B.data)",
    ],
)
def test_an_honest_script_is_right(body):
    verdict = verdict_of(body)
    assert verdict.correct, verdict.text()


HIDDEN = """
def hidden(A, B):
    result = []
    thread = threading.Thread(target=lambda: result.append(A[:, None] * B))  # which no dispatch mode sees
    thread.start(), thread.join()
    return result[0]
"""
CHEATS = {
    "computed in a thread": ("return module.copied(hidden(A, B))", HIDDEN),
    "computed by NumPy": (
        "import ctypes, numpy\n"
        "def of(x):\n"
        "    where = x.untyped_storage().data_ptr()\n"
        "    return numpy.ctypeslib.as_array((ctypes.c_float * x.numel()).from_address(where)).reshape(x.shape)\n"
        "return module.copied(torch.from_numpy(of(A)[:, None] * of(B)))",
        "",
    ),
    "the dispatcher's modes are switched off": (
        "from torch.utils._python_dispatch import _disable_current_modes\n"
        "with _disable_current_modes():\n    C = A[:, None] * B\n"
        "return module.copied(C)",
        "",
    ),
    "the reference, on the inputs of the seed that the process was given": (
        "frame = sys._getframe()\n"
        "while not {'case', 'seed'} <= frame.f_locals.keys():\n"
        "    frame = frame.f_back\n"
        "case, seed = course.tasks.Case.from_json(frame.f_locals['case']), frame.f_locals['seed']\n"
        "task = course.tasks.load_task('row_scaling')\n"
        "x = []\n"
        "t = threading.Thread(target=lambda: x.extend(task.inputs(case, seed, 'cpu')))\n"
        "t.start(), t.join()\n"
        "return module.copied(hidden(*x))",
        HIDDEN + "import course.tasks\n",
    ),
    "what the process holds, through gc and frames": (
        "found = [x for x in gc.get_objects() if isinstance(x, torch.Tensor)]\n"
        "frame = sys._getframe()\n"
        "while frame.f_back:\n"
        "    frame = frame.f_back\n"
        "    found += [x for x in frame.f_locals.values() if isinstance(x, torch.Tensor)]\n"
        "return module.copied(next((x for x in found if x.shape == B.shape and x is not B), hidden(A, B)))",
        HIDDEN,
    ),
    "the recorder patched": (
        "frame, recorder = sys._getframe(), None\n"
        "while recorder is None:\n"
        "    frame = frame.f_back\n"
        "    recorder = frame.f_locals.get('recorder')\n"
        "C = A[:, None] * B\n"
        "del recorder._steps[-2:]\n"
        "recorder._numbers = {id(x): n for n, x in enumerate((A, B))}\n"
        "del recorder._tensors[2:]\n"
        "return module.copied(C)",
        "",
    ),
    "PyTorch patched": (
        "return module.scale(A, B) * 0",
        "torch.equal = torch.allclose = lambda *args, **kwargs: True\n"
        "time.perf_counter = time.monotonic = lambda: 0.0\n"
        "from course.worker import recording\n"
        "recording.checked = lambda *args: None\n"
        "import course.worker.inside.engine\n"
        "for each in gc.get_objects():\n"
        "    if isinstance(each, type) and each.__name__ == 'LibraryCalls':\n"
        "        each.ALLOWED = frozenset(dir(torch))\n",
    ),
    "an earlier output": (
        "kept.append(module.scale(A, B))\n"
        "return kept[0] if kept[0].shape == B.shape and len(kept) > 1 else hidden(A, B)",
        HIDDEN + "kept = []\n",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_script_that_hides_what_it_does_gains_nothing(name):
    verdict = verdict_of(*CHEATS[name])
    assert verdict.compiled and not verdict.correct and not verdict.cases[-1].passed, verdict.text()


def test_the_library_is_seen_whatever_a_script_does_to_the_log():
    verdict = verdict_of(
        "return A[:, None] * B", "torch.utils._python_dispatch.TorchDispatchMode.__torch_dispatch__ = None"
    )
    assert "library-call" in {hazard.kind for hazard in verdict.hazards}


FORGE = """
import json, socket, stat, struct
def forge(reply, payload=b""):
    for fd in range(3, 200):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                data = json.dumps(reply).encode()
                os.write(fd, struct.pack("<QQ", len(data), len(payload)) + data + payload)
        except OSError:
            pass
"""


@pytest.mark.parametrize(
    "reply",
    [
        "{'record': {'steps': [], 'modules': [], 'result': 5}}",
        "{'record': {'steps': [], 'modules': [{}], 'result': None}}",
        "{'record': {'steps': [{'tensors': 1, 'operator': 'aten.add.Tensor', 'arguments': [{'tensor': 7}]}]}}",
        "{'result': {'index': 0, 'shape': [5, 7], 'strides': [7, 1], 'dtype': 'float32', 'device': 'cpu'},"
        " 'inputs': [], 'library_calls': [], 'traffic': [], 'sectors_touched': 0, 'uncounted': ''}",
        "{'failure': 5}",
    ],
)
def test_a_reply_that_a_script_forges_is_no_more_than_a_record(reply):
    verdict = verdict_of(f"forge({reply})\ntime.sleep(0.2)\nreturn B", FORGE)
    assert not verdict.correct and not any(case.passed for case in verdict.cases)


def test_an_operation_that_no_worker_runs_is_a_library_call():
    verdict = verdict_of("return torch.nn.functional.gelu(B)")
    assert "gelu" in verdict.text() and "library-call" in {hazard.kind for hazard in verdict.hazards}


def test_a_worker_that_runs_a_record_holds_no_python_of_the_answer():
    answer = script("return module.scale(A, B)", "print(os.getpid())")
    task = load_task("row_scaling")
    with Worker("emulator") as worker:
        worker.load("a", answer, task)
        assert worker.run("a", task, CASES[0], 5).failure is None
        assert int(worker.printed) not in (worker._session.connection.process.pid, os.getpid())


def test_repeated_and_timed_calls_do_what_was_recorded():
    counting = script("n.append(1)\nreturn module.scale(A, B) if len(n) == 1 else B", "n = []")
    task = load_task("row_scaling")
    with Worker("emulator") as worker:
        worker.load("a", counting, task)
        info = worker.run("a", task, CASES[0], 5).result
        worker.repeat("a", 3)
        A, B = worker.inputs(task, CASES[0], 5)
        assert torch.equal(worker.fetch(info).view(5, 7), A[:, None] * B)
        with pytest.raises(AnswerError, match="Times are measured on a GPU"):
            worker.time(["a"], task, CASES[0], 5, 2)


def test_numbers_among_the_inputs_are_those_of_the_case():
    answer = Answer(
        "candidate",
        "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, A, s):\n"
        "        return torch.full_like(A, s)\n",
    )
    task = load_task("scalar_multiply")
    case = Case(task.named_sizes[-1][1])
    with Worker("emulator") as worker:
        worker.load("a", answer, task)
        info = worker.run("a", task, case, 5).result
        assert worker.fetch(info, 0, 1).item() == pytest.approx(task.inputs(case, 5, "cpu")[1])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = 1\nreturn module.nothing(A, B)  # here", "AttributeError: this module has no function 'nothing'"),
        ("if A[0] > 0: return B  # here\nreturn A", "ValueRead: a script may use the shapes"),
        ("return module.scale(A[1:], B)  # here", "RuntimeError: A and B do not fit"),
        ("raise ValueError('my own')  # here", "ValueError: my own"),
    ],
)
def test_an_exception_of_a_script_has_its_line(body, message):
    line = next(i for i, text in enumerate(script(body).source.splitlines(), 1) if "# here" in text)
    verdict = judge(script(body), "row_scaling", cases=[Case({"M": 5, "N": 7})], toolchain="emulator")
    assert message in verdict.cases[0].seen and f"(line {line} of the answer: `" in verdict.cases[0].seen


def test_a_hang_in_python_is_cut_off():
    task = load_task("row_scaling")
    with Worker("emulator") as worker:
        worker.load("a", script("while True: pass"), task)
        worker.timeout = 1.0
        with pytest.raises(TimedOut):
            worker.run("a", task, CASES[0], 5)


@pytest.mark.parametrize(("line", "message"), [("os._exit(0)", "exit status 0"), ("os.abort()", "SIGABRT")])
def test_a_script_process_that_ends_is_a_named_failure(line, message):
    verdict = verdict_of(f"{line}\nreturn B")
    assert not verdict.correct and message in verdict.cases[0].seen


def test_a_worker_that_ends_is_a_named_failure():
    task = load_task("row_scaling")
    with Worker("emulator") as worker:
        worker.load("a", script("return module.scale(A, B)"), task)
        os.kill(worker._session.connection.process.pid, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            worker.run("a", task, CASES[0], 5)
