// Where a call through a pointer may lead: the module itself and the C++ library. Any other function is named
// by a symbol, which is listed before the module runs (toolchains/guard/symbols.py). An address that native
// code has computed is not listed. With g++'s -mindirect-branch=thunk-extern, a call or jump through a
// pointer goes to the thunk of the register that holds its target.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "c10/cuda/CUDAStream.h"
#include "course/binding.h"

namespace course {
namespace {

Dl_info refused;  // of the last refused call: only one thread runs a module at a time

[[noreturn]] void refuse_call() {
    const char* slash = refused.dli_fname ? std::strrchr(refused.dli_fname, '/') : nullptr;
    throw RefusedCall(refused.dli_sname ? refused.dli_sname : "", slash ? slash + 1 : "");
}

bool in_library(const char* path, const char* name) {
    const char* slash = std::strrchr(path, '/');
    return std::strncmp(slash ? slash + 1 : path, name, std::strlen(name)) == 0;
}

// Whether it is a function that a smart pointer calls at its end.
bool is_deleter(const void* target) {
    const auto is = [target](auto* function) { return target == reinterpret_cast<const void*>(function); };
    if (is(&cudaFree) || is(&cudaFreeHost) || is(&cudaStreamDestroy) || is(&cudaEventDestroy)) return true;
    return is(&std::free);
}

}  // namespace

// Where a call to `target`, which is outside of the module, goes to. Functions that each thread of a kernel
// calls are in the module, so this is rare.
extern "C" __attribute__((visibility("hidden"), used)) const void* course_call_target(const void* target) {
    if (is_deleter(target)) return target;
    Dl_info found{};
    const bool known = dladdr(target, &found) && found.dli_fname;
    for (const char* name : {"libm.so", "libstdc++.so"}) {
        if (known && in_library(found.dli_fname, name)) return target;
    }
    refused = found;
    return reinterpret_cast<const void*>(&refuse_call);
}

}  // namespace course

// A thunk puts the target above the caller's return address, so that `ret` goes there with the stack and the
// registers as they were (except the flags, which no call keeps). By then the thunk has no frame of its own,
// so an exception needs no description of its frame. g++ uses no red zone in a function that jumps through a
// pointer. A target within the module's bounds, which the linker knows, is not checked further. Of other
// libraries, these bounds contain only the jumps to functions that are listed.
asm(R"(
    .pushsection .text
    .macro course_thunk register
    .globl __x86_indirect_thunk_\register
    .hidden __x86_indirect_thunk_\register
    .type __x86_indirect_thunk_\register, @function
__x86_indirect_thunk_\register:
    pushq %\register
    jmp course_indirect_call
    .endm
    .irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    course_thunk \register
    .endr

    .hidden __ehdr_start
    .hidden etext
    .type course_indirect_call, @function
course_indirect_call:
    pushq %rax
    pushq %rcx
    movq 16(%rsp), %rax  # the target
    leaq __ehdr_start(%rip), %rcx
    cmpq %rcx, %rax
    jb 1f
    leaq etext(%rip), %rcx
    cmpq %rcx, %rax
    jae 1f
    popq %rcx
    popq %rax
    ret
1:  # Outside: all registers that can hold an argument are kept during the check.
    pushq %rbp
    movq %rsp, %rbp
    .irp register, rdx, rsi, rdi, r8, r9, r10, r11
    pushq %\register
    .endr
    subq $128, %rsp
    andq $-16, %rsp
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\number, 16*\number(%rsp)
    .endr
    movq %rax, %rdi
    call course_call_target
    movq %rax, 24(%rbp)  # in the target's place
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups 16*\number(%rsp), %xmm\number
    .endr
    leaq -56(%rbp), %rsp
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx
    popq %\register
    .endr
    popq %rbp
    popq %rcx
    popq %rax
    ret
    .popsection
)");
