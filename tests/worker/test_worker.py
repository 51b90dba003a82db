"""The worker: it runs student code and survives it; the referee believes nothing that the code could forge."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from course.errors import BuildError, CourseError, Hazard
from course.tasks import Case, load_task
from course.toolchains import compiler
from course.toolchains.base import Source
from course.toolchains.time_limit import TimeLimit
from course.worker.connection import Connection
from course.worker.inside.runner import Runner
from course.worker.messages import MALFORMED
from course.worker.modules import Budget, BuilderProcess
from course.worker.protocol import (
    Answer,
    AnswerError,
    Failure,
    ForeignSymbols,
    Other,
    Outcome,
    RefereeFailed,
    ServerLost,
    TensorInfo,
    TimedOut,
    WorkerDied,
    outcome_from_json,
)
from course.worker.server import Server
from course.worker.worker import Session, Worker
from tests.kernels import kernel

ROOT = Path(__file__).parents[2]
CASE = Case({"M": 3, "N": 4})

KERNEL = kernel("row_scaling")


@pytest.fixture
def task():
    return load_task("row_scaling")


def python(body):
    """An answer `f` whose body is the given lines."""
    return Answer("python", "import os, sys, torch\ndef f(A, B):\n" + "\n".join(f"    {line}" for line in body), "f")


def run(task, answer, case=CASE, timeout=20.0):
    """The outcome of one run, the values of a tensor that came back, and what was printed."""
    with Worker("emulator", timeout) as worker:
        worker.load("a", answer, task)
        outcome = worker.run("a", task, case, 5)
        values = None
        if isinstance(outcome.result, TensorInfo):
            values = worker.fetch(outcome.result).view(outcome.result.shape)
        return outcome, values, worker.printed


def test_the_worker_and_the_referee_make_the_same_inputs(task):
    for layout in ("contiguous", "transposed", "offset"):
        case = Case({"M": 3, "N": 4}, layout=layout, values="special")
        _, values, _ = run(task, python(["return B"]), case)
        B = task.inputs(case, 5, "cpu")[1].contiguous()
        assert torch.equal(values.view(torch.int32), B.view(torch.int32))


def test_a_tensor_is_fetched_in_parts_and_in_row_major_order(task):
    with Worker("emulator") as worker:
        worker.load("a", python(["return torch.arange(12.0).view(3, 4).T"]), task)
        info = worker.run("a", task, CASE, 0).result
        assert (info.shape, info.strides) == ((4, 3), (1, 4))
        assert worker.fetch(info, 2, 5).tolist() == [8.0, 1.0, 5.0]
        assert worker.fetch(info, 11, 100).tolist() == [11.0]
        assert worker.fetch(info, 3, 3).tolist() == []


def test_plain_results_come_as_data(task):
    outcome, _, _ = run(task, Answer("python", "f = (3, 4.5, True, None, 'x', [1], {'a': 2}, {5}, 10**5000)", "f"))
    assert outcome.result == (3, 4.5, True, None, "x", (1,), {"a": 2}, Other("set"), Other("int"))


def test_new_tensors_are_filled_with_nan(task):
    _, values, _ = run(task, python(["return torch.empty_like(B)"]))
    assert values.isnan().all()


def test_what_an_answer_prints_is_captured_and_bounded(task):
    _, _, printed = run(task, python(["print('hello'); os.write(2, b'from C'); return B"]))
    assert printed.replace("\n", "") in ("hellofrom C", "from Chello")
    _, _, printed = run(task, python(["print('x' * 50_000_000); return B"]))
    assert printed == "x" * (1 << 16)
    with pytest.raises(WorkerDied, match="printed more than 64 MiB, and was stopped"):
        run(task, python(["print('x' * 100_000_000); return B"]))


def test_an_exception_comes_back_with_its_line(task):
    outcome, _, _ = run(task, python(["A = 1", "return A.missing"]))
    assert (outcome.failure.type, outcome.failure.line) == ("AttributeError", 4)
    outcome, _, _ = run(task, python(["sys.exit(0)"]))
    assert outcome.failure.type == "SystemExit"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("os.kill(os.getpid(), 11)", "ended by SIGSEGV"),
        ("os.abort()", "ended by SIGABRT"),
        ("os._exit(0)", "ended by itself with exit status 0"),
        ("os._exit(7)", "ended by itself with exit status 7"),
        ("os.closerange(3, 100)", "ended"),
    ],
)
def test_a_process_that_ends_is_a_named_failure(task, line, message):
    with pytest.raises(WorkerDied, match=message):
        run(task, python([line, "return B"]))
    _, values, _ = run(task, python(["return B"]))  # the server lives on
    assert values.shape == (3, 4)


def test_an_interrupt_while_a_worker_starts_confuses_no_later_one(task, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(socket.socket, "recv", interrupt)
    with pytest.raises(KeyboardInterrupt), Worker("emulator") as worker:
        worker.load("a", python(["return 0"]), task)
    monkeypatch.undo()
    with Worker("emulator") as worker:
        worker.load("a", python(["return os.getpid()"]), task)
        assert worker.run("a", task, CASE, 0).result == worker._session.connection.process.pid


def test_a_hang_is_cut_off_and_the_process_is_gone(task):
    with Worker("emulator") as worker:
        worker.load("a", python(["while True: pass"]), task)
        worker.timeout, pid = 0.5, worker._session.connection.process.pid
        with pytest.raises(TimedOut, match=r"Nothing came back within 0\.5 s"):
            worker.run("a", task, CASE, 0)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        with pytest.raises(WorkerDied, match="has ended already"):
            worker.run("a", task, CASE, 0)


@pytest.mark.parametrize("kind", ["python", "candidate"])
def test_a_call_that_compiles_and_is_late_is_told_that_compiling_counts(task, kind):
    script = "import time, torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, A, B):\n"
    script += "        time.sleep(60)  # as if by torch.compile\n"
    with Worker("emulator", timeout=1) as worker:
        worker.load("a", Answer(kind, script, "ModelNew"), task)
        with pytest.raises(
            TimedOut, match=r"within 1 s .*, and a first call runs torch.compile: .* or look for a loop that never ends"
        ):
            worker.run("a", task, CASE, 0)


def test_a_process_that_the_answer_starts_ends_with_the_worker(task):
    _, _, printed = run(task, python(["print(os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '600')); return B"]))
    pid = int(printed)
    assert _soon(lambda: not _running(pid))


FORGE = """
import os, socket, stat, struct
def channel():
    for fd in range(3, 200):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            pass
