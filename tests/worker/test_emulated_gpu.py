"""What the Python of an answer sees under the emulator: one GPU, and tensors that are on it or on the host."""

import ctypes
import re

import pytest
import torch

from course.build import load_inline
from course.cli import main
from course.errors import CannotJudge
from course.referee.judge import judge
from course.worker.inside import emulated_cuda
from course.worker.inside.emulated_gpu import emulated_gpu
from tests.worker.test_recording import CASES, script, verdict_of

HOST, GPU = torch.ones(3), torch.ones(3)


def place(x):
    """Where `x` is, if everything that tells it agrees."""
    device = x.device
    assert (x.is_cuda, x.is_cpu, x.get_device()) == ((True, False, 0) if device.type == "cuda" else (False, True, -1))
    return str(device)


@pytest.mark.parametrize(
    ("made", "where"),
    [
        (lambda x: x, "cuda:0"),
        (lambda x: torch.empty(3), "cpu"),
        (lambda x: torch.ones(3, device="cuda"), "cuda:0"),
        (lambda x: torch.arange(3, device=torch.device("cuda:0")), "cuda:0"),
        (lambda x: torch.full((2,), 1.5, device=0), "cuda:0"),
        (lambda x: torch.tensor([1.0], device=x.device), "cuda:0"),
        (lambda x: torch.randn(3, device="cuda", pin_memory=False), "cuda:0"),
        (lambda x: torch.zeros(3, pin_memory=True), "cpu"),
        (lambda x: torch.zeros_like(x), "cuda:0"),
        (lambda x: torch.zeros_like(x.cpu()), "cpu"),
        (lambda x: torch.zeros_like(x, device="cpu"), "cpu"),
        (lambda x: x.new_zeros(2), "cuda:0"),
        (lambda x: x.cpu().new_ones(2, device="cuda"), "cuda:0"),
        (lambda x: x.cpu()[1:].view(1, 2).t(), "cpu"),
        (lambda x: x.to("cpu").to(x.device)[1:], "cuda:0"),
        (lambda x: x.to(torch.float64), "cuda:0"),
        (lambda x: x.cpu().to(x), "cuda:0"),
        (lambda x: x.to(x.cpu()), "cpu"),
        (lambda x: x.cpu().to(0), "cuda:0"),
        (lambda x: x.cpu().cuda(non_blocking=True), "cuda:0"),
        (lambda x: torch.as_tensor(x.cpu(), device="cuda"), "cuda:0"),
        (lambda x: x.cpu() + torch.ones(3), "cpu"),
        (lambda x: torch.stack([x, x]), "cuda:0"),
        (lambda x: torch.ones(3).split(1)[1], "cpu"),
        (lambda x: torch.nn.Linear(3, 2).weight, "cpu"),
        (lambda x: torch.nn.Linear(3, 2).cuda().weight, "cuda:0"),
        (lambda x: torch.nn.Linear(3, 2, device="cuda").to("cpu").bias, "cpu"),
        (lambda x: torch.nn.BatchNorm1d(3).to(x.device).running_mean, "cuda:0"),
        (lambda x: torch.nn.Linear(3, 2).cuda()(x), "cuda:0"),
        (lambda x: torch.ones(3, device="meta"), "meta"),
    ],
)
def test_a_tensor_is_where_it_would_be_with_a_gpu(made, where):
    with emulated_gpu([]):
        x = made(torch.ones(3, device="cuda"))
        assert str(x.device) == where if where == "meta" else place(x) == where
        assert x.is_meta or x.untyped_storage().data_ptr() or not x.numel()


def test_the_default_device_may_be_the_gpu():
    with emulated_gpu([]):
        with torch.device("cuda"):
            assert place(torch.ones(2)) == place(torch.nn.Linear(2, 3).bias) == place(torch.tensor([1])) == "cuda:0"
            assert place(torch.ones(2, device="cpu")) == "cpu"
            assert place(torch.as_tensor(torch.ones(2, device="cpu"))) == "cuda:0"
        assert place(torch.ones(2)) == "cpu"


def test_a_copy_on_the_host_keeps_its_values():
    with emulated_gpu([]):
        x = torch.zeros(2, device="cuda")
        on_host = x.cpu()
        x += 1
        assert on_host.tolist() == [0, 0] and x.cpu().tolist() == [1, 1]


