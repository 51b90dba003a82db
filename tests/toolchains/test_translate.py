"""CUDA becomes C++: launches are rewritten, lines kept, and what nvcc refuses is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from course.build import bindable_functions, load_inline
from course.errors import BuildError
from course.text import cuda
from course.text.cuda import CudaText, line_of
from course.toolchains.base import Source
from course.toolchains.emulator.toolchain import Emulator
from course.toolchains.emulator.translate import translate
from tests.kernels import kernel

pytestmark = pytest.mark.quick

HEAD = "#include <torch/extension.h>\n"


# ----------------------------------------------------------------------------------------------------------------------
# Launches.

STRANGE = kernel("text/launches")


@pytest.mark.later
def test_strange_launches_run() -> None:
    module = load_inline("strange", cuda_sources=STRANGE, functions=["add", "scaled"], toolchain="emulator")
    A = torch.randint(-9, 9, (33,)).float()
    # x, then the launches add 1 (odd length), 1, 2 (twice 1), 1, 1, 1 and -1; the sum is halved.
    assert torch.equal(module.add(A, 4.0), (A + 4 + 1 + 1 + 2 + 1 + 1 + 1 - 1) / 2)
    assert torch.equal(module.add(A[:32].clone(), 4.0), (A[:32] + 4 + 2 + 1 + 2 + 1 + 1 + 1 - 1) / 2)
    assert torch.equal(module.scaled(A), A * 2 * 3)


class Counted:
    """A pattern that counts how often each text is searched."""

    def __init__(self, pattern: re.Pattern[str]):
        self.pattern, self.texts = pattern, Counter[str]()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def search(*arguments: Any) -> Any:
            self.texts[arguments[-1]] += 1
            return getattr(self.pattern, name)(*arguments)

        return search


@pytest.mark.later
@pytest.mark.parametrize("traced", [False, True])
def test_a_build_scans_a_source_once(traced: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counted = Counted(cuda._LEXED)
    monkeypatch.setattr(cuda, "_LEXED", counted)
    text = f"{STRANGE}// scanned {'traced' if traced else 'plain'}\n"  # a text that no test has scanned before
    source = Source(cuda=text, functions=tuple((name, "") for name in bindable_functions(text)))
    Emulator(traced).build(source, tmp_path)
    assert counted.texts[text] == 1
    assert sum(len(each) > len(text) / 2 for each in counted.texts.elements()) == 1


def test_lines_stay_where_they_are() -> None:
    translated = translate(STRANGE)
    assert "<<<" not in CudaText(translated).blank
    assert translated.count("\n") == STRANGE.count("\n")
    for marker in ("// the output", "KERNEL halve", "lambda(1.0f)", "a comment with a launch"):
        assert line_of(translated, translated.index(marker)) == line_of(STRANGE, STRANGE.index(marker))


@pytest.mark.later
@pytest.mark.parametrize("after", ["return C;\n}\n__global__ void add(", "launch_copy<float>(C"])
def test_an_error_after_a_strange_launch_names_its_line(after: str) -> None:
    broken = STRANGE.replace(after, f"not_declared(n); {after}", 1)
    with pytest.raises(BuildError) as caught:
        load_inline("strange", cuda_sources=broken, functions=["add", "scaled"], toolchain="emulator")
    assert f"line {line_of(broken, broken.index('not_declared'))}: error: " in str(caught.value)
    assert f"not_declared(n); {after}".split("\n")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("launch", "what"),
    [
        ("k<<<1, 1>>(A.data_ptr<float>());", "is not followed by '>>>'"),
        ("k<<<1, 1>>>;", "and its arguments in parentheses"),
        ("k<<<1, (2>>>(A.data_ptr<float>());", "a ( is never closed"),
        ("<<<1, 1>>>(A.data_ptr<float>());", "a kernel launch has the form kernel<<<grid, block>>>(arguments)"),
        ("k<<<1, k<<<1, 1>>>(A.data_ptr<float>());", "is not followed by '>>>'"),
        ("k<<<1, 1>>>(nullptr)<<<1, 1>>>(nullptr);", "a kernel launch has the form kernel<<<grid, block>>>(arguments)"),
    ],
)
def test_a_launch_that_is_not_one(launch: str, what: str) -> None:
    source = f"__global__ void k(float*) {{}}\nvoid f(torch::Tensor A) {{\n\n    {launch}\n}}\n"
    with pytest.raises(BuildError) as caught:
        translate(source)
    assert str(caught.value).startswith("line 4: ") and what in str(caught.value)


@pytest.mark.parametrize(
    ("declaration", "pointer"),
    [
        ("extern __shared__ float s[];", "float* const s = reinterpret_cast<float*>"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "unsigned char* const s = reinterpret_cast<unsigned char*>",
        ),
        ("extern __shared__ alignas(alignof(double)) char s[];", "char* const s = reinterpret_cast<char*>"),
        ("extern  __shared__\nstd::complex<float> s [ ] ;", "std::complex<float>* const s ="),
        ("__shared__ extern volatile int s[];", "volatile int* const s = reinterpret_cast<volatile int*>"),
        ("extern volatile __shared__ int s[];", "volatile int* const s = reinterpret_cast<volatile int*>"),
        ("extern __shared__ float s[][32];", "float (* const s)[32] = reinterpret_cast<float (*)[32]>"),
    ],
)
def test_dynamic_shared_memory_becomes_a_pointer(declaration: str, pointer: str) -> None:
    translated = translate(f"__global__ void k() {{ {declaration} /* {declaration} */ }}")
    assert pointer in translated
    assert translated.count("\n") == 2 * declaration.count("\n")


def test_alignas_goes_before_shared_where_gxx_takes_it() -> None:
    translated = translate("__global__ void k() { __shared__\n  alignas(sizeof(float4)) float s[8]; }")
    assert "alignas(sizeof(float4)) __shared__\n   float s[8];" in translated


@pytest.mark.parametrize(
    ("ptx", "becomes"),
    [
        ('asm("mov.u32 %0, %%smid;" : "=r"(x))', "((x) = ::emulator::ptx::smid())"),
        (
            'asm volatile("{ cp.async.cg.shared.global [%1 + 16],\\t[%0], %2;\\n"\n "cp.async.wait_group 1; }"'
            ' :: "l"(p), "r"(to[1]), "n"(16) : "memory")',
            "(::emulator::ptx::copy((to[1]) + 16, (const char*)(p), (16)), ::emulator::wait_for_copies(1))\n",
        ),
        ('__asm__ __volatile__("cp.async.wait_all;")', "(::emulator::commit_copies(), ::emulator::wait_for_copies(0))"),
        ('asm volatile("" ::: "memory")', "(void())"),
    ],
)
def test_inline_ptx_becomes_calls(ptx: str, becomes: str) -> None:
    assert translate(f"__device__ void d() {{ {ptx}; }}") == f"__device__ void d() {{ {becomes}; }}"


# ----------------------------------------------------------------------------------------------------------------------
# What nvcc refuses.

REFUSED = [
    (
        "torch::Tensor f(torch::Tensor A) {\n    k(A.data_ptr<float>());\n}",
        5,
        "the kernel 'k' is called like a function",
    ),
    (
        "torch::Tensor f(torch::Tensor A) {\n    if (A.numel()) k(nullptr);\n}",
        5,
        "the kernel 'k' is called like a function",
    ),
    ("void g() { return k(nullptr); }\n", 4, "the kernel 'k' is called like a function"),
    ("__global__ void l(float* c) { c[0] = on_host(c[0]); }\n", 4, "'l' runs on the device but calls 'on_host'"),
    (
        "__device__ float d(float x) {\n\n    return x * on_host(x);\n}\n",
        6,
        "'d' runs on the device but calls 'on_host'",
    ),
    ("float g(float x) { return device_only(x); }\n", 4, "'g' runs on the host but calls 'device_only'"),
    ("void g() { on_host<<<1, 1>>>(0); }\n", 4, "'on_host' is launched with <<<...>>> but is not declared __global__"),
    ("__global__ void l(float* c) {\n    k<<<1, 1>>>(c);\n}", 5, "'l' runs on the device and launches a kernel"),
    (
        "void g() { __syncthreads(); }",
        4,
        "'g' runs on the host but calls __syncthreads, which only device functions can call",
    ),
    ("void g(int* p) { if (p) atomicAdd(p, 1); }", 4, "'g' runs on the host but calls atomicAdd"),
    ("void g() { __shared__ int s[3]; }", 4, "'g' runs on the host, where there is no __shared__ memory"),
    ("__global__ void l() { __shared__ float sum = 0; }", 4, "a __shared__ variable cannot have an initial value"),
    (
        "__global__ void l() {\n  __shared__ int s[2] = {1, 2}; }",
        5,
        "a __shared__ variable cannot have an initial value",
    ),
    ("__device__ void l(int n) { if (n) throw n; }", 4, "'l' runs on the device, where throw cannot be used"),
    (
        "__global__ void l(int n) { TORCH_CHECK(n > 0, 1); }",
        4,
        "'l' runs on the device, where TORCH_CHECK cannot be used",
    ),
    (
        "__global__ void l(int n) { std::vector<int> v(n); }",
        4,
        "'l' runs on the device, where std::vector cannot be used",
    ),
    (
        "__global__ void l(int* p) { asm volatile(1); }",
        4,
        "the emulator has no inline PTX other than cp.async and special registers: write it in CUDA C++, or use"
        ' toolchain="nvcc" on a GPU',
    ),
    (
        "int N = 3;\n__global__ void l(int* p) { p[N] = 1; }",
        5,
        "'l' runs on the device, but 'N' is a variable of the host",
    ),
    (
        "const float table[] = {1, 2};\n__device__ float d(int i) { return table[i]; }",
        5,
        "'d' runs on the device, but 'table'",
    ),
    ("static unsigned int N;\n__device__ int d() { return N; }", 5, "'d' runs on the device, but 'N' is a variable"),
    (
        "__global__ void l() { extern __shared__ float s[]; }\n__global__ void m() { extern __shared__ int s[]; }",
        5,
        "'extern __shared__ int s[]' has another type than the 's' before it (float)",
    ),
    ("__global__ int wrong(int x) { return x; }\n", 4, "the kernel 'wrong' must return void"),
    ('#define LANE(x) asm("mov.u32 %0, %nsmid;" : "=r"(x))\n', 4, "the emulator has no inline PTX"),
    ('__device__ void d(int x) {\n asm("mov.u32 %1, %laneid;" : "=r"(x)); }', 5, "the emulator has no inline PTX"),
    ('__device__ void d() {\n asm("cp.async.wait_all; bar.sync 0;"); }', 5, "the emulator has no inline PTX"),
    ("void g() { cublasHandle_t handle; }", 4, "the emulator has no cuBLAS: write the product as a kernel"),
    ("void g() { cudaGraph_t graph; }", 4, "the emulator has no CUDA graphs: launch the kernels one after another"),
    ("void g() { cudaLaunchCooperativeKernel((void*)k, 1, 1, 0); }", 4, "the emulator has no cooperative launches"),
    ("#include <cuda/pipeline>\n", 4, "the emulator has no barrier and pipeline objects: include"),
    ("__global__ void l() { __pipeline_arrive_on(b); }", 4, "the emulator has no barrier and pipeline objects"),
    ("__global__ void l() { __shared__ cuda::barrier<1> b; }", 4, "the emulator has no barrier and pipeline objects"),
    ("__global__ void l(int* c) { cuda::atomic_ref<int> r(*c); }", 4, "the emulator has no libcu++ (cuda::...): use"),
    ("#include <cuda/std/atomic>\n", 4, "the emulator has no libcu++ (cuda::...)"),
    ("__global__ void l(cudaTextureObject_t t) {}", 4, "the emulator has no textures and surfaces: read the tensor"),
    ("__device__ float d() { return tex2D<float>(1, 2, 3); }", 4, "the emulator has no textures and surfaces"),
    (
        "#include <thrust/sort.h>\n",
        4,
        "the emulator has no Thrust, and of CUB only the reductions and scans of a block",
    ),
    ("void g() { cub::DeviceReduce::Sum(p, n, a, c, 4); }", 4, "the emulator has no Thrust, and of CUB only"),
    ("using Load = cub::BlockLoad<float, 64, 4>;\n", 4, "the emulator has no Thrust, and of CUB only"),
    ("using Sort = cub::BlockRadixSort<float, 64, 4>;\n", 4, "the emulator has no Thrust, and of CUB only"),
    ("#include <curand_kernel.h>\n", 4, "the emulator has no cuRAND: make the numbers with torch.rand"),
    ("__global__ void l(__nv_fp8_e4m3* c) {}", 4, "the emulator has no fp8: use __half or __nv_bfloat16"),
    ("__global__ void __cluster_dims__(2, 1, 1) l() {}", 4, "the emulator has no clusters of blocks"),
    (
        "__device__ void d(float* x, float4 v) { atomicAdd(reinterpret_cast<float4*>(x), v); }",
        4,
        "the emulator has no atomicAdd of float2 and float4: add the elements one by one",
    ),
    (
        "__device__ int d(int x) { return __shfl_down(x, 1); }",
        4,
        "CUDA has no __shfl_down any more: use __shfl_down_sync",
    ),
    (
        "__device__ int d(int x) { return __any(x); }",
        4,
        "CUDA has no __any any more: use __any_sync, with its mask first",
    ),
]
BEFORE = (
    "__global__ void k(float* c) {}\n"
    "float on_host(float x) { return x; }\n"
    "__device__ float device_only(float x) { return x; }\n"
)


@pytest.mark.parametrize(("text", "line", "what"), REFUSED)
def test_what_nvcc_refuses_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(BuildError) as caught:
        translate(BEFORE + text)
    assert str(caught.value).startswith(f"line {line}: {what}")


@pytest.mark.parametrize(
    "text",
    [
        "torch::Tensor k(torch::Tensor A) { k<<<1, 1>>>(A.data_ptr<float>()); return A; }\n"
        "void g() { k(torch::ones(3)); }",
        "__global__ void kk(float* c) {}\nvoid g(float* c) { kk<<<1, 1>>>(c); }",
        "template <typename F> __global__ void map(F on_host, float* c) { c[0] = on_host(c[0]); }",
        "__global__ void l(float* c) { auto on_host = [](float x) { return x; }; c[0] = on_host(c[0]); }",
        "__global__ void l(float* c) { float on_host(2.0f); c[0] = on_host; }",
        "constexpr float c2(float x) { return x; }\n__global__ void l(float* c) { c[0] = c2(c[0]); }",
        "__host__ __device__ float both(float x) { return x; }\n__global__ void l(float* c) { c[0] = both(c[0]); }\n"
        "float g(float x) { return both(x); }",
        "#define HD __host__ __device__\nHD float both(float x) { return x; }\n"
        "__global__ void l(float* c) { *c = both(*c); }",
        "C10_HOST_DEVICE float both(float x) { return x; }\n__global__ void l(float* c) { *c = both(*c); }",
        "__device__ float on_host(float x, float y) { return x; }\n"
        "__global__ void l(float* c) { *c = on_host(*c, 1); }",
        "void g(float* c) { void (*p)(float*) = k; p<<<1, 1>>>(c); (p)<<<1, 1>>>(c); }",
        "void g() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1); }",
        "void g() { const void* p = reinterpret_cast<const void*>(k); p = (void*)k; p = (void*)&k; }",
        "struct S { void k(int) {} };\nvoid g(S s, S* p) { s.k(1); p->k(1); }",
        "namespace other { void k(int) {} }\nvoid g() { other::k(1); }",
        "template <typename T> __global__ void t(T*) {}\ntemplate __global__ void t<float>(float*);",
        "__device__ void d(float4* p) { atomicAdd(&p->x, 1.0f); atomicAdd(&reinterpret_cast<float4*>(p)->y, 1.0f); }",
        "#include <mma.h>\n#include <cub/cub.cuh>\n#include <cooperative_groups.h>\n__global__ void l(float* c) {\n"
        "  __shared__ cub::BlockScan<float, 32, cub::BLOCK_SCAN_RAKING>::TempStorage s; cub::WarpReduce<float, 4>(s);\n"
        "  nvcuda::wmma::fill_fragment(c, 0); cooperative_groups::memcpy_async(l, c, c, 4); }",
        "__global__ void l() { extern __shared__ float s[]; }\n__global__ void m() { extern __shared__ float s[]; }",
        "template <typename T> __global__ void l() { extern __shared__ T s[]; }\n"
        "template <class U> __global__ void m() { extern __shared__ U s[]; }",
        "__global__ void __launch_bounds__(256) k(float* c);\n__global__\nvoid\nk(float* c);",
        "const int N = 3; constexpr float x = 2; static const int M{4};\n__global__ void l(float* p) { p[N] = x + M; }",
        "int N = 3;\n__global__ void l(int* p, int N) { p[N] = 1; }",
        "int N = 3;\ntemplate <int N> __global__ void l(int* p) { p[N] = 1; }",
        "#define ARRAY(name, size) name[size]\n__global__ void l() { __shared__ float ARRAY(s, 32); }",
        "#define CALLED(...) k(__VA_ARGS__)\n#define THROWN throw 1\n__global__ void l() {}",
        "int N = 3;\n__global__ void l(int* p) { int N = 4; p[N] = 1; }\nint g() { return N; }",
        "__device__ int N = 3; __constant__ float t[4]; __managed__ int m;\n"
        "__global__ void l(float* p) { p[N] = t[m]; }",
        "struct S { int N; float x; };\n__global__ void l(S s, float* p) { p[s.N] = s.x; }",
        "#define N 3\nenum { M = 4 };\n__global__ void l(float* p) { p[N] = M; }",
        "__global__ void l(float* p) { __shared__ float s[4], t; s[0] = p[0]; t = s[0]; if (t == 1) p[0] = t; }",
        "__host__ __device__ void d(int* p) {\n#ifdef __CUDA_ARCH__\n  atomicAdd(p, 1);\n#endif\n}",
        "void atomicAdd(int) {}\nvoid g() { atomicAdd(1); }",
        "void g(int n) { if (n) throw n; TORCH_CHECK(n); std::vector<int> v(n); }",
        "void g(std::ostream& out) { out << 1; int k = 1 << 3; dim3 on_host(k, 1); }",
        "void g() { auto stream = at::cuda::getCurrentCUDAStream(); c10::cuda::CUDAGuard guard(0); }",
        "// asm(1), thrust::sort, cub::Device\n"
        "__global__ void l(float* texture, int barrier) { if (barrier < 3) *texture = 1; }",
        '__global__ void l(float* c) { printf("asm(%d)", 1); __nanosleep(10); *c = __shfl_down_sync(1, *c, 1); }',
        "#include <cublas_v2.h>\n__global__ void l(__nv_bfloat16* cublas) {}",
        '#define LANE(x) asm("mov.u32 %0, %laneid;" : "=r"(x))\n__device__ void d() { asm volatile("" ::: "memory"); }',
        "#define __any(x) __any_sync(~0u, x)\n__device__ int d(int x) { return __any(x); }",
        "#define CALL(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)\nvoid g(float* c) { CALL(k, c); }",
    ],
)
def test_what_nvcc_takes_is_not_refused(text: str) -> None:
    translated = translate(BEFORE + text)
    assert translated.count("\n") == (BEFORE + text).count("\n")