def f(A, B):
    header = {header}
    os.write(channel(), struct.pack("<QQ", {size}, {payload}) + header)
    return B
"""


@pytest.mark.parametrize(
    ("header", "size", "payload"),
    [
        ("b'not json at all'", "len(header)", 0),
        ("b'[1, 2]'", "len(header)", 0),
        ("b'[' * 500_000", "len(header)", 0),
        ("b''", "1 << 60", 0),
        ("b'{}'", "2", "1 << 40"),
        ("b'{}'", "2", 0),
    ],
)
def test_a_forged_reply_loses_the_worker(task, header, size, payload):
    answer = Answer("python", FORGE.format(header=header, size=size, payload=payload), "f")
    with pytest.raises(WorkerDied, match="is not a reply"):
        run(task, answer)


TENSOR = {"where": "outputs", "index": 0, "shape": [3, 1], "strides": [1, 0], "dtype": "float32", "device": "host"}
PLACE = {"line": 7, "block": [0, 0, 1], "thread": [31, 0, 0]}
HAZARD = {"kind": "race", "detail": "half \ud800", "where": [PLACE], "seen": ""}
FAILURE = {"type": "E", "message": "no", "line": None, "hazards": [HAZARD], "fatal": False}


def test_a_reply_becomes_an_outcome():
    outcome = outcome_from_json({"result": [TENSOR, {"dict": {"a": 1.5}}], "inputs": [None], "failure": FAILURE})
    tensor = TensorInfo("outputs", 0, (3, 1), (1, 0), torch.float32, "host")
    hazard = Hazard("race", "half \\ud800", where=(PLACE,))
    assert outcome == Outcome((tensor, {"a": 1.5}), (None,), failure=Failure("E", "no", hazards=(hazard,)))


@pytest.mark.parametrize(
    "reply",
    [
        *(
            {"result": {**TENSOR, **wrong}}
            for wrong in ({"shape": [-1]}, {"shape": [1]}, {"dtype": "object"}, {"x": 1})
        ),
        *({"result": wrong} for wrong in ({"dict": [1, 2]}, {"class": 5, "dict": 1}, 10**400, {"index": 0})),
        *({"failure": {**FAILURE, "hazards": wrong}} for wrong in (5, ["race"], [{**HAZARD, "kind": "told"}], [{}])),
        *({"failure": {"hazards": [{**HAZARD, "where": [{**PLACE, "block": wrong}]}]}} for wrong in (1, [0], "xyz")),
        *({"failure": wrong} for wrong in (5, [], {**FAILURE, "fatal": 1}, {**FAILURE, "message": 5})),
        *({name: wrong} for name in ("inputs", "library_calls", "traffic", "work", "remarks") for wrong in (5, [5])),
        *({"sectors_touched": -1}, {"to_host": 1.5}, {"uncounted": None}, {"unknown": 1}),
    ],
)
def test_an_outcome_with_a_wrong_field_is_no_reply(reply):
    with pytest.raises(MALFORMED):
        outcome_from_json(reply)


@pytest.mark.parametrize(
    "reply",
    [
        '{"failure": {"hazards": 5}}',
        '{"build": 5}',
        '{"build": {"toolchain": "emulator", "source": {"cuda": 5}}}',
        json.dumps({"build": {"toolchain": "nvcc", "source": asdict(Source("void f() {}"))}}),
    ],
)
def test_a_forged_reply_to_a_build_loses_the_worker(task, reply):
    source = FORGE.format(header=f"b'{reply}'", size="len(header)", payload=0) + "f(0, 0)\n"
    with Worker("emulator") as worker, pytest.raises(WorkerDied, match="is not a reply"):
        worker.load("a", Answer("python", source, "f"), task)


def test_a_compiler_is_stopped_before_the_worker_is_that_would_leave_it_behind():
    assert Budget.one_build > compiler.TIME_LIMIT


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_referees_process_that_dies_while_it_builds_is_tried_again_and_never_the_answers_fault(
    task, monkeypatch, deaths
):
    exchange, built = Connection.exchange, []

    def dying(process: Connection, request: dict, *more: object) -> tuple[dict, bytearray]:
        if isinstance(process.process, BuilderProcess):
            built.append(request)
            if len(built) <= deaths:
                os.kill(process.process.pid, signal.SIGKILL)
                time.sleep(0.1)
        return exchange(process, request, *more)

    monkeypatch.setattr(Connection, "exchange", dying)
    with Worker("emulator") as worker:
        if deaths == 2:
            with pytest.raises(RefereeFailed, match=r"lost twice.*SIGKILL"):
                worker.load("a", Answer("cuda", KERNEL, "scale"), task)
        else:
            worker.load("a", Answer("cuda", KERNEL, "scale"), task)
    assert len(built) == 2


def test_a_server_that_does_not_start_is_no_answers_fault(task):
    class Broken(Server):
        @staticmethod
        def command(fd: int) -> list[str]:
            return ["false"]

    with (
        pytest.raises(ServerLost, match="does not reply: run the cell or command again"),
        Worker("emulator", server=Broken()) as worker,
    ):
        worker.load("a", Answer("candidate", "x = 1"), task)


def test_the_start_of_the_server_is_no_part_of_a_call(task):
    class Slow(Server):
        @staticmethod
        def command(fd: int) -> list[str]:
            return ["sh", "-c", 'sleep 1; exec "$@"', "sh", *Server.command(fd)]

    slow = Slow()
    with Worker("emulator", timeout=0.9, server=slow) as worker:
        worker.load("a", python(["return 1"]), task)
        assert worker.run("a", task, CASE, 0).result == 1
    slow.close()


@pytest.mark.parametrize("does", ["uses no processor", "gets no processor", "starts a process", "loops", "waits"])
def test_a_call_has_a_limit_of_processor_time(task, does):
    """Time without the processor hardly counts, whether the answer waits or the machine is busy."""
    lines = {
        "uses no processor": "__import__('time').sleep(1)",
        "gets no processor": "pass",
        "starts a process": "os.waitpid(os.fork() or os.execlp('sh', 'sh', '-c', 'while :; do :; done'), 0)",
        "loops": "while True: pass",
        "waits": "__import__('time').sleep(600)",
    }
    with Worker("emulator", budget=Budget(unwatched=0.1)) as worker:
        worker.load("a", python([lines[does], "return 1"]), task)
        worker.timeout = 0.3
        pid = worker._session.connection.process.pid
        if does == "gets no processor":
            os.kill(pid, signal.SIGSTOP)
            threading.Timer(1.0, os.kill, (pid, signal.SIGCONT)).start()
        if does in ("uses no processor", "gets no processor"):
            assert worker.run("a", task, CASE, 0).result == 1
        else:
            said = "3 s, almost all of which it waited" if does == "waits" else "0.3 s of processor time"
            with pytest.raises(TimedOut, match=f"Nothing came back within {said}: look for a loop that never ends"):
                worker.run("a", task, CASE, 0)


def test_a_module_of_another_toolchain_does_not_pass_for_the_workers_own(task):
    source = json.loads(json.dumps(asdict(Source(KERNEL, functions=(("scale", "scale"),)))))
    with Worker("emulator") as worker:
        session = worker._session
        folders = [
            session.modules.reply({"toolchain": name, "source": source}, TimeLimit(60), session.connection)["folder"]
            for name in ("traced", "emulator")
        ]
        assert [Path(folder).parent.name for folder in folders] == ["traced", "emulator"]


@pytest.mark.parametrize("value", ["0" * 200_000, "\\0", "$(exit)", "`exit`"])
def test_a_flag_that_no_program_can_be_given_or_that_a_shell_executes_is_the_answers_fault(task, value):
    flagged = CANDIDATE.replace("functions=", f"extra_cflags=['-DA=' + '{value}'], functions=")
    with Worker("emulator") as worker, pytest.raises(BuildError, match="cannot have the flag"):
        worker.load("a", Answer("candidate", flagged.replace("BODY", "return B")), task)


def test_text_that_cannot_be_printed_comes_back_as_text_that_can(task):
    outcome, _, _ = run(task, python([r"raise ValueError('half \ud800')"]))
    assert outcome.failure.message.encode() == rb"half \ud800"


def test_a_forged_tensor_must_bring_as_many_bytes_as_it_claims(task):
    header = (
        """b'{"result": {"index": 0, "shape": [100], "strides": [1], "dtype": "float32", "device": "cpu"},"""
        """ "inputs": [], "library_calls": []}'"""
    )
    answer = Answer("python", FORGE.format(header=header, size="len(header)", payload=0), "f")
    with pytest.raises(WorkerDied):
        run(task, answer)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer("python", "def g(A, B): return B", "f"), "does not define f"),
        (Answer("python", "def f(A, B) return B", "f"), "SyntaxError.*line 1"),
        (Answer("python", "import nowhere", "f"), "ModuleNotFoundError.*line 1"),
        (Answer("candidate", "x = 1"), "does not define ModelNew"),
        (Answer("candidate", "raise ValueError('early')"), "ValueError: early"),
        (Answer("cuda", KERNEL, "scales"), "does not define scales: it has scale"),
        (Answer("cuda", "int x = 3;", "scale"), "has no function that takes or returns a tensor"),
    ],
)
def test_an_answer_that_lacks_something_says_what(task, answer, message):
    with Worker("emulator") as worker, pytest.raises(AnswerError, match=message):
        worker.load("a", answer, task)