def test_there_is_one_gpu_with_streams_events_and_properties():
    with emulated_gpu([]):
        cuda = torch.cuda
        assert cuda.is_available() and cuda.device_count() == 1 and cuda.current_device() == 0
        found = cuda.get_device_properties("cuda")
        assert (found.major, found.minor) == cuda.get_device_capability(0) == (9, 0)
        assert found.name == cuda.get_device_name() == "CUDA emulator"
        assert (found.multi_processor_count, found.warp_size, found.total_memory) == (132, 32, 4 << 30)
        assert (found.max_threads_per_multi_processor, found.L2_cache_size) == (2048, 50 << 20)
        stream, start, end = cuda.Stream(), cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        with cuda.device(0), cuda.stream(stream):
            start.record()
            assert cuda.current_stream() is stream is not cuda.default_stream()
            stream.wait_stream(cuda.default_stream())
            torch.ones(2, device="cuda").record_stream(stream)
            end.record(stream)
        end.synchronize()
        cuda.synchronize()
        assert cuda.current_stream() is cuda.default_stream() and start.elapsed_time(end) >= 0
        with pytest.raises(ValueError, match="enable_timing"):
            start.elapsed_time(cuda.Event())
        with pytest.raises(CannotJudge, match=r"the emulator has no torch\.cuda\.nvtx"):
            cuda.nvtx.range_push("x")
    assert not hasattr(type(torch.cuda), "__getattr__") and torch.cuda.nvtx and torch.ones(2).device.type == "cpu"


HEAD = """
@torch.library.custom_op("mine::scale", mutates_args=(), device_types="cuda")
def scale(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    assert A.is_cuda and B.device.type == "cuda"
    return module.scale(A, B)
@scale.register_fake
def _(A, B):
    return torch.empty_like(B)
scale.register_autograd(lambda context, gradient: (None, gradient))
@torch.library.custom_op("mine::scale_into", mutates_args=["C"])
def scale_into(A: torch.Tensor, B: torch.Tensor, C: torch.Tensor) -> None:
    C.copy_(torch.ops.other.scale(A, B))
library = torch.library.Library("other", "DEF")
library.define("scale(Tensor A, Tensor B) -> Tensor")
library.impl("scale", lambda A, B: module.scale(A, B), "CUDA")
@torch.library.custom_op("mine::hidden", mutates_args=())
def hidden(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return A[:, None] * B
"""


@pytest.mark.parametrize(
    "body",
    [
        "if not torch.cuda.is_available():\n    return A[:, None] * B\n"
        "with torch.cuda.stream(torch.cuda.Stream()):\n    C = module.scale(A, B)\n"
        "torch.cuda.current_stream().synchronize()\nreturn C",
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "C = torch.empty(B.shape, device=device)\nC.copy_(module.scale(A.to(device), B))\nreturn C.to(B.device)",
        "C = torch.empty_like(B)\nscale_into(A, B, C)\nC.copy_(scale(A, B))\nreturn C",
    ],
)
def test_what_works_with_a_gpu_is_right(body):
    verdict = verdict_of(body, HEAD if "scale" in body.replace("module.scale", "") else "")
    assert verdict.correct, verdict.text()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return module.scale(A, B).cpu()", r"The output is in the memory of the host"),
        ("module.scale(A, B)\nreturn torch.zeros(B.shape)", r"The output is in the memory of the host"),
        ("return module.scale(A.cpu(), B)", "A and B must be on the GPU"),
        ("return hidden(A, B)", r"PyTorch \(mul\) computed"),
    ],
)
def test_what_fails_with_a_gpu_is_not_right(body, says):
    verdict = verdict_of(body, HEAD if "hidden" in body else "")
    assert not verdict.correct and re.search(says, verdict.text()), verdict.text()


