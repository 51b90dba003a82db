"""The benchmark of element-wise kernels: what it counts as wrong, and that the kernels are right at small sizes."""

import pytest
import torch

from tests.benchmarks.limits import Asked, in_one_graph, shown, works, wrong_elements

COMPILED = "torch.compile"


def test_every_call_computes_what_the_reference_does():
    found = works("emulator")
    assert [work.batched for work in found] == [False] * 4 + [True] * 3
    for work in found[:4]:
        A, B = torch.randn(3), torch.randn(3, 2052)
        _, reference = list(work.calls.values())[:2]
        for name, call in work.calls.items():
            if name != COMPILED:  # on a CPU it would write C++
                expected = B if name == "copy" else reference(A, B)
                assert wrong_elements(call(A, B), expected) == 0, (work.name, name)
        assert {asked.baseline for asked in work.asked} <= work.calls.keys()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 2.0, 1.00001])
def test_a_wrong_element_is_counted_and_nothing_right_is_left(wrong):
    expected = torch.ones(3, 4)
    C = expected * (1 + 1e-7)
    C[1, 2] = wrong
    assert wrong_elements(C, expected) == 1
    assert C.isnan().all()


def test_a_ratio_is_of_each_round_and_as_asked():
    kernel, baseline = [1.0, 2.0], [3.0, 4.0]
    assert Asked("copy", 0.99).ratios(kernel, baseline) == [3.0, 2.0]
    assert Asked("copy", 1.01, slower=True).ratios(kernel, baseline) == [1 / 3, 0.5]
    assert str(Asked("copy", 0.99)) == "speed over copy >= 0.99"
    assert str(Asked("copy", 1.01, slower=True)) == "time over copy <= 1.01"
    assert shown((1.0, 0.5, 2.0), 1) == "1.0 (0.5 to 2.0)"


@pytest.mark.gpu
def test_a_graph_makes_each_launch_anew():
    inputs = [(torch.zeros(1, device="cuda"), torch.full((2, 2), k, device="cuda")) for k in (1.0, 2.0)]
    replayed = in_one_graph(lambda A, B: A + 2 * B, inputs)
    inputs[0][0].fill_(5)
    assert [C[0, 0].item() for C in replayed()] == [7.0, 4.0]