def test_an_unknown_kind_of_answer_is_refused():
    with pytest.raises(CourseError, match="cannot be of the kind 'rust'"):
        Answer("rust", "")


def test_a_source_that_does_not_compile_is_a_build_error(task):
    with Worker("emulator") as worker, pytest.raises(BuildError, match="nothing"):
        worker.load("a", Answer("cuda", KERNEL.replace("return C;", "return nothing;"), "scale"), task)


def test_a_cuda_answer_runs_and_unwritten_elements_show(task):
    outcome, values, _ = run(task, Answer("cuda", KERNEL, "scale"))
    A, B = task.inputs(CASE, 5, "cpu")
    assert outcome.failure is None and torch.equal(values, A[:, None] * B)
    _, values, _ = run(task, Answer("cuda", KERNEL.replace("i < M * N", "i < 4"), "scale"))
    assert values.view(-1)[4:].isnan().all() and not values.view(-1)[:4].isnan().any()


def test_a_wrapper_can_tell_a_tensor_on_the_host(task):
    outcome, _, _ = run(task, Answer("cuda", KERNEL, "scale"), Case({"M": 3, "N": 4}, change="host:1", expect="error"))
    assert outcome.failure.type == "RuntimeError" and "must be on the GPU" in outcome.failure.message
    assert not outcome.failure.hazards


