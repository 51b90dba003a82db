"""Tasks: found by name, run at other sizes, the same inputs everywhere."""

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from autograder.lint import task_faults
from course.errors import CourseError
from course.tasks import Case, Task, TaskError, load_task, task_names
from tests.tiers import tiered

pytestmark = pytest.mark.quick

# Records, hidden cases, notebooks and the gradebooks of classes are kept by these names.
NAMES = """
attention attention_causal attention_causal_any attention_shared attention_tiled attention_traffic axpy
axpy_in_one_kernel cumsum cumsum_passes cumsum_rows embedding_backward fast_matmul fast_matmul_busiest fast_matmul_odd
fast_matmul_pipelined fast_matmul_resident fast_matmul_split fast_matmul_tall fast_matmul_wavefronts
fast_matmul_whole_tiles first_kernel_blocks first_kernel_clinic histogram histogram_contention histogram_private
linear_bfloat16 linear_relu linear_relu_costs moving_average profiled_kernels profiled_step relu relu_aligned relu_any
resident_blocks rms_norm rms_norm_backward row_scaling row_scaling_backward
row_scaling_backward_passes row_scaling_by_block row_scaling_by_element row_scaling_by_grid row_scaling_checked
row_scaling_dots row_scaling_dots_few_sectors row_scaling_dots_long row_scaling_few_requests row_scaling_few_sectors
row_scaling_least_time row_scaling_limit row_scaling_long row_scaling_narrow row_scaling_operator row_scaling_printed
row_scaling_restrict row_scaling_rounded row_scaling_row_sums row_scaling_sweep row_scaling_wide scalar_multiply
scalar_multiply_bfloat16 scalar_multiply_by_stride scalar_multiply_copy_bytes scalar_multiply_few_sectors
scalar_multiply_in_flight scalar_multiply_int_length scalar_multiply_layouts scalar_multiply_loads
scalar_multiply_resident scalar_multiply_rounds scalar_multiply_several scalar_multiply_sweep scalar_multiply_transposed
scalar_multiply_turned scalar_multiply_turned_padded scalar_multiply_types scalar_multiply_vectors scaled_relu
scaled_relu_passes softmax softmax_by_warp softmax_few_sectors softmax_lines softmax_long softmax_passes
softmax_repaired softmax_two_loops tiled_matmul tiled_matmul_both_tiles tiled_matmul_few_sectors tiled_matmul_first_tile
tiled_matmul_one_tile tiled_matmul_padded tiled_matmul_traffic tiled_matmul_unpadded tiled_matmul_wavefronts
transposed_matmul transposed_matmul_1024 transposed_matmul_bank_time transposed_matmul_by_element
transposed_matmul_checked transposed_matmul_few_sectors transposed_matmul_least_time triton_programs triton_softmax
vector_add vector_add_by_element where_am_i
"""

KERNELBENCH = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
    def forward(self, x):
        return x * self.scale

rows = 2 * 3
columns = rows + 1

def get_inputs():
    return [torch.rand(rows, columns)]

def get_init_inputs():
    return [3.0]
