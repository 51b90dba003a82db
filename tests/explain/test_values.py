"""Each pattern of a wrong output, and the sentence that names the mistake."""

import time

import pytest
import torch

from course.explain.from_source import SourceText
from course.explain.from_values import Wrong
from course.explain.rules import KNOWN, PATTERN, SEEN, Evidence, explain
from course.explain.texts import Found, say
from course.referee.tolerance import Tolerance
from course.referee.trial import with_meaning
from course.referee.verdict import CaseResult, most_telling_first

pytestmark = pytest.mark.quick

NAN = float("nan")


def sentence(got, expected, inputs=None, mistakes=None, changed=(), source=""):
    close = Tolerance.of(got.dtype, 1, expected).close
    wrong = Wrong(got, expected, close, inputs or {}, mistakes or {}, changed, source=source)
    return say(explain(Evidence(text=SourceText.of(source, got.numel()), values=wrong)))


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


def every_second(right):
    got = right.float()
    got.view(-1)[1::2] = NAN
    return got


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda right: torch.zeros(37, 53), "Every element is 0"),
        (
            lambda right: torch.full((37, 53), NAN),
            "No element of the output was ever written: is the kernel launched, does a guard or a loop keep every",
        ),
        (lambda right: flat(right, 1960, NAN), "past the last multiple of 4"),
        (lambda right: flat(right, 1792, NAN), "number of blocks was rounded down"),
        (
            lambda right: flat(right, 20 * 53, NAN),
            "Every row from row 20 on was never written: there are too few blocks in that direction",
        ),
        (
            lambda right: flat(right, 1001, NAN),
            "from element 1001 on was never written: there are too few threads",
        ),
        (every_second, "Only one of every 2 elements was written"),
        (
            lambda right: unwritten_edge(right, 37, 32),
            "Every column from column 32 on was never written: the last, partial block is missing, since the number",
        ),
        (
            lambda right: unwritten_edge(right, 32, 48),
            "Every row from row 32 on and every column from column 48 on was never written: the last, partial block",
        ),
        (
            lambda right: unwritten_edge(right, 37, 40),
            "Every column from column 40 on was never written: rows and columns are exchanged, in the grid or in a",
        ),
        (
            lambda right: unwritten_edge(right, 37, 48),
            "are exchanged, in the grid or in a loop or guard, or the last, partial",
        ),
        (
            lambda right: unwritten_edge(right, 37, 5),
            "Every column from column 5 on was never written: there are too few blocks in that",
        ),
        (lambda right: right.float().T.reshape(37, 53), "transposed order"),
        (lambda right: right.half().float(), "half precision or TF32"),
        (lambda right: right.bfloat16().float(), "bfloat16"),
        (lambda right: (right * (1 + 1e-2)).float(), "Every element is 1.01 times what it should be"),
        (lambda right: right.float() * 2, "Every element is 2 times what it should be"),
        (
            lambda right: right.round().float(),
            "Every element is a whole number: some variable before the store",
        ),
        (
            lambda right: right.float() * (torch.arange(53) < 15),
            "The wrong elements are all 0, and all others are right",
        ),
    ],
)
def test_a_mistake_is_named(right, spoil, words):
    assert words in sentence(spoil(right), right)


def test_values_from_equally_far_away_are_found_though_some_are_expected_elsewhere_too():
    right = torch.randn(600, 700, generator=torch.Generator().manual_seed(1)).double()
    right.view(-1)[[5, 300_000]] = right.view(-1)[[4, 6]]
    got = right.float()
    got.view(-1)[256:] = right.view(-1)[:-256]
    assert "always 256 elements earlier" in sentence(got, right)


def test_a_few_wrong_values_are_not_taken_for_another_order():
    right = torch.zeros(2, 33, dtype=torch.float64)
    right[1, 0] = 1
    got = right.float().view(-1).roll(-1).view(2, 33)
    assert "hold the values" not in sentence(got, right)


def test_only_the_last_element_is_missing():
    right = torch.randn(1027, dtype=torch.float64)
    assert "the guard ends one element too early" in sentence(flat(right, 1026, NAN), right)
    # If the last whole block ends there, a wrong grid is as likely.
    assert "the number of blocks was rounded down" in sentence(flat(right[:1025], 1024, NAN), right[:1025])


