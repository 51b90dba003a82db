"""What a parsed CUDA source contains."""

from __future__ import annotations

import pytest

from course.text.cuda import CudaText
from course.text.syntax import within

SOURCE = """\
#define CUBE(k, ...) k<<<8, 8>>>(__VA_ARGS__)
__constant__ float weights[3] = {1, 2, 3}, *p;
template <typename T>
__global__ void __launch_bounds__(N * (1 + 1)) add(const T* __restrict__ a, T* c, int n = f(1, 2)) {
    extern __shared__ __align__(16) float s[][4];
    for (int i = threadIdx.x, j; i < n; i += blockDim.x) {  // one, two
        if (i == 3) continue;
        c[i] += std::max<float>(a[i], weights[j]), j++;
    }
#ifdef X
    __syncthreads();
#endif
}
torch::Tensor run(torch::Tensor A, const std::optional<torch::Tensor>& B = std::nullopt) {
    dim3 grid(x, y), block{16, 2};
    add<scalar_t>
        <<<grid, dim3(16, 2), 0>>>(A.data_ptr<scalar_t>(), B, "a, b");
    return A.contiguous();
}
"""


def test_what_a_source_contains() -> None:
    found = CudaText(SOURCE).syntax
    add, run = found.functions
    assert add.on_device and add.before == "template <typename T> __global__ void" and not run.on_device
    assert [(each.name, each.type, each.pointers) for each in add.parameters] == [
        ("a", "T", 1),
        ("c", "T", 1),
        ("n", "int", 0),
    ]
    assert run.prototype == "torch::Tensor run(torch::Tensor A, const std::optional<torch::Tensor>& B);"
    assert found.function_at(SOURCE.index("continue")) is add and found.function_at(0) is None
    of_the_macro, launch = found.launches
    assert (launch.name, launch.kernel.text) == ("add", "add<scalar_t>") and of_the_macro.name == "k"
    assert [each.text for each in launch.config] == ["grid", "dim3(16, 2)", "0"]
    assert [each.text for each in launch.arguments] == ["A.data_ptr<scalar_t>()", "B", '"a, b"']
    begin, end = (SOURCE.index(mark, launch.begin) for mark in ("<<<", ">>>"))
    assert launch.angles == (begin, end) and SOURCE[launch.begin : launch.end].endswith('"a, b")')
    assert [each.function for each in within(found.calls, add)] == ["std::max", "__syncthreads"]
    assert [each.function for each in within(found.calls, run)] == ["dim3", "A.data_ptr", "A.contiguous"]
    assert [(each.target.text, each.operator) for each in within(found.assignments, add)] == [
        ("i", "+="), ("c[i]", "+="), ("j", "++"),
    ]  # fmt: skip
    assert [(each.word, each.head.text) for each in found.statements] == [
        ("for", "int i = threadIdx.x, j; i < n; i += blockDim.x"), ("if", "i == 3"), ("return", "A.contiguous()"),
    ]  # fmt: skip
    assert found.type_parameters == {"T"}


def test_declarations() -> None:
    declared = {each.name: each for each in CudaText(SOURCE).syntax.declared}
    weights, s, grid = declared["weights"], declared["s"], declared["grid"]
    assert "__constant__" in weights.words and weights.sizes == ("3",) and weights.value
    assert weights.value.text == "{1, 2, 3}" and declared["p"].pointers == 1 and declared["p"].value is None
    assert s.words >= {"extern", "__shared__"} and s.sizes == ("", "4") and s.type == "float"
    assert SOURCE[s.statement.begin : s.statement.end] == "extern __shared__ __align__(16) float s[][4];"
    assert grid.value and grid.value.text == "(x, y)"
    assert declared["block"].value and declared["i"].value and declared["j"].value is None


@pytest.mark.parametrize(
    "text",
    [
        "MACRO(x) k<<<1, 2>>>(a);",
        "if (x) k<<<1, 2>>>(a); else ;",
        "ö = 1; k<<<1, 2>>>(a);",
        "auto f = [=] __device__ (int i) { return i; }; k<<<1, 2>>>(a);",
        "AT_DISPATCH_SWITCH(t, AT_DISPATCH_CASE(kFloat, [&] { k<<<1, 2>>>(a); }));",
        "goto *p; k<<<1, 2>>>(a);",
        "k<<<1, 2>>>(a)\n    return 1;",
        "int x = ; k<<<1, 2>>>(a);",
    ],
)
def test_a_launch_is_found_beside_what_cannot_be_parsed(text: str) -> None:
    for end in ("\n", "\r\n"):
        source = f"__global__ void k(int a) {{}}\nvoid g() {{\n    {text}\n}}\nvoid h() {{}}\n".replace("\n", end)
        found = CudaText(source).syntax
        ((launch, function),) = [(each, found.function_at(each.begin)) for each in found.launches]
        assert (launch.kernel.text, function and function.name) == ("k", "g")
        assert source[launch.begin : launch.end] == "k<<<1, 2>>>(a)"


@pytest.mark.parametrize(
    "body",
    [
        "CHECK(x)",
        "CHECK(x)\n    int n = 1;\n    CHECK([&] { k<<<1, 2>>>(n); })\n    CHECK(f(2))",
        "LOOP(i, n) { c[i] = a[i]; }",
        "#ifdef X\nthis is prose (really)\n#endif\n    return;",
    ],
)
def test_functions_are_found_where_macros_hide_the_syntax(body: str) -> None:
    found = CudaText(
        f"template <typename... T>\nstatic void f(int n, T... rest) {{\n    {body}\n}}\nint g() {{}}\n"
    ).syntax
    assert [(each.name, each.before) for each in found.functions] == [
        ("f", "template <typename... T> static void"), ("g", "int"),
    ]  # fmt: skip
    assert [each.name for each in found.functions[0].parameters] == ["n", "rest"]