"""


@pytest.fixture
def kernelbench(tmp_path):
    path = tmp_path / "7_Scale.py"
    path.write_text(KERNELBENCH)
    return path


def test_a_name_may_be_written_with_hyphens():
    assert load_task("row-scaling").name == load_task("row_scaling").name == "row_scaling"


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(TaskError, match="did you mean row_scaling"):
        load_task("row_scalign")


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(TaskError, match=r"nothing\.py cannot be read: No such file"):
        load_task(tmp_path / "nothing.py")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("Model = 1 +", "not valid Python"),
        ("raise ValueError('no')", "does not run: ValueError: no"),
        ("def get_inputs(): return []", "does not define Model"),
        ("class Model: pass", "does not define get_inputs"),
        ("raise SystemExit(0)", "does not run: SystemExit: 0"),
        ("Model = 3\ndef get_inputs(): return []", "does not define Model"),
        ("class Model: pass\ndef get_inputs(): return []\nCASES = []", "at least one Case in CASES"),
        ("class Model: pass\ndef get_inputs(): return []\nCASES = [1]", "at least one Case in CASES"),
    ],
)
def test_a_file_that_is_no_task_says_why(tmp_path, source, message):
    path = tmp_path / "broken.py"
    path.write_text(source)
    with pytest.raises(TaskError, match=message):
        load_task(path)


@pytest.mark.parametrize("fault", ["raise KeyError(3)", "raise SystemExit(0)", "return None"])
def test_inputs_that_cannot_be_made_are_one_sentence(tmp_path, fault):
    path = tmp_path / "broken.py"
    path.write_text(f"class Model: pass\nN = 4\ndef get_inputs(): {fault}\n")
    for use in (Task.footprint, lambda task: task.inputs(Case(), 0, "cpu")):
        with pytest.raises(TaskError, match=r"get_inputs\(\) of the task broken fails with N=4: \w+: "):
            use(load_task(path))


def test_inputs_that_the_meta_device_cannot_make_are_measured_on_the_cpu(tmp_path):
    path = tmp_path / "drawn.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x): return x\n"
        "def get_inputs(): return [torch.rand(100) * torch.rand(()).item()]\n"
    )
    assert load_task(path).footprint() == (800, 0)


def test_sizes_override_the_integers_of_the_file_and_what_follows_from_them(kernelbench):
    task = load_task(kernelbench, {"rows": 10})
    assert task.integers == {"rows": 10, "columns": 11}
    assert task.inputs(Case(), 0, "cpu")[0].shape == (10, 11)
    assert task.inputs(Case({"columns": 4}), 0, "cpu")[0].shape == (10, 4)
    assert load_task(kernelbench).integers == {"rows": 6, "columns": 7}


def test_a_size_that_the_task_does_not_have_is_refused(kernelbench):
    with pytest.raises(TaskError, match=r"no size 'depth'; its sizes are rows=6, columns=7"):
        load_task(kernelbench, {"depth": 1})


def test_sizes_reach_a_variant_whose_own_sizes_they_replace():
    task = load_task("row_scaling_checked", {"M": 3, "N": 5})
    assert [tuple(x.shape) for x in task.inputs(Case(), 0, "cpu")] == [(3,), (3, 5)]
    assert task.module.operations() == 15
    assert len(task.cases) > len(load_task("row_scaling").cases)
    odd = load_task("fast_matmul_odd").sized({"K": 3})
    assert [odd.integers[name] for name in "MNK"] == [2047, 4093, 3] and odd.module.operations() == 6 * 2047 * 4093


def test_the_names_of_the_tasks_stay():
    assert task_names() == sorted(NAMES.split())


def test_the_text_of_a_task_is_all_that_another_process_needs():
    for name in task_names():
        task = load_task(name)
        again = Task(task.name, task.source, "")
        assert again.cases == task.cases and again.named_sizes == task.named_sizes and again.integers == task.integers
        assert again.asks_for_a_value == task.asks_for_a_value and again.sum_length == task.sum_length


def test_the_text_of_a_prediction_holds_no_other_value():
    names = [name for name in task_names() if load_task(name).asks_for_a_value]
    assert names
    for name in names:
        defined = {node.name for node in ast.parse(load_task(name).source).body if hasattr(node, "name")}
        assert defined == {name, "Model", "get_inputs"}


def test_a_bare_file_is_judged_on_two_draws_of_its_own_inputs(kernelbench):
    task = load_task(kernelbench)
    assert task.foreign and len(task.cases) == 2
    first, second = (task.inputs(case, seed, "cpu")[0] for seed, case in enumerate(task.cases))
    assert not torch.equal(first, second)
    assert torch.equal(task.reference([first]), first.double() * 3)


def test_inputs_depend_on_the_seed_alone_and_leave_the_random_state_alone():
    task, case = load_task("row_scaling"), Case({"M": 5, "N": 7})
    state = torch.get_rng_state()
    first = task.inputs(case, 1, "cpu")
    torch.rand(3)
    again = Task(task.name, task.source, task.path).inputs(case, 1, "cpu")
    other = task.inputs(case, 2, "cpu")
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[1], other[1])
    torch.set_rng_state(state)
    task.inputs(case, 1, "cpu")
    assert torch.equal(torch.get_rng_state(), state)


def test_inputs_are_signed_and_asymmetric():
    A, B = load_task("row_scaling").inputs(Case({"M": 400, "N": 300}), 0, "cpu")
    for x in (A, B):
        assert (x < 0).any() and (x > 0).any() and x.abs().max() > 1
    assert abs(float(B.mean())) > 0.1


@pytest.mark.parametrize("layout", ["transposed", "offset", "offset:2", "offset:3", "pitched"])
def test_a_layout_changes_the_strides_and_not_the_values(layout):
    task, sizes = load_task("row_scaling"), {"M": 4, "N": 6}
    plain = task.inputs(Case(sizes), 3, "cpu")
    laid = task.inputs(Case(sizes, layout=layout), 3, "cpu")
    assert all(torch.equal(a, b) for a, b in zip(plain, laid, strict=True))
    if start := {"offset": 1, "offset:2": 2, "offset:3": 3}.get(layout):
        assert all(x.storage_offset() == start and x.is_contiguous() for x in laid)
    else:
        strides = {"transposed": [(2,), (1, 4)], "pitched": [(1,), (12, 1)]}
        assert [x.stride() for x in laid] == strides[layout]


def test_special_values_have_every_kind():
    x = load_task("vector_add").inputs(Case({"N": 50}, values="special"), 0, "cpu")[0]
    assert x.isnan().any() and (x == float("inf")).any() and (x == -float("inf")).any()
    assert ((x == 0) & x.signbit()).any()
    assert x.isfinite().sum() > 40


def test_a_case_changes_dtype_and_shape():
    task, sizes = load_task("row_scaling"), {"M": 4, "N": 6}
    half = task.inputs(Case(sizes, dtype="float16"), 0, "cpu")
    assert [x.dtype for x in half] == [torch.float16] * 2
    other = task.inputs(Case(sizes, change="dtype:1"), 0, "cpu")
    assert [x.dtype for x in other] == [torch.float32, torch.float64]
    longer = task.inputs(Case(sizes, change="shape:0"), 0, "cpu")
    assert [tuple(x.shape) for x in longer] == [(5,), (4, 6)]
    shorter = task.inputs(Case(sizes, change="short:1"), 0, "cpu")
    assert [tuple(x.shape) for x in shorter] == [(4,), (4, 5)] and shorter[1].is_contiguous()
    with pytest.raises(TaskError, match="names no input tensor"):
        task.inputs(Case(sizes, change="host:2"), 0, "cpu")


def test_a_case_survives_json():
    case = Case({"M": 3}, layout="offset", values="special", dtype="float64", change="host:0", expect="error")
    assert Case.from_json(case.to_json()) == case


@pytest.mark.parametrize("wrong", [{"layout": "diagonal"}, {"values": "odd"}, {"change": "colour:0"}, {"dtype": "f32"}])
def test_a_case_with_an_unknown_term_is_refused(wrong):
    with pytest.raises(TaskError, match="A case cannot have"):
        Case(**wrong)


def test_the_reference_is_computed_in_double_precision():
    task = load_task("vector_add")
    A, B = torch.tensor([1.0]), torch.tensor([2.0**-40])
    assert task.reference([A, B]).item() == 1 + 2.0**-40


def test_a_model_that_names_a_dtype_itself_is_run_in_it(tmp_path):
    path = tmp_path / "narrow.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n"
        "    def forward(self, x): return torch.mv(torch.eye(3, dtype=torch.float32), x)\n"
        "def get_inputs(): return [torch.rand(3)]\n"
    )
    task = load_task(path)
    (x,) = task.inputs(Case(), 0, "cpu")
    assert torch.equal(task.reference([x]), x)


def test_nan_stays_in_its_place_in_the_reference_of_row_scaling():
    task = load_task("row_scaling")
    B = torch.ones(3, 2)
    B[1, 1] = float("nan")
    assert task.reference([torch.ones(3), B]).isnan().nonzero().tolist() == [[1, 1]]


def test_the_footprint_counts_tensors_and_operations_without_allocating():
    size, operations = load_task("row_scaling", {"M": 4096, "N": 1024}).footprint()
    assert size == 4 * (4096 + 4096 * 1024 + 4096 * 4096 + 4096 * 1024)  # A, B, diag(A), C
    assert operations == 4096 * 1024  # the task itself states this number
    size, _ = load_task("vector_add", {"N": 1 << 40}).footprint()
    assert size == 12 << 40


@pytest.mark.parametrize("name", tiered(task_names(), lambda name: [load_task(name).asks_for_a_value]))
def test_every_case_of_every_task_has_inputs_and_a_reference(name):
    """And each task states the length of its sum, so its tolerance is the same everywhere, and the narrowest."""
    task = load_task(name)
    assert not [*task_faults(task)]
    for case in task.cases:
        sized = task.sized(case.sizes)
        inputs = sized.inputs(case, 5, "cpu")
        assert task.asks_for_a_value == (not inputs)
        if case.expect == "value" and hasattr(sized.module, "mistakes"):
            assert isinstance(sized.module.mistakes(*inputs), dict)


@pytest.fixture
def eager_threads():
    """Threads that switch as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with ThreadPoolExecutor(8) as pool:
        yield pool
    sys.setswitchinterval(interval)


