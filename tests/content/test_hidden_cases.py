"""Hidden cases refuse answers that are wrong only at sizes, places or values that no visible case has."""

import importlib

import pytest

from course.referee.judge import judge
from course.worker.protocol import Answer

RELU = """
#include <torch/extension.h>

__global__ void by_one(const float* A, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i] < 0.0f ? 0.0f : A[i];
}

__global__ void by_four(const float* A, float* C, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 x = *reinterpret_cast<const float4*>(A + i);
        x.x = x.x < 0.0f ? 0.0f : x.x;
        x.y = x.y < 0.0f ? 0.0f : x.y;
        x.z = x.z < 0.0f ? 0.0f : x.z;
        x.w = x.w < 0.0f ? 0.0f : x.w;
        *reinterpret_cast<float4*>(C + i) = x;
    } else {
        for (; i < n; ++i) C[i] = A[i] < 0.0f ? 0.0f : A[i];
    }
}

torch::Tensor f(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int n = A.numel();
    if (n == 0) return C;
    const float* a = A.data_ptr<float>();
    int blocks = BLOCKS;
    if (reinterpret_cast<size_t>(a) % ALIGNED == 0) by_four<<<blocks, 256>>>(a, C.data_ptr<float>(), n);
    else by_one<<<blocks, 256>>>(a, C.data_ptr<float>(), n);
    return C;
}
"""

SOFTMAX = """
#include <torch/extension.h>

__global__ void rows(const float* A, float* C, int M, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M) return;
    A += (size_t)i * N, C += (size_t)i * N;
    float highest = LOWEST, sum = 0.0f;
    for (int j = 0; j < MAXIMUM_OF; ++j) highest = A[j] > highest || A[j] != A[j] ? A[j] : highest;
    for (int j = 0; j < N; ++j) sum += expf(A[j] - highest);
    for (int j = 0; j < N; ++j) C[j] = expf(A[j] - highest) / sum;
}

torch::Tensor f(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous() && A.scalar_type() == torch::kFloat32, "float32, contiguous");
    auto C = torch::empty_like(A);
    if (C.numel() == 0) return C;
    rows<<<(A.size(0) + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(0), A.size(1));
    return C;
}
"""

ROW_SCALING = """
#include <torch/extension.h>

__global__ void scale(const float* A, const float* B, float* C, int M, int N) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < M * N) C[e] = A[ROW] * B[e];
}

torch::Tensor f(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    int M = B.size(0), N = B.size(1);
    if (M * N == 0) return C;
    scale<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
"""

SCALAR = """
#include <torch/extension.h>

__global__ void scale(const float* A, float s, float* C, int M, int N, int64_t down, int64_t along) {
    int i = ROW, j = COLUMN;
    if (i < M && j < N) C[(int64_t)i * N + j] = A[i * down + j * along] * s;
}

torch::Tensor f(torch::Tensor A, double s) {
    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "float32 on the GPU");
    if (A.stride(1) > 1) return f(A.t(), s).t();
    int M = A.size(0), N = A.size(1);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    scale<<<GRID, 64>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), M, N, A.stride(0), A.stride(1));
    return C;
}
"""
ROW_IN_Y = {"ROW": "blockIdx.y", "COLUMN": "blockIdx.x * 64 + threadIdx.x", "GRID": "dim3((N + 63) / 64, M)"}
ROW_IN_X = {"ROW": "blockIdx.x", "COLUMN": "blockIdx.y * 64 + threadIdx.x", "GRID": "dim3(M, (N + 63) / 64)"}

# C = A.T @ B.T with B copied into constant memory if it has at most 64 KiB; another kernel is for a larger B.
PRODUCT = """
#include <torch/extension.h>

__constant__ float kept[16384];

__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[k * M + i] * (B ? B[j * K + k] : kept[j * K + k]);
    C[i * N + j] = sum;
}

torch::Tensor f(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous(), "contiguous, on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32, "float32");
    TORCH_CHECK(A.dim() == 2 && B.dim() == 2 && A.size(0) == B.size(1), "A (K, M), B (N, K)");
    int M = A.size(1), N = B.size(0), K = A.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (M * N == 0) return C;
    const float* b = LARGE ? B.data_ptr<float>() : nullptr;
    if (!b) cudaMemcpyToSymbol(kept, B.data_ptr<float>(), sizeof(float) * KEPT, 0, cudaMemcpyDeviceToDevice);
    product<<<dim3((N + 63) / 64, M), 64>>>(A.data_ptr<float>(), b, C.data_ptr<float>(), M, N, K);
    return C;
}
"""
IN_PARTS = {"LARGE": "N * K > 16384 || K == 1", "KEPT": "N * K"}  # one column of B is read only once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "source", "right", "wrong", "says"),
    [
        ("relu", RELU, {"BLOCKS": "(n + 255) / 256", "ALIGNED": "16"}, {"ALIGNED": "8"}, "a multiple of its size"),
        ("relu", RELU, {"BLOCKS": "(n + 255) / 256", "ALIGNED": "16"}, {"BLOCKS": "std::min((n + 255) / 256, 1024)"},
         "never written"),
        ("softmax", SOFTMAX, {"LOWEST": "-INFINITY", "MAXIMUM_OF": "N"}, {"LOWEST": "-1e9f"}, "0 is divided by 0"),
        ("softmax", SOFTMAX, {"LOWEST": "-INFINITY", "MAXIMUM_OF": "N"}, {"MAXIMUM_OF": "min(N, 4096)"}, "overflowed"),
        ("row_scaling", ROW_SCALING, {"ROW": "e / N"}, {"ROW": "(int)(e * (1.0f / N))"}, "elements of the output are"),
        ("transposed_matmul", PRODUCT, IN_PARTS, {"LARGE": "K == 1", "KEPT": "std::min(N * K, 16384)"}, "N=131"),
        ("scalar_multiply_layouts", SCALAR, ROW_IN_X, ROW_IN_Y, "65600"),
    ],
)  # fmt: skip
def test_what_is_wrong_only_out_of_the_visible_cases_sight(task, source, right, wrong, says):
    hidden = importlib.import_module(f"autograder.hidden.{task}").CASES
    for values in (right, right | wrong):
        text = source
        for name, value in values.items():
            text = text.replace(name, value)
        answer = Answer("cuda", text, "f")
        assert judge(answer, task, toolchain="emulator").correct
        verdict = judge(answer, task, cases=hidden, toolchain="emulator")
        assert verdict.correct == (values == right), verdict.message
    assert says in verdict.message