def test_a_hazard_of_a_kernel_comes_back_as_one(task):
    outcome, _, _ = run(task, Answer("cuda", KERNEL.replace(", 256>>>", ", 2048>>>"), "scale"))
    assert [hazard.kind for hazard in outcome.failure.hazards] == ["bad-launch"]


def test_a_module_that_calls_what_it_must_not_is_never_loaded(task):
    printing = 'static const int printed = (::write(1, "loaded", 6), 0);'
    with Worker("emulator") as worker:
        with pytest.raises(ForeignSymbols) as refused:
            worker.load("a", Answer("cuda", KERNEL + kernel("worker/forging_constructor") + printing, "scale"), task)
        assert refused.value.names == ("write",)
        time.sleep(0.2)
        assert worker.printed == ""


AHEAD = """
import atexit, json, os, socket, stat, struct, threading, time
sockets = [fd for fd in range(3, 200) if os.path.exists(f"/proc/self/fd/{fd}") and stat.S_ISSOCK(os.fstat(fd).st_mode)]
def send(reply):
    header = json.dumps(reply).encode()
    os.write(sockets[0], struct.pack("<QQ", len(header), 0) + header)
right = {"result": 1, "inputs": [], "library_calls": [], "traffic": [], "sectors_touched": 0, "uncounted": "",
         "to_host": 0}
"""


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(40): send(right)",
        "threading.Timer(0.05, send, [right]).start(); time.sleep(0.2)",
        "threading.Timer(0.3, send, [right]).start()",
        "send({**right, 'number': '0' * 32})",
        "send({'failure': {'type': 'CourseError', 'message': 'stop'}})",
    ],
    ids=["forty", "during the call", "after the reply", "a number of its own", "a failure"],
)
def test_a_reply_that_was_made_ahead_or_beside_loses_the_worker(task, body):
    with Worker("emulator") as worker, pytest.raises(WorkerDied, match="is not a reply"):
        worker.load("a", Answer("python", f"{AHEAD}def f(A, B):\n    {body}\n    return B", "f"), task)
        for _ in range(3):
            worker.run("a", task, CASE, 0)
            time.sleep(0.2)