def test_threads_do_not_disturb_each_other_s_inputs(eager_threads):
    task, case = load_task("row_scaling"), Case({"M": 1000, "N": 300})
    alone = [task.inputs(case, seed, "cpu")[1] for seed in range(60)]
    together = list(eager_threads.map(lambda seed: task.inputs(case, seed, "cpu")[1], range(60)))
    assert all(torch.equal(a, b) for a, b in zip(alone, together, strict=True))


def test_inputs_keep_their_dtype_while_another_thread_computes_a_reference_in_float64(eager_threads):
    task, case = load_task("row_scaling"), Case({"M": 100, "N": 30})
    inputs = task.inputs(case, 0, "cpu")
    together = eager_threads.map(
        lambda i: task.reference(inputs) if i % 2 else task.inputs(case, i, "cpu")[1], range(200)
    )
    assert {(i % 2, x.dtype) for i, x in enumerate(together)} == {(0, torch.float32), (1, torch.float64)}
    assert torch.get_default_dtype() == torch.float32


def test_the_footprint_is_the_same_while_another_thread_computes_in_float64(kernelbench):
    path = kernelbench.with_name("makes_tensors.py")
    path.write_text("""
import threading
import time
import torch

N = 1 << 20
begun = threading.Event()

class Model(torch.nn.Module):
    def forward(self, A):
        begun.set()
        time.sleep(0.1)
        return A + torch.ones(N, device=A.device)

def get_inputs():
    return [torch.rand(N, dtype=torch.float32)]
""")
    task = load_task(path)
    alone = task.footprint()
    task.module.begun.clear()
    with ThreadPoolExecutor() as pool:
        found = pool.submit(task.footprint)
        task.module.begun.wait()
        task.reference([torch.rand(task.integers["N"])])  # in float64
        assert found.result() == alone


