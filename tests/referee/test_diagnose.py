"""Each pattern of a wrong output, and the sentence that names the mistake."""

import pytest
import torch

from course.referee.diagnose import Wrong, accepted, diagnose, explained
from course.referee.values import Tolerance
from course.tasks import Case

NAN = float("nan")


def sentence(got, expected, inputs=None, mistakes=None, changed=()):
    close = Tolerance.of(got.dtype, 1, expected).close
    return diagnose(Wrong(got, expected, close, inputs or {}, mistakes or {}, changed))


@pytest.fixture
def right():
    return torch.randn(37, 53, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def flat(right, start, value):
    got = right.float()
    got.view(-1)[start:] = value
    return got


def unwritten_edge(right, rows, columns):
    got = right.float()
    got[rows:] = NAN
    got[:, columns:] = NAN
    return got


def rows_m_apart(right):
    got = torch.full((right.numel(),), NAN)
    for i in reversed(range(len(right))):  # threads have no order: here the first row is stored last
        got[i * len(right) :][: right.shape[1]] = right[i]
    return got.view(right.shape)


def every_second(right):
    got = right.float()
    got.view(-1)[1::2] = NAN
    return got


def wrong_edge(right):
    got = right.float()
    got[32:, :] += 1
    got[:, 48:] += 1
    return got


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda right: torch.zeros(37, 53), "Every element is 0"),
        (lambda right: torch.full((37, 53), NAN), "No element of the output was ever written"),
        (lambda right: torch.full((37, 53), NAN), "Or the kernel adds to an output that nobody set to 0"),
        (lambda right: flat(right, 1960, NAN), "past the last multiple of 4"),
        (lambda right: flat(right, 1792, NAN), "number of blocks was rounded down"),
        (lambda right: flat(right, 490, NAN), "the threads are counted in float4"),
        (
            lambda right: flat(right, 20 * 53, NAN),
            "Every row from row 20 on was never written: the grid does not reach",
        ),
        (lambda right: flat(right, 1001, NAN), "Everything from element 1001 on was never written: no thread's index"),
        (every_second, "Only every second element was written"),
        (
            lambda right: unwritten_edge(right, 37, 32),
            "Every column from column 32 on was never written: the last, partial block is missing, since the number of "
            "blocks was rounded down instead of up.",
        ),
        (
            lambda right: unwritten_edge(right, 32, 48),
            "Every row from row 32 on and every column from column 48 on was never written: the last, partial block",
        ),
        (
            lambda right: unwritten_edge(right, 37, 40),
            "Every column from column 40 on was never written: rows and columns are exchanged, in the grid or in a",
        ),
        (lambda right: unwritten_edge(right, 37, 48), "instead of up, or rows and columns are exchanged"),
        (
            lambda right: unwritten_edge(right, 37, 5),
            "Every column from column 5 on was never written: the grid does not",
        ),
        (lambda right: flat(right, 512, NAN), "Only the first 512 elements were written: every block writes the same"),
        (rows_m_apart, "Rows are stored as if they had M elements; they have N"),
        (lambda right: flat(right + torch.eye(37, 53), 1800, NAN), "161 of the wrong elements were never written"),
        (wrong_edge, "Only the last, partial tile"),
        (lambda right: right.float().roll(1, 0), "shifted by one row: each row holds what belongs in the one before"),
        (
            lambda right: right.float().roll(-1, 1),
            "shifted by one column: each column holds what belongs in the one after",
        ),
        (lambda right: right.float().view(-1).roll(1).view(37, 53), "shifted by one element"),
        (lambda right: right.float().T.reshape(37, 53), "transposed order"),
        (lambda right: right.half().float(), "half precision or TF32"),
        (lambda right: right.bfloat16().float(), "bfloat16"),
        (lambda right: (right * (1 + 1e-5)).float(), "close, but not within the accuracy of float32"),
        (lambda right: (right * (1 + 1e-2)).float(), "Every element is 1.01 times what it should be"),
        (lambda right: right.float() * 2, "Every element is 2 times what it should be"),
        (lambda right: flat(right, 1000, 7.0), "Everything before element 1000 is right"),
    ],
)
def test_a_mistake_is_named(right, spoil, words):
    assert words in sentence(spoil(right), right)


def test_only_the_last_element_is_missing():
    right = torch.randn(1027, dtype=torch.float64)
    assert "the guard stops one too early" in sentence(flat(right, 1026, NAN), right)


def test_integers_that_were_never_written():
    right = torch.arange(100)
    got = right.clone()
    got[64:] = torch.iinfo(got.dtype).max
    assert "from element 64 on was never written" in sentence(got, right)
    got[64:] = -1  # bytes of 0xFF
    assert "from element 64 on was never written" in sentence(got, right)