@pytest.mark.parametrize("kind", ["CourseError", "ToolchainMissing", "RefereeFailed"])
def test_no_type_of_error_that_a_worker_reports_is_the_machines_fault(task, kind, monkeypatch):
    monkeypatch.setattr(Session, "ask", lambda *_, **__: ({"failure": {"type": kind, "message": "stop"}}, bytearray()))
    with Worker("emulator") as worker, pytest.raises(AnswerError, match=f"{kind}: stop"):
        worker.load("a", Answer("cuda", KERNEL, "scale"), task)


def test_the_calls_of_an_answer_have_a_budget_of_seconds(task):
    slow, budget = python(["import time", "time.sleep(0.4)", "return B"]), Budget(calls=1.0)
    with Worker("emulator", budget=budget) as worker, pytest.raises(TimedOut, match="took more than 120 s together"):
        worker.load("a", slow, task)
        for _ in range(4):
            worker.run("a", task, CASE, 0)
    with Worker("emulator", budget=budget) as worker, pytest.raises(TimedOut):  # the next worker shares the budget
        worker.load("a", slow, task)


def test_the_modules_of_an_answer_have_a_budget_of_bytes(task):
    with Worker("emulator", budget=Budget(modules=1000)) as worker, pytest.raises(BuildError, match="may have 96 MiB"):
        worker.load("a", Answer("cuda", KERNEL, "scale"), task)