def test_each_of_several_sizes_in_one_statement_can_be_set(tmp_path):
    path = tmp_path / "several.py"
    path.write_text(f"{KERNELBENCH}\nheight = width = 8\ndepth, length = 3, 4\nrows, columns = columns, rows\n")
    assert (
        load_task(path, {"height": 5, "length": 6}).integers.items()
        >= dict(height=5, width=8, depth=3, length=6).items()
    )
    assert load_task(path).integers["rows"] == 7  # a swap is left alone, since its names are not sizes


def test_a_file_that_names_cuda_runs_where_there_is_none(tmp_path):
    path = tmp_path / "cuda.py"
    path.write_text(
        "import torch\nN = 4\nclass Model(torch.nn.Module):\n"
        "    def __init__(self, w):\n        super().__init__()\n        self.w = torch.nn.Parameter(w).cuda()\n"
        "    def forward(self, x): return x.to('cuda', torch.float32) * self.w + torch.ones(N, device='cuda:0')\n"
        "def get_inputs(): return [torch.rand(N, device=torch.device('cuda')).cuda(non_blocking=True)]\n"
        "def get_init_inputs(): return [torch.full((N,), 2.0).cuda()]\n"
    )
    task = load_task(path)
    (x,) = task.inputs(Case(), 0, "cpu")
    assert x.device.type == "cpu" and torch.equal(task.reference([x]), x.double() * 2 + 1)
    assert load_task(path, {"N": 1 << 40}).footprint()[0] > 1 << 42


def test_a_model_that_draws_random_numbers_cannot_be_judged_and_says_so(tmp_path):
    path = tmp_path / "dropout.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n"
        "    def forward(self, x): return torch.nn.functional.dropout(x, 0.2)\n"
        "def get_inputs(): return [torch.rand(3)]\n"
    )
    task = load_task(path)
    with pytest.raises(CourseError, match="draws random numbers when it is called, as dropout does"):
        task.reference(task.inputs(Case(), 0, "cpu"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_a_model_that_works_in_place_leaves_the_inputs_alone(dtype, tmp_path):
    path = tmp_path / "in_place.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x): return x.mul_(3)\n"
        f"def get_inputs(): return [torch.ones(4, dtype=torch.{dtype})]\n"
    )
    task = load_task(path)
    (x,) = task.inputs(Case(), 0, "cpu")
    assert task.reference([x]).tolist() == task.reference([x], widen=False).tolist() == [3] * 4
    assert x.tolist() == [1] * 4


def test_the_largest_size_comes_first(tmp_path):
    path = tmp_path / "sized.py"
    sizes = '{"tiny": {"rows": 1}, "medium": {"rows": 3}, "small": {"rows": 2}, "full": {"rows": 4}}'
    path.write_text(f"{KERNELBENCH}\nSIZES = {sizes}\n")
    assert [sizes["rows"] for _, sizes in load_task(path).named_sizes] == [4, 3, 2, 1]