def test_an_input_that_was_returned(right):
    B = torch.randn(37, 53)
    assert sentence(B.clone(), right, inputs={"A": torch.randn(37), "B": B}) == (
        "The output equals B unchanged: nothing was computed, or the wrapper returns the wrong tensor."
    )


def test_a_mistake_that_the_task_knows_and_where_it_leaves_open_what_stands(right):
    known = right * 2
    known[0, 0] = NAN
    got = (right * 2).float()
    got[0, 0] = 123
    assert sentence(got, right, mistakes={"Doubled.": known}) == "Doubled."
    got[0, 1] = 123
    assert sentence(got, right, mistakes={"Doubled.": known}) != "Doubled."


def test_a_mistake_that_also_leaves_elements_unwritten(right):
    known = right * 2
    known[20:] = NAN
    got = known.float()
    assert sentence(got, right, mistakes={"Doubled.": known}) == "Doubled."
    got = right.float()
    got[20:] = NAN  # what `known` says of these elements is nothing, and the others are right
    known[:20] = right[:20]
    assert sentence(got, right, mistakes={"Doubled.": known}).startswith("Every row from row 20 on was never written")


def test_an_input_was_written_in_place_of_the_output(right):
    assert "The kernel stored into B instead of the output" in sentence(flat(right, 0, NAN), right, changed=["B"])


@pytest.mark.parametrize(
    ("case", "check"),
    [
        (Case(change="host:1", expect="error"), "is_cuda()"),
        (Case(change="dtype:0", expect="error"), "scalar_type()"),
        (Case(dtype="float64", expect="error"), "scalar_type()"),
        (Case(change="shape:0", expect="error"), "dim() and size()"),
        (Case(change="short:0", expect="error"), "dim() and size()"),
        (Case(layout="transposed", expect="error"), "is_contiguous()"),
    ],
)
def test_a_check_that_the_wrapper_lacks_is_named(case, check):
    assert accepted(case) == (
        "The wrapper accepted these inputs, and must refuse them: check every input's "
        f"{check} with TORCH_CHECK before the launch."
    )


def test_a_known_mistake_is_named_though_some_of_its_terms_cancel():
    # As a kernel that takes s as a float computes it: the sum's own error is much larger than 1e-3's.
    A, s = torch.tensor([1.0, -3.1, -3.141], dtype=torch.float64), 3.142592653589793
    got = A.float() + torch.tensor(s, dtype=torch.float32)
    assert not Tolerance.of(got.dtype, 1, A * s).close(got, A + s).all()
    assert sentence(got, A * s, mistakes={"added": A + s}) == "added"
    assert sentence(got, A * s, mistakes={"added": A + s + 1e-3}) != "added"


def test_a_known_mistake_may_be_one_of_integers():
    got, expected = torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.5])
    assert sentence(got, expected, mistakes={"counted": torch.tensor([1, 2])}) == "counted"


def test_an_error_of_cuda_is_explained_where_the_emulator_has_not_done_it():
    text = "CUDA error: invalid configuration argument"
    for refused in (text, "the launch was refused: invalid argument"):
        assert explained(refused).startswith(f"{refused}: a block can have 1 to 1024 threads")
    assert explained("CUDA error: an illegal memory access was encountered").count("is a guard missing") == 1
    detailed = f"{text}\nbad-launch: a grid of (0, 1, 1) has no blocks"
    assert (explained(detailed), explained("Something else.")) == (detailed, "Something else.")


def test_nan_that_was_lost_and_nan_that_spread():
    right = torch.randn(40, dtype=torch.float64)
    right[3] = NAN
    lost = right.float().nan_to_num(0.0)
    assert "Only NaN is lost" in sentence(lost, right, inputs={"A": right.float()})
    spread = right.float()
    spread[[5, 9]] = NAN
    assert "NaN spreads" in sentence(spread, right, inputs={"A": right.float()})


def test_nan_that_a_kernel_computed_is_no_gap(right):
    computed = right.float()
    computed[3] = -torch.tensor(NAN)  # as x86 has it of infinity over infinity; new tensors hold other bits
    assert "an exponential overflowed" in sentence(computed, right)
    for fill in (torch.full((37, 53), NAN), torch.full((37, 53), -1, dtype=torch.int32).view(torch.float32)):
        assert "No element of the output was ever written" in sentence(fill, right)


def test_noise_has_no_name(right):
    assert sentence(torch.randn(37, 53), right) == ""


def test_one_wrong_element_is_not_called_a_shift_or_a_factor():
    right = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert (
        sentence(torch.tensor([1.0, 5.0]), right)
        == "Everything before element 1 is right, and everything from there on is wrong."
    )