@pytest.mark.parametrize(
    ("body", "head", "name"),
    [
        ("torch.cuda.nvtx.range_push('x')\nreturn module.scale(A, B)", "", "nvtx"),
        ("return module.scale(A, B)", "from torch.cuda import memory_allocated", "memory_allocated"),
        ("try:\n    torch.cuda.amp.autocast()\nexcept Exception:\n    return A[:, None] * B", "", "amp"),
    ],
)
def test_another_name_of_torch_cuda_is_named_and_not_judged(body, head, name, tmp_path, capsys):
    candidate = tmp_path / "candidate.py"
    candidate.write_text(script(body, head).source)
    assert (
        main(
            [
                "judge",
                str(candidate),
                "--task",
                "row_scaling",
                "--toolchain",
                "emulator",
                "--set",
                "M=5",
                "--set",
                "N=7",
            ]
        )
        == 3
    )
    said = capsys.readouterr().err
    assert f"could not be judged, since the emulator has no torch.cuda.{name}: " in said


@pytest.mark.parametrize("factor", ["x", "1.5f * x"])
def test_an_operator_that_a_source_registers_is_judged_by_its_kernel(factor):
    head = """load_inline('operators', '', '''
#include <torch/extension.h>
__global__ void scale_kernel(const float* a, const float* b, float* c, int n) {
    const float x = a[blockIdx.x];
    for (int j = threadIdx.x; j < n; j += 32) c[blockIdx.x * n + j] = FACTOR * b[blockIdx.x * n + j];
}
torch::Tensor scale(const torch::Tensor& A, const torch::Tensor& B) {
    auto C = torch::empty_like(B);
    scale_kernel<<<B.size(0), 32>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), B.size(1));
    return C;
}
TORCH_LIBRARY(registered, m) { m.def("scale(Tensor A, Tensor B) -> Tensor"); }
TORCH_LIBRARY_IMPL(registered, CUDA, m) { m.impl("scale", &scale); }
''', functions=[])""".replace("FACTOR", factor)
    verdict = verdict_of("return torch.ops.registered.scale(A, B)", head)
    assert verdict.correct == (factor == "x"), verdict.text()


def test_modules_without_kernels_do_not_stop_the_judge():
    text = "#include <torch/extension.h>\\nint64_t rows(torch::Tensor A) { return A.size(0); }"
    head = f"helpers = [load_inline('helper', '{text}', cuda, functions=['rows']) for cuda in (None, ' ')]"
    assert verdict_of(
        "return module.scale(A, B) if all(each.rows(A) == len(A) for each in helpers) else None", head
    ).correct


def test_a_name_that_a_right_answer_does_without_costs_nothing():
    body = "try:\n    torch.cuda.nvtx.range_push('x')\nexcept Exception:\n    pass\nreturn module.scale(A, B)"
    assert judge(script(body), "row_scaling", cases=CASES[:1], toolchain="emulator").correct


FALLBACK = "return scale(A, B) if scale else A[:, None] * B"


@pytest.mark.parametrize(
    ("head", "body", "says"),
    [
        (
            "scale = None\ntry:\n"
            "    scale = load_inline('bad', '', 'torch::Tensor f(torch::Tensor A) { return A }', functions=['f'])\n"
            "except Exception as error:\n    print('no kernel:', error)\n",
            FALLBACK,
            r"load_inline failed, and the script went on without its kernel: line \d+: error: expected ';' after",
        ),
        (
            "",
            "try:\n    return module.scale(A[1:], B)\nexcept RuntimeError:\n    return A[:, None] * B",
            r"scale failed, and the script went on without its kernel: A and B do not fit",
        ),
    ],
)
def test_a_failure_that_a_script_handles_is_named_first(head, body, says):
    verdict = verdict_of(body, head)
    assert re.match(says, verdict.message) and "PyTorch (mul) computed" in verdict.message, verdict.text()
    assert re.search(says.replace("'", "&#39;"), verdict.html())
    assert len(re.findall(r"expected ';'", verdict.text())) <= 1


def test_a_failure_that_a_right_script_handles_is_no_matter():
    head = "try:\n    load_inline('bad', '', 'x', functions=['f'])\nexcept Exception:\n    pass\n"
    verdict = verdict_of("return module.scale(A, B)", head)
    assert verdict.correct and "failed" not in verdict.text()


def test_properties_have_the_size_that_the_emulator_fills():
    source = "#include <torch/extension.h>\nint64_t size_of_properties() { return sizeof(cudaDeviceProp); }\n"
    module = load_inline("sizes", cuda_sources=source, functions=["size_of_properties"], toolchain="emulator")
    assert module.size_of_properties() == ctypes.sizeof(emulated_cuda._Properties)
