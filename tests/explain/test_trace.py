"""Sentences about work per thread: for right answers, for an exceeded budget, and for missing elements."""

import re

import pytest
import torch

from course.explain.counts import Work
from course.explain.from_trace import Stores
from course.explain.from_values import Unwritten
from course.explain.rules import Evidence, explain
from course.explain.texts import say
from course.referee import memory
from course.referee.judge import judge
from course.referee.memory import needless_work
from course.tasks import ASKS_FOR_ONE_THREAD, Case
from course.worker.protocol import Answer

pytestmark = pytest.mark.quick

SOURCE = """#include <torch/extension.h>
__global__ void k(const float* A, const float* B, float* C, int N) {
    for (int i = 0; i < N; ++i) C[i] = A[i] + B[i];
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    k<<<2, 32>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
"""


def launch(grid: tuple[int, ...], block: tuple[int, ...], storing: int = 0, **counts: int) -> Work:
    """A launch whose first `storing` threads stored one element each, unless `counts` say otherwise."""
    known = {"working": storing, "last_storing": storing - 1, "stored": storing, "elements": storing}
    known |= {"most_stored": 1, "repeated": 0, "writers": 1, "element": 0}
    known |= {"busiest_warp": 1, "busiest_block": 1, "contended": 0, "copied": 0, "unoverlapped": 0}
    known |= {"tensor_sums": 0, "barriers": 0}
    grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
    return Work(kernel="k", grid=grid, block=block, storing=storing, array="C", **{**known, **counts})


def all_by(threads: int, n: int) -> Work:
    """A launch in which each of these threads stored all n elements."""
    counts = {"stored": threads * n, "most_stored": n, "elements": n, "repeated": n if threads > 1 else 0}
    return launch((threads,), (1,), threads, writers=threads, **counts)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (launch((4,), (256,), 1000), ""),
        (launch((1,), (256,), 250, stored=1000, most_stored=4, elements=1000), ""),  # one float4 each
        (launch((250,), (256,), 250, last_storing=63744), ""),  # one sum per block
        (launch((256,), (256,), 1, last_storing=65280, elements=1), ""),  # only the last block stores the sum of all
        (all_by(40, 1000), "Each of 40 threads did all the work: element 0 of C was stored 40 times"),
        (all_by(1, 1000), "One thread did all the work: it stored all 1,000 elements"),
        (
            launch((1,), (256,), 256, stored=223360, most_stored=1000, elements=1000, repeated=999, writers=256),
            r"999 of 1,000 elements were stored by several threads: 256 threads stored .*\. Does a loop step by 1",
        ),
        (
            launch((1,), (64,), 64, elements=1, repeated=1, writers=64),
            "1 of 1 elements were stored by several .* only one thread",
        ),
        (launch((1000,), (256,), 1000), "256,000 threads were launched, and none after .* one block per element"),
        (launch((256,), (40,), 10007), "The launch had 256 blocks of 40 threads, .* are the two exchanged"),
    ],
)
def test_remarks_are_about_work_in_vain(work, words):
    found = " ".join(needless_work([work, work]))
    assert re.match(words, found) if words else not found, found


def over_work(launches, count, budget):
    return " ".join(map(say, memory.over_work(launches, count, budget, {"but": f"but {budget} are enough"})))


def test_a_budget_allows_tiles_and_strides_and_no_row():
    budget = {"threads_per_element": 4, "elements_per_thread": 64}
    tile = launch((4,), (32,), 128, stored=8192, most_stored=64, elements=8192)
    row = launch((4,), (32,), 128, stored=128 * 65, most_stored=65, elements=128 * 65)
    assert not any(over_work([tile], *item) for item in budget.items())
    assert "One thread stored 65 elements" in over_work([tile, row], "elements_per_thread", 64)
    assert "was stored 5 times" in over_work([all_by(5, 300)], "threads_per_element", 4)


def test_one_thread_per_element_is_advised_only_if_the_question_asks_for_it():
    for asks, words in ((ASKS_FOR_ONE_THREAD, "Launch one thread per element"), ("a loop", "One thread stored 900")):
        found = memory.over_work([all_by(1, 900)], "elements_per_thread", 8, {"but": "but asks", "asks": asks})
        assert words in say(found[0])


def test_a_budget_of_a_launchs_shape_counts_its_blocks_its_threads_along_x_and_those_without_work():
    grid = launch((4, 3), (32, 8), 800)
    assert over_work([grid], "blocks", 12) == over_work([grid], "threads_along_x", 128) == ""
    assert over_work([grid], "idle_threads", 4 * 3 * 256 - 800) == ""
    assert over_work([grid], "blocks", 11) == "12 blocks were launched, but 11 are enough."
    assert over_work([grid], "threads_along_x", 64) == "The launch has 128 threads along x, but 64 are enough."
    assert over_work([grid], "idle_threads", 9).startswith("2,272 of 3,072 threads neither loaded nor stored")
    atomics = over_work([launch((4, 3), (32, 8), contended=9)], "atomics_per_address", 8)
    assert atomics.startswith("9 atomic operations of threads change the same address")