def test_floats_in_an_output_of_doubles(right):
    assert "right to about 24 bits only: something was computed in float" in sentence(right.float().double(), right)
    assert sentence(right * (1 + 1e-9), right) == ""  # an approximation may be as close


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
    got[20:] = NAN  # `known` says nothing about these elements, and the others are right
    known[:20] = right[:20]
    assert sentence(got, right, mistakes={"Doubled.": known}).startswith("Every row from row 20 on was never written")


def test_an_input_was_written_in_place_of_the_output(right):
    assert "The kernel stored into B instead of the output" in sentence(flat(right, 0, NAN), right, changed=["B"])


def test_a_known_mistake_is_named_though_some_of_its_terms_cancel():
    # As computed by a kernel that takes s as a float: the sum's own error is much larger than 1e-3's.
    A, s = torch.tensor([1.0, -3.1, -3.141], dtype=torch.float64), 3.142592653589793
    got = A.float() + torch.tensor(s, dtype=torch.float32)
    assert not Tolerance.of(got.dtype, 1, A * s).close(got, A + s).all()
    assert sentence(got, A * s, mistakes={"added": A + s}) == "added"
    assert sentence(got, A * s, mistakes={"added": A + s + 1e-3}) != "added"


def test_a_known_mistake_may_be_one_of_integers():
    got, expected = torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.5])
    assert sentence(got, expected, mistakes={"counted": torch.tensor([1, 2])}) == "counted"


def test_an_error_of_cuda_is_explained():
    text = "CUDA error: invalid configuration argument"
    for refused in (text, "the launch was refused: invalid argument"):
        assert with_meaning(refused, refused).startswith(f"{refused}: a block can have 1 to 1024 threads")
    text = "CUDA error: an illegal memory access was encountered"
    assert with_meaning(text, text).count("is a guard missing") == 1
    assert with_meaning("Something else.", "Something else.") == "Something else."


def test_nan_that_a_kernel_computed_is_no_gap(right):
    computed = right.float()
    computed[3] = -torch.tensor(NAN)  # as x86 computes infinity over infinity; new tensors hold other bits
    assert "an exponential overflowed" in sentence(computed, right, source="__global__ void k() { expf(1.0f); }")
    said = sentence(computed, right)
    assert "memory was used before anything was stored there" in said and "exponential" not in said
    for fill in (torch.full((37, 53), NAN), torch.full((37, 53), -1, dtype=torch.int32).view(torch.float32)):
        assert "No element of the output was ever written" in sentence(fill, right)


def test_noise_has_no_name(right):
    assert sentence(torch.randn(37, 53), right) == ""


def test_one_wrong_element_is_not_called_a_shift_a_factor_or_a_tail():
    right = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert sentence(torch.tensor([1.0, 5.0]), right) == ""


def test_an_element_that_is_right_apart_from_its_last_bits_belongs_to_no_other(right):
    got = right.float().roll(1, 1)
    got.view(-1)[:20] = right.view(-1)[:20] * (1 + 2**-23)
    assert explain(Evidence(values=Wrong(got, right, lambda a, b: a.double() == b))) is None