CANDIDATE = """
import torch
from torch.utils.cpp_extension import load_inline
from model import Model

source = '''KERNEL'''
module = load_inline(name="x", cpp_sources="torch::Tensor scale(torch::Tensor A, torch::Tensor B);",
                     cuda_sources=source, functions=["scale"])

class ModelNew(Model):
    def forward(self, A, B):
        A, B = A.cuda(), B.to("cuda")
        C = torch.empty(B.shape, device="cuda")
        assert A.is_cuda and C.is_cuda
        BODY

def get_inputs():
    raise RuntimeError("the referee makes the inputs")
""".replace("KERNEL", KERNEL)


def test_a_candidate_builds_with_the_chosen_toolchain(task):
    outcome, values, _ = run(task, Answer("candidate", CANDIDATE.replace("BODY", "return module.scale(A, B)")))
    A, B = task.inputs(CASE, 5, "cpu")
    assert outcome.failure is None and torch.equal(values, A[:, None] * B)
    assert outcome.library_calls == ()


def test_a_candidate_that_pytorch_would_not_take_is_not_taken(task):
    script = CANDIDATE.replace("BODY", "return module.scale(A, B)")
    prototype = 'cpp_sources="torch::Tensor scale(torch::Tensor A, torch::Tensor B);",'
    for wrong, message in (("", "missing a required argument: 'cpp_sources'"), (f"{prototype} sources=[],", "sources")):
        with Worker("emulator") as worker, pytest.raises(AnswerError, match=f"TypeError.*{message}"):
            worker.load("a", Answer("candidate", script.replace(prototype, wrong)), task)


def test_what_pytorch_computes_for_a_candidate_is_noted(task):
    script = CANDIDATE.replace("BODY", "return super().forward(A, B)")
    outcome, _, _ = run(task, Answer("candidate", script))
    assert "mm" in outcome.library_calls


def test_a_result_that_was_moved_to_the_host_is_told_apart(task):
    for body in ("return module.scale(A, B).cpu()", "return module.scale(A, B).to('cpu')"):
        outcome, _, _ = run(task, Answer("candidate", CANDIDATE.replace("BODY", body)))
        assert outcome.result.device == "host"
    outcome, _, _ = run(task, Answer("candidate", CANDIDATE.replace("BODY", "return module.scale(A.cpu().cuda(), B)")))
    assert outcome.failure is None


def test_repeated_calls_run_with_outputs_unfilled_and_the_last_one_stays(task):
    counting = Answer("python", "n = [0]\ndef f(A, B):\n    n[0] += 1\n    return B * 0 + n[0]", "f")
    with Worker("emulator") as worker:
        worker.load("a", counting, task)
        info = worker.run("a", task, CASE, 0).result
        worker.repeat("a", 6)
        assert worker.fetch(info, 0, 1).item() == 7


def test_each_repeated_call_has_inputs_of_its_own_which_the_referee_can_make(task):
    keeping = Answer("python", "seen = []\ndef f(A, B):\n    seen.append(B.clone())\n    return tuple(seen)", "f")
    with Worker("emulator") as worker:
        worker.load("a", keeping, task)
        outcome = worker.run("a", task, CASE, 0)
        worker.repeat("a", 3)
        A, B = worker.inputs(task, CASE, 0)
        assert torch.equal(worker.fetch(outcome.inputs[0]), A)
        shown = [worker.fetch(replace(outcome.result[0], index=index)).view(B.shape) for index in range(4)]
        assert torch.equal(shown[3], B) and not torch.equal(shown[1], B)
        assert all((one != other).sum() <= 1 for one, other in itertools.pairwise(shown[1:]))
        worker.run("a", task, CASE, 0)
        assert torch.equal(worker.inputs(task, CASE, 0)[1], task.inputs(CASE, 0, "cpu")[1])