def missing(shape: tuple[int, ...], written: object) -> Unwritten:
    mask = torch.ones(shape, dtype=torch.bool)
    mask[written] = False
    found = Unwritten.of(mask.view(-1), shape)
    assert found
    return found


@pytest.mark.parametrize(
    ("work", "lacking", "words"),
    [
        (
            launch((2,), (256,), 512),
            missing((1000,), slice(512)),
            "2 blocks of 256 threads, 512 in all; 1,000 elements",
        ),
        (launch((3,), (256,), 768), missing((1000,), slice(768)), "one thread each: round the number of blocks up"),
        (launch((4,), (256,), 257), missing((1000,), slice(257)), r"only the first 257 \(= M\) stored anything"),
        (
            launch((1,), (256,), 1),
            missing((3,), slice(1)),
            "each block stored one element, and 3 elements need one block",
        ),
        (launch((4,), (256,), 999), missing((1000,), slice(999)), ""),  # the values already show this
        (launch((1,), (1,), 1), missing((1000,), slice(5, 6)), ""),
        (launch((4,), (256,), 0), missing((1000,), slice(0)), "none of them stored anything"),
        (
            launch((2,), (256,), 512, stored=600, most_stored=2, elements=600),
            missing((257, 300), (slice(2), slice(None))),
            "each block stored one row, and 257 rows need one block each",
        ),
        (
            launch((2,), (256,), 512),
            missing((257, 256), (slice(2), slice(None))),
            "512 in all; 65,792 elements need one thread each",
        ),
        (launch((5,), (256,), 1280), missing((5, 300), (slice(None), slice(256))), "256 threads per row reach 256 col"),
        (
            launch((3, 1), (32, 8), 768),
            missing((8, 100), (slice(None), slice(96))),
            "800 elements need one thread each",
        ),
        (
            launch((2, 12), (32, 8), 64 * 64),
            missing((64, 96), (slice(None), slice(64))),
            "64 elements in x and 96 in y; the output has 96 columns and 64 rows. Are x and y exchanged",
        ),
        (
            launch((33, 8), (32, 8), 64 * 255),
            missing((257, 255), (slice(64), slice(None))),
            "1,056 elements in x and 64 in y; the output has 255 columns and 257 rows. Are x and y exchanged",
        ),
        (launch((3, 8), (32, 8), 64 * 40), missing((64, 96), (slice(None), slice(40))), ""),  # the values show it
        (
            launch((4,), (256,), 1024, elements=256, repeated=256, writers=4),
            missing((1000,), slice(256)),
            "every block stored the same 256 elements",
        ),
        (
            launch((256,), (256,), 65536, elements=256, repeated=256, writers=256),
            missing((65536,), slice(0, 65536, 256)),
            "only 256 different elements: element 0 of C was stored by 256 threads",
        ),
        (
            launch((1,), (16, 16), 256, stored=128 * 128, most_stored=64, elements=128 * 128),
            missing((128, 256), (slice(None), slice(128))),
            "Each thread stored 64 elements, so only 16,384 of 32,768 elements were stored",
        ),
        (
            launch((4,), (256,), 600, elements=300, repeated=200, writers=40),
            missing((1000,), slice(0, 600, 2)),
            "only 300 different elements: element 0 of C was stored by 40 threads",
        ),
        (
            launch((4,), (256,), 1024, stored=4096, most_stored=4, elements=800, repeated=800, writers=9),
            missing((1000,), slice(800)),
            "only 800 different elements: .* Each thread stored up to 4 elements: at which element does a thread begin",
        ),
        (
            launch((2,), (4,), 8),
            missing((16,), torch.tensor([0, 1, 2, 3, 8, 9, 10, 11])),
            "",  # a single gap may be anything
        ),
        (
            launch((6,), (4,), 12),
            missing((24,), torch.tensor([0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19])),
            "Of every 8 elements only the first 4 were stored",
        ),
        (launch((4,), (256,), 1000), missing((1000,), slice(0)), "All 1,000 elements were stored, but"),
        (launch((4,), (256,), 1000, elements=1700, most_stored=2), missing((1000,), slice(700)), ""),  # C plus scratch
    ],
)
def test_the_launch_says_why_elements_are_missing(work, lacking, words):
    found = say(explain(Evidence(stores=Stores.of([work], lacking, {"M": 257, "N": 300}))))
    assert re.search(words, found) if words else not found, found
    assert Stores.of([work, work], lacking, {}) is None  # nobody knows which of the two it is


@pytest.mark.later
def test_a_remark_costs_no_point_and_takes_the_praise_away():
    verdict = judge(Answer("cuda", SOURCE, "add"), "vector_add", cases=[Case({"N": 100})], toolchain="emulator")
    assert verdict.correct
    first, second = verdict.to_json()["remarks"]
    assert first.startswith("Each of 64 threads did all the work") and "from several threads" in second
    assert re.match(r"Line 3 \(`.*`\) stores the same value", second)
    assert all(f"remark: {each}" in verdict.text() for each in (first, second))
    assert "as few as" not in verdict.text() and f"But: {first}" in verdict.html()
