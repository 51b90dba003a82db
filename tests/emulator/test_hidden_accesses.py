"""What could hide an access or a call from the emulator's hooks: it is refused, or it is seen after all."""

from __future__ import annotations

import re

import pytest

from course.errors import BuildError
from course.referee.judge import judge
from course.toolchains.emulator.instrument import instrumented
from course.worker.protocol import Answer

KERNEL = """#include <torch/extension.h>
#include <cmath>
#include <cstdarg>
#include <cstdio>
DECLARED
__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) { USED C[i] = A[i] + B[i]; }
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
"""
HIDDEN = {  # what is declared, what the kernel does, and what the verdict says
    "a list of arguments": (
        "__device__ int first(const float* p, ...) { va_list v; va_copy(v, *(va_list*)p); return va_arg(v, int); }",
        "if (N < 0) first(A);",
        "'llvm.va_copy.*' may hide",
    ),
    "a guard": ('extern "C" void __cxa_guard_release(long*);', "if (N < 0) __cxa_guard_release((long*)C);", "may hide"),
    "a text for NaN": ("", "if (nanf((const char*)A) > 0) return;", "'nanf' may hide"),
    "what only the loader knows": (
        'extern "C" float one(float x) { return x; }\nextern "C" void* find() { return (void*)&one; }\n'
        'extern "C" float found(float) __attribute__((ifunc("find")));',
        "",
        "'ifunc' may hide",
    ),
    "an address": ("", '((int (*)(const char*))((char*)&puts + 16))("");', "'a call of an address' may hide"),
    "the launch's own size": ("", "(unsigned&)blockDim.z = 1;", "writes an address outside of all tensors"),
    "a copy larger than a variable": (
        "struct Large { float values[16384]; };",
        "float x = 0; Large all = *(Large*)&x; if (N < 0) C[i] = all.values[1];",
        "outside|before the start|more stack|unwritten",
    ),
    "a result by a pointer": (
        "",
        "void (*volatile f)(float, float*, float*) = &sincosf; float x; f(A[i], C + i, &x);",
        "a call through a pointer leads to",
    ),
    "the tracer's own functions": (
        "",
        "cudaGetErrorName(cudaSuccess);",
        "a kernel called emulator_cudaGetErrorName, which is a host function",
    ),
}


@pytest.mark.parametrize("what", HIDDEN)
def test_what_hides_an_access_gets_no_mark(what: str) -> None:
    declared, used, says = HIDDEN[what]
    source = KERNEL.replace("DECLARED", declared).replace("USED", used)
    verdict = judge(Answer("cuda", source, "add"), "vector_add", toolchain="emulator")
    assert not verdict.correct
    assert re.search(says, verdict.message), verdict.message


HONEST = {
    "nanf": 'if (nanf("") > 0) return;',
    "a mathematical function": "float (*volatile f)(float) = &sqrtf; if (f(4.0f) != 2.0f) return;",
    "an index": "float both[2] = {A[i], B[i]}; int k = N > 0; if (both[k] != B[i] && B[i] == B[i]) return;",
}


@pytest.mark.parametrize("what", HONEST)
def test_what_hides_nothing_is_right(what: str) -> None:
    source = KERNEL.replace("DECLARED", "").replace("USED", HONEST[what])
    verdict = judge(Answer("cuda", source, "add"), "vector_add", toolchain="emulator")
    assert verdict.correct, verdict.message


@pytest.mark.parametrize(
    "line",
    [
        'module asm ".text"',
        '@x = global i32 0, section ".text", align 4',
        'define float @f() section ".data" {',
        'declare ptr @"\\01memmove"(ptr, ptr, i64)',
        'define void @f() {\n  call void asm sideeffect "nop", ""()\n  ret void\n}',
    ],
)
@pytest.mark.parametrize("traced", [True, False])
def test_what_the_ir_does_not_show_is_refused(line: str, traced: bool) -> None:
    with pytest.raises(BuildError, match="may hide what a kernel does to memory"):
        instrumented(line, 0, "", traced)


@pytest.mark.parametrize(("index", "hooked"), [("%i", True), ("%checked", False), ("3", False), ("4", True)])
def test_a_part_of_a_variable_needs_no_hook_if_its_index_was_checked(index: str, hooked: bool) -> None:
    ir = f"""define void @f(i64 %i, i64 %checked) {{
  %a = alloca [4 x float], align 16
  %in = icmp ult i64 %checked, 4, !nosanitize !1
  %p = getelementptr inbounds [4 x float], ptr %a, i64 0, i64 {index}
  store float 1.0, ptr %p, align 4
  ret void
}}"""
    assert ("call void @emulator_store32(ptr %p" in instrumented(ir, 0, "", True)) == hooked
