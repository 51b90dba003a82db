"""The hooks that are added to LLVM IR: one for each access, where it is, and nothing that could hide one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable

import pytest

from course.errors import BuildError
from course.toolchains.emulator.clang import clang
from course.toolchains.emulator.instrument import LINE_BITS, SITE_BITS, instrumented, line_at
from course.toolchains.emulator.library import FROM_IR, TO_IR, TRACED_FLAGS

UNIT = 3
DECLARED = """
using size_t = decltype(sizeof 0);
struct alignas(16) float4 { float x, y, z, w; };
struct Floats { float v[4]; };
struct Odd { float v[3]; };
struct Large { long v[9]; };
struct __attribute__((packed)) Packed { char c; int i; };
typedef float Vector __attribute__((vector_size(16)));
extern "C" {
void *memcpy(void*, const void*, size_t), *memmove(void*, const void*, size_t), *memset(void*, int, size_t);
void* __memcpy_chk(void*, const void*, size_t, size_t);
void* malloc(size_t);
int printf(const char*, ...);
size_t strlen(const char*);
double modf(double, double*);
void sincosf(float, float*, float*);
}
void take(Large);
template <class T> __attribute__((always_inline)) inline T read(const T* p) { return *p; }
template <class T> __attribute__((always_inline)) inline T read_two(const T* p) { return read(p) + read(p + 1); }
template <class T> __attribute__((noinline)) T called(const T* p) { return *p; }
"""


def traced(source: str) -> str:
    """The IR of `source` with hooks."""
    text = f'#line 1 "header.h"{DECLARED}#line 1 "cuda_sources"\n{source}\n'
    command = [*clang(), *TO_IR, *TRACED_FLAGS, "-xc++", "-", "-o", "-"]
    ir = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return instrumented(ir, UNIT, source, True)


def hooks(ir: str) -> list[tuple[str, int]]:
    """The hooks in the order of the IR: each with what `emulator_access` is told of it, and its place in the code."""
    found = []
    for line in ir.splitlines():
        if match := re.match(r"  .*call [^@]*@emulator_(\w+)\((.*i64 (\d{14,})(.*))\)", line):
            flags = re.findall("true|false", match[4])
            found.append((" ".join([match[1], *flags]), int(match[3])))
    return found


def accesses(source: str) -> list[str]:
    """The hooks of accesses."""
    return [name for name, _ in hooks(traced(source)) if name != "block"]


def together(sources: Iterable[str]) -> str:
    return "\n".join(f"namespace n{number} {{\n{source}\n}}" for number, source in enumerate(sources))


WEAK, STRONG = "true false", "true true"  # of accesses that are aligned
KINDS = {
    **{
        f"{type_} f({type_}* p, {type_} v) {{ {type_} old = *p; *p = v; return old; }}": [f"load{bits}", f"store{bits}"]
        for type_, bits in {
            **{"bool": 8, "char": 8, "short": 16, "_Float16": 16, "int": 32, "float": 32, "long": 64, "double": 64},
            **{"void*": 64, "__int128": 128, "Vector": 128},
        }.items()
    },
    # Whole structs.
    "void f(float4* a, float4* b) { *a = *b; }": ["load128", "store128"],
    "float f(float4* a) { float4 v = *a; v.x += 1; return v.x + v.w; }": ["load128"],
    "void f(float4* a) { float4 v{}; v.x = 1; *a = v; }": ["store128"],
    "void f(float* a, float* b) { *(float4*)a = *(float4*)b; }": ["load128", "store128"],
    "void f(float4* a) { a->y += 1; }": ["load32", "store32"],
    "void f(Floats* a, Floats* b) { *a = *b; }": ["memmove"],  # need not be aligned to 16
    "void f(Odd* a, Odd* b) { *a = *b; }": ["memmove"],
    "void f(Large* a, Large* b) { *a = *b; }": ["memmove"],
    "void f(Large* a) { *a = {}; }": ["memset", "memmove"],
    "void f(Large* p) { take(*p); }": ["memmove"],  # to the argument
    # Functions that copy, and others that store.
    "void f(void* a, void* b, long n) { memcpy(a, b, n); memmove(a, b, n); memset(a, 1, n); }": [
        *("memmove", "memmove", "memset"),
    ],
    "void f(void* a, void* b, long n) { __builtin_memcpy(a, b, n); __builtin_memset(a, n, n); }": ["memmove", "memset"],
    "float f(float* p) { double d; sincosf(1, p, p + 1); return modf(2, &d); }": ["sincosf", "modf"],
    # Accesses that other threads may see at once.
    "void f(int* p) { __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }": ["atomic"],
    "int f(int* p, int* e) { return __atomic_compare_exchange_n(p, e, 1, false, 5, 5); }": [
        *("load32", "atomic", "store32"),
    ],
    "int f(int* p) { int v = __atomic_load_n(p, 5); __atomic_store_n(p, 2, 5); return v; }": [
        *(f"access false {STRONG}", f"access true {STRONG}"),
    ],
    "int f(volatile int* p) { int v = *p; *p = 2; return v; }": ["volatile32", f"access true {STRONG}"],
    # Not aligned, or of a size that no hook is for.
    "int f(Packed* p) { int v = p->i; p->i = 2; return v; }": ["access false false false", "access true false false"],
    "int f(volatile Packed* p) { return p->i; }": ["access false false true"],
    "void f(long double* p) { *p = *p; }": [f"access false {WEAK}", f"access true {WEAK}"],
    # In variables, there is nothing to trace, except through a pointer.
    "int f(int n) { int v = n; v += 2; return v; }": [],
    "int f(int i) { int a[4]{}; for (int k = 0; k < 4; ++k) a[k] = k; return a[i]; }": [],
    "int f(int i) { int a[4][8]; a[i][i] = 1; return a[1][i]; }": [],
    "float f(int i) { float4 a[2]{}; a[i].x = 1; return a[1].y; }": ["memset"],
    "void f() { int v; __atomic_fetch_add(&v, 1, 5); volatile int w = v; w = 2; }": [],
    "int f() { int a[4]; int* p = a; p[1] = 2; return a[1]; }": ["store32"],
    "int f(int i) { int a[4]; return *(a + i); }": ["load32"],
    "int global; int f() { static int here; return global + ++here; }": ["load32", "load32", "store32"],
}  # fmt: skip


@pytest.mark.parametrize("source", KINDS)
def test_each_access_has_one_hook_of_its_kind(source: str) -> None:
    assert accesses(source) == KINDS[source]


def test_functions_of_the_library_are_the_runtimes_or_are_reported() -> None:
    ir = traced('size_t f(char* p) { printf("%p", malloc(1)); return strlen(p); }')
    assert re.findall(r"call .*@(\w*(?:printf|malloc|strlen))\(", ir) == [
        "emulator_malloc",
        "emulator_printf",
        "strlen",
    ]
    (variable,) = re.findall(r"call void @emulator_host_call\(ptr (\S+)\)\n.*@strlen", ir)
    assert f'{variable} = private constant [7 x i8] c"strlen\\00"' in ir
    own = 'extern "C" void* memcpy(void* to, const void* from, size_t n) { return to; }'
    assert accesses(f"{own} void f(int* p) {{ memcpy(p, p, 4); }}") == []  # what is in the source is traced there


def test_every_block_of_the_source_has_a_hook_and_no_check_of_the_compilers() -> None:
    source = "int f(int i) { int a[4]{}; if (i) return a[i]; return 2; }"
    assert [name for name, _ in hooks(traced(source))] == ["block"] * 4  # entry, then, else, end


LINES = {
    "float f(float* p) {\n    p[1] =\n        p[0];\n    return 0;\n}": [3, 2],
    # The line that calls the header's function, or 0 if that is not inlined.
    "float f(float* p) {\n\n    return read(p);\n}": [3],
    "float f(float* p) {\n    float a = read_two(p);\n    return a + read(p);\n}": [2, 2, 3],
    "float f(float* p) {\n    return called(p);\n}": [0],
    # Of functions of the source that are inlined, their own line.
    "__attribute__((always_inline)) inline float g(float* p) {\n    return read(p);\n}\n"
    "float f(float* p) {\n    return g(p);\n}": [2],
    "auto f(float* p) {\n    auto g = [&] {\n        return *p;\n    };\n    return g();\n}": [3, 3, 3],
}  # fmt: skip


@pytest.mark.parametrize("source", LINES)
def test_a_place_has_the_line_of_the_source(source: str) -> None:
    assert [line_at(place) for name, place in hooks(traced(source)) if name != "block"] == LINES[source]


def test_places_are_numbered_in_order() -> None:
    places = [place for _, place in hooks(traced(together(KINDS)))]
    first = (UNIT << SITE_BITS) + 1
    assert len(places) > 100
    numbers = [place >> LINE_BITS for place in places]  # a call of two accesses has two
    assert numbers == sorted(set(numbers)) and numbers[0] == first


@pytest.mark.parametrize(
    ("source", "what", "line"),
    [
        ('void f() {\n    asm volatile("nop");\n}', "asm", 2),
        ('asm("nop");\nvoid f() {}', "asm", 0),
        ('void f(int* p) {\n    asm("" : "=m"(*p));\n}', "asm", 2),
        ("int f(int i) {\n    void* to[] = {&&a, &&b};\n    goto* to[i];\na:\n    return 1;\nb:\n    return 2;\n}",
         "goto *", 0),
        ('void f() {\n    asm goto("" :::: end);\nend:;\n}', "goto *", 2),
        ("void f(int* p) {\n    __builtin_prefetch(p);\n}", "llvm.prefetch.p0", 2),
        ("void* f() {\n    return __builtin_frame_address(0);\n}", "llvm.frameaddress.p0", 2),
        ("void f(int* p) {\n    __memcpy_chk(p, p + 1, 4, 4);\n}", "__memcpy_chk", 2),
    ],
)  # fmt: skip
def test_what_could_hide_an_access_is_refused_with_its_line(source: str, what: str, line: int) -> None:
    with pytest.raises(BuildError) as caught:
        traced(source)
    where, said = (f"line {line}: " if line else ""), f"'{what}' may hide what a kernel does to memory: leave it out"
    assert str(caught.value).splitlines()[0] == f"{where}{said}"


def test_the_ir_with_hooks_compiles() -> None:
    command = [*clang(), *FROM_IR, "-xir", "-", "-c", "-o", "/dev/null"]
    subprocess.run(command, input=traced(together([*KINDS, *LINES])), capture_output=True, text=True, check=True)