def test_a_repeated_call_that_writes_nothing_does_not_find_the_last_result(task):
    lazy = Answer(
        "python",
        "import torch\nkept = []\ndef f(A, B):\n    kept[:] = kept or [B + 1]\n    return kept[0]",
        "f",
    )
    with Worker("emulator") as worker:
        worker.load("a", lazy, task)
        info = worker.run("a", task, CASE, 0).result
        assert not worker.fetch(info).isnan().any()
        worker.repeat("a", 2)
        assert worker.fetch(info).isnan().all()


REFEREE = """
import sys, time
from course.tasks import Case, load_task
from course.worker.worker import Worker
from course.worker.protocol import Answer
from course.worker.server import own_server
task = load_task("row_scaling")
with Worker("emulator", timeout=600) as worker:
    worker.load("a", Answer("python", "import time\\ndef f(A, B): time.sleep(600)", "f"), task)
    print(own_server().process.pid, worker._session.connection.process.pid, flush=True)
    worker.run("a", task, Case({"M": 1, "N": 1}), 0)
"""


def test_server_and_workers_end_with_the_referee():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", REFEREE], stdout=subprocess.PIPE, env=environment) as referee:
        pids = [int(word) for word in referee.stdout.readline().split()]
        assert len(pids) == 2 and all(map(_running, pids))
        referee.send_signal(signal.SIGKILL)
    assert _soon(lambda: not any(map(_running, pids)))


def _running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _soon(condition):
    """Whether `condition` comes true within a minute."""
    for _ in range(1200):
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_a_python_answer_never_waits_for_the_emulator_to_be_built(monkeypatch):
    def runtime():
        raise AssertionError("which builds the emulator's runtime, within the time of a call")

    for user in ("emulator.library", "emulator.calls"):
        monkeypatch.setattr(f"course.toolchains.{user}.runtime", runtime)
    monkeypatch.setattr("torch.utils.cpp_extension.load_inline", None)  # imports it first, as the server does
    runner, task = Runner("emulator"), load_task("first_kernel_blocks")
    given = dict(name=task.name, source=task.source, path=task.path)
    runner.do_load("answer", asdict(Answer("python", "blocks = 3", "blocks")), given)
    reply = runner.do_run("answer", given, task.cases[0].to_json(), 5, counting=False)
    assert reply["result"] == 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%%cuda name\nvoid f() {}\n", Answer("cuda", "\nvoid f() {}\n", "f")),
        ("\n %%cuda\nvoid f() {}", Answer("cuda", "\n\nvoid f() {}", "f")),
        ("%%candidate name\nclass ModelNew: ...", Answer("candidate", "\nclass ModelNew: ...", "f")),
        ("def f():\n    return '%%cuda'", Answer("python", "def f():\n    return '%%cuda'", "f")),
        ("", Answer("python", "", "f")),
    ],
)
def test_the_text_of_a_cell_is_an_answer(source: str, expected: Answer) -> None:
    assert Answer.of_cell(source, "f") == expected


def test_no_text_of_an_answer_passes_for_a_kind_of_hazard():
    script = """
import torch
from course.errors import Hazard

class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        error = RuntimeError("refused")
        error.hazards = (Hazard(f"shapes {A.shape}", "", "", ()), Hazard("race", "told", "", ()))
        raise error
"""
    with Worker("emulator") as worker:
        task = load_task("vector_add")
        worker.load("answer", Answer("candidate", script), task)
        outcome = worker.run("answer", task, Case({"N": 10}), 0)
    assert [hazard.kind for hazard in outcome.failure.hazards] == ["crash", "race"]


def test_no_import_of_the_fork_server_asks_for_a_gpu():
    program = "import sys, course.worker.inside.fork_server; print('torch.utils.cpp_extension' in sys.modules)"
    asked = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert asked.stdout == "False\n"  # this module asks, and CUDA would then be unusable in every worker