KERNEL = "__global__ void k(const float* A, float* C, int n) {{\n{}\n}}\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("float sum;\nfor (int k = 0; k < n; ++k) {\nsum += A[k];\n}", "sum has no value when line 4 (`sum += A[k];`)"),
        ("float a[4], s;\nfor (int k = 0; k < n; ++k) s += A[k];", "s has no value when line 3"),
        ("float s[2][2];\nfor (int k = 0; k < n; ++k) s[k][0] += A[k];", "s has no value when line 3"),
        ("float sum = 0;\nfor (int k = 0; k < n; ++k) sum += A[k];", ""),
        ("float sum;\nfor (int k = 0; k < n; ++k) {\nif (k == 0) sum = 0;\nsum += A[k];\n}", ""),
        ("float sum;\nfor (int k = 0; k < n; ++k) {\nif (k > 0) sum += A[k]; else sum = A[k];\n}", ""),
        ("float sum;\nclear(sum);\nsum += A[0];", ""),
        ("__shared__ float sum;\nif (n) sum = 0;\n__syncthreads();\nsum += A[0];", ""),
        (
            "int t = threadIdx.x;\nfloat tile[32];\ntile[t] = A[t];\n__syncthreads();\nC[t] = tile[31 - t];",
            "tile is not __shared__: line 3 (`float tile[32];`) gives each thread its own array",
        ),
        (
            "int t = threadIdx.x;\n__shared__ float tile[32];\ntile[t] = A[t];\n__syncthreads();\nC[t] = tile[31 - t];",
            "",
        ),
        (
            "int t = threadIdx.x;\nPart parts[32];\nparts[t] = part;\n__syncthreads();\nC[t] = parts[31 - t].sum;",
            "parts is not __shared__: line 3 (`Part parts[32];`) gives each thread its own array",
        ),
        ("float mine[4];\nfor (int r = 0; r < 4; ++r) mine[r] = A[r];\n__syncthreads();\nC[0] = mine[1];", ""),
        (
            "float mine[4];\nfor (int i = 0; i < 4; ++i) mine[i] = 0;\n__syncthreads();\n"
            "int i = threadIdx.x;\nC[i] = mine[1];",
            "",
        ),
    ],
)
def test_a_mistake_that_the_source_shows_is_named_and_no_other(right, body, words):
    said = sentence(right.float() + right.float().roll(1), right, source=KERNEL.format(body))
    assert words in said if words else said == ""


def test_infinities_are_no_whole_numbers_and_a_sum_may_be_added_to_new_memory(right):
    assert "whole number" not in sentence(torch.full((37, 53), torch.inf), right)
    adds = KERNEL.format("C[0] += A[0];")
    assert "Line 2 (`C[0] += A[0];`) adds to C" in sentence(torch.full((37, 53), NAN), right, source=adds)


@pytest.mark.parametrize("many", ["a=", "float a;", "{", "float a[", "expexp", " float", "C[", "a+="])
def test_a_source_made_to_take_long_is_soon_looked_through(right, many):
    start = time.process_time()
    for length in (19_000, 1_000_000):
        sentence(torch.zeros(37, 53), right, source=KERNEL.format(many * (length // len(many))))
        sentence(torch.full((37, 53), NAN), right, source=KERNEL.format(many * (length // len(many))))
    assert time.process_time() - start < 5


def failed(mistake="", telling=0, fits=(), elements=100, kind="wrong result", shape=(10, 20)):
    found = Found("known_mistake" if fits else "prediction", {"mistake": mistake}) if mistake else None
    return CaseResult("", False, "", found, (), elements, kind, telling=telling, fits=fits, shape=shape)


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (failed("A", KNOWN, ("A",), 9), [failed("A", KNOWN, ("A",), 1), failed("weak", SEEN)]),
        (failed("A", KNOWN, ("A",), 99), [failed("B", KNOWN, ("B", "A"), 999)]),  # exactly one mistake fits
        (failed("strong", PATTERN), [failed("weak", SEEN, elements=999)]),
        (failed("", 0), [failed("weak", SEEN, elements=1)]),  # nothing can be learned from one element
        (failed("weak", SEEN), [failed("weak", SEEN), failed("refused", SEEN, elements=0, kind="bad-launch")]),
        (
            failed("weak", SEEN, elements=999),
            [failed("A", KNOWN, ("A",), 1), failed("", 0), failed("", 0)],
        ),  # by chance
        (failed("seen", SEEN), [failed("A", KNOWN, ("A",), 300, shape=(300, 1))]),  # with one column, many mistakes fit
    ],
)
def test_the_most_telling_case_speaks(first, others):
    assert most_telling_first([*others, first])[0].why == first.why


def test_of_several_mistakes_that_fit_a_case_the_one_that_fits_the_others_is_named():
    cases = [failed("B", KNOWN, ("B", "A"), 9), failed("A", KNOWN, ("A",), 5), failed("A", KNOWN, ("A",), 5)]
    assert [case.why for case in most_telling_first(cases)] == ["A", "A", "A"]
