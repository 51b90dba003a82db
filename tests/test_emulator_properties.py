"""The emulator against NumPy and PyTorch on random shapes, masks, widths and values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, bindable_functions, load_inline

SOURCE = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>

__global__ void count_visits(int* visits, int* x_of, int* y_of, int* z_of, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int at = (z * height + y) * width + x;
    atomicAdd(visits + at, 1);
    x_of[at] = x, y_of[at] = y, z_of[at] = z;
}
std::vector<torch::Tensor> visits(std::vector<int64_t> grid, std::vector<int64_t> block) {
    const int64_t width = grid[0] * block[0], height = grid[1] * block[1], depth = grid[2] * block[2];
    const auto options = torch::dtype(torch::kInt32).device(torch::kCUDA);
    auto V = torch::zeros({depth, height, width}, options);
    auto X = torch::empty_like(V), Y = torch::empty_like(V), Z = torch::empty_like(V);
    count_visits<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2])>>>(
        V.data_ptr<int>(), X.data_ptr<int>(), Y.data_ptr<int>(), Z.data_ptr<int>(), width, height);
    return {V, X, Y, Z};
}

__global__ void grid_stride(int* visits, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(visits + i, 1);
}
torch::Tensor strided_visits(int64_t n, int blocks, int threads) {
    auto V = torch::zeros({n}, torch::dtype(torch::kInt32).device(torch::kCUDA));
    grid_stride<<<blocks, threads>>>(V.data_ptr<int>(), n);
    return V;
}

// One row of `out` an operation, one column a thread; lanes that the mask does not name do not take part.
template <typename T>
__global__ void shuffles(const T* value, const int* argument, T* out, unsigned mask, int width) {
    const int i = threadIdx.x, n = blockDim.x, lane = i % 32;
    if (!(mask >> lane & 1)) return;
    const int delta = argument[n];  // the same for every lane, as __shfl_up_sync wants
    out[i] = __shfl_sync(mask, value[i], argument[i], width);
    out[n + i] = __shfl_up_sync(mask, value[i], delta, width);
    out[2 * n + i] = __shfl_down_sync(mask, value[i], delta, width);
    out[3 * n + i] = __shfl_xor_sync(mask, value[i], delta, width);
    out[4 * n + i] = width == 32 ? __shfl_xor_sync(mask, value[i], delta) : value[i];
}
torch::Tensor shuffled(torch::Tensor V, torch::Tensor arguments, int64_t mask, int width) {
    auto out = torch::zeros({5, V.numel()}, V.options());
    AT_DISPATCH_ALL_TYPES(V.scalar_type(), "shuffled", [&] {
        shuffles<<<1, V.numel()>>>(V.data_ptr<scalar_t>(), arguments.data_ptr<int>(), out.data_ptr<scalar_t>(),
                                   static_cast<unsigned>(mask), width);
    });
    return out;
}
__global__ void votes(const int* value, int64_t* out, unsigned mask) {
    const int i = threadIdx.x, n = blockDim.x;
    if (!(mask >> i % 32 & 1)) return;
    const int v = value[i];
    const unsigned u = static_cast<unsigned>(v);
    out[i] = __ballot_sync(mask, v > 0);
    out[n + i] = __any_sync(mask, v > 5);
    out[2 * n + i] = __all_sync(mask, v > -5);
    out[3 * n + i] = __match_any_sync(mask, v);
    out[4 * n + i] = __reduce_add_sync(mask, v);
    out[5 * n + i] = __reduce_min_sync(mask, v);
    out[6 * n + i] = __reduce_max_sync(mask, v);
    out[7 * n + i] = __reduce_and_sync(mask, u);
    out[8 * n + i] = __reduce_or_sync(mask, u);
    out[9 * n + i] = __reduce_xor_sync(mask, u);
    out[10 * n + i] = __reduce_min_sync(mask, u);
    out[11 * n + i] = __reduce_max_sync(mask, u);
    __syncwarp(mask);
}
torch::Tensor voted(torch::Tensor V, int64_t mask) {
    auto out = torch::zeros({12, V.numel()}, V.options().dtype(torch::kInt64));
    votes<<<1, V.numel()>>>(V.data_ptr<int>(), out.data_ptr<int64_t>(), static_cast<unsigned>(mask));
    return out;
}

template <typename T>
__global__ void reduce_tree(const T* a, T* partial, int n) {
    extern __shared__ double shared[];
    T* tile = reinterpret_cast<T*>(shared);
    const unsigned t = threadIdx.x;
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += a[i];
    tile[t] = sum;
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) tile[t] += tile[t + s];
    }
    if (t == 0) partial[blockIdx.x] = tile[0];
}
torch::Tensor tree_sum(torch::Tensor A, int blocks, int threads) {
    auto partial = torch::empty({blocks}, A.options()), total = torch::empty({1}, A.options());
    AT_DISPATCH_ALL_TYPES(A.scalar_type(), "tree_sum", [&] {
        const size_t bytes = threads * sizeof(scalar_t);
        reduce_tree<<<blocks, threads, bytes>>>(A.data_ptr<scalar_t>(), partial.data_ptr<scalar_t>(), A.numel());
        reduce_tree<<<1, threads, bytes>>>(partial.data_ptr<scalar_t>(), total.data_ptr<scalar_t>(), blocks);
    });
    return total;
}
// Hillis and Steele's scan: two barriers a step.
__global__ void scan(const int* a, int* c, int n) {
    __shared__ int tile[1024];
    const int t = threadIdx.x;
    tile[t] = t < n ? a[t] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        const int left = t >= offset ? tile[t - offset] : 0;
        __syncthreads();
        tile[t] += left;
        __syncthreads();
    }
    if (t < n) c[t] = tile[t];
}
torch::Tensor scanned(torch::Tensor A, int threads) {
    auto C = torch::empty_like(A);
    scan<<<1, threads>>>(A.data_ptr<int>(), C.data_ptr<int>(), A.numel());
    return C;
}

__global__ void float_to_half(const float* a, __half* c, float* back, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    c[i] = __float2half(a[i]);
    back[i] = __half2float(c[i]);
}
std::vector<torch::Tensor> halves(torch::Tensor A) {
    auto C = torch::empty_like(A, torch::kHalf), back = torch::empty_like(A);
    float_to_half<<<1, 128>>>(A.data_ptr<float>(), reinterpret_cast<__half*>(C.data_ptr<at::Half>()),
                              back.data_ptr<float>(), A.numel());
    return {C, back};
}

__global__ void histogram(const int* a, int* counts, int n, int bins) {
    extern __shared__ int local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[a[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}
torch::Tensor counted(torch::Tensor A, int bins, int blocks, int threads) {
    auto C = torch::zeros({bins}, A.options());
    histogram<<<blocks, threads, bins * sizeof(int)>>>(A.data_ptr<int>(), C.data_ptr<int>(), A.numel(), bins);
    return C;
}

template <typename T>
__global__ void copy_strided(const T* a, T* c, int rows, int columns, int64_t row_stride, int64_t column_stride) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) c[row * columns + column] = a[row * row_stride + column * column_stride];
}
torch::Tensor copied(torch::Tensor A, int x, int y) {
    auto C = torch::empty({A.size(0), A.size(1)}, A.options());
    const dim3 block(x, y), grid((A.size(1) + x - 1) / x, (A.size(0) + y - 1) / y);
    AT_DISPATCH_ALL_TYPES(A.scalar_type(), "copied", [&] {
        copy_strided<scalar_t><<<grid, block>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.size(0), A.size(1),
                                                A.stride(0), A.stride(1));
    });
    return C;
}
"""

# A module's build time is no part of an example's.
examples = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SIDES = st.tuples(*3 * [st.integers(1, 4)])
BLOCKS = st.tuples(st.integers(1, 40), st.integers(1, 10), st.integers(1, 6)).filter(lambda b: np.prod(b) <= 1024)
MASKS = st.integers(1, 2**32 - 1) | st.sampled_from([2**32 - 1, 1, 0x80000000, 0xFFFF, 0x55555555])
NUMBERS = [torch.int32, torch.int64, torch.float32, torch.float64]


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("properties", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def lanes_of(mask: int, threads: int) -> np.ndarray:
    return np.array([bool(mask >> (thread % 32) & 1) for thread in range(threads)])


@examples
@given(grid=SIDES, block=BLOCKS)
def test_a_grid_covers_every_index_exactly_once(run: Module, grid: tuple, block: tuple) -> None:
    visits, x, y, z = run.visits(grid, block)
    assert (visits == 1).all()
    zz, yy, xx = np.indices(visits.shape)
    assert (x.numpy() == xx).all() and (y.numpy() == yy).all() and (z.numpy() == zz).all()


@examples
@given(n=st.integers(0, 5000), blocks=st.integers(1, 20), threads=st.integers(1, 1024))
def test_a_grid_stride_loop_covers_every_index_exactly_once(run: Module, n: int, blocks: int, threads: int) -> None:
    assert torch.equal(run.strided_visits(n, blocks, threads), torch.ones(n, dtype=torch.int32))


@examples
@given(data=st.data(), mask=MASKS, width=st.sampled_from([2, 4, 8, 16, 32]), threads=st.integers(1, 130))
def test_shuffles(run: Module, data: st.DataObject, mask: int, width: int, threads: int) -> None:
    dtype = data.draw(st.sampled_from([*NUMBERS, torch.int16, torch.uint8]))
    values = torch.from_numpy(np.random.default_rng(mask).integers(0, 200, threads)).to(dtype)
    wanted = data.draw(st.lists(st.integers(-40, 70), min_size=threads, max_size=threads))
    delta = data.draw(st.integers(0, 31))
    out = run.shuffled(values, torch.tensor([*wanted, delta], dtype=torch.int32), mask, width).numpy()

    thread = np.arange(threads)
    lane, warp = thread % 32, thread // 32 * 32
    segment = lane - lane % width
    up, down, other = lane - delta, lane + delta, lane ^ delta
    sources = [
        segment + np.array(wanted) % width,
        np.where(up < segment, lane, up),
        np.where(down >= segment + width, lane, down),
        np.where(other >= segment + width, lane, other),
        other if width == 32 else lane,
    ]
    here = lanes_of(mask, threads)
    for row, source in enumerate(sources):
        defined = here & (warp + source < threads)  # a lane that does not take part has no value to give
        defined[defined] &= here[(warp + source)[defined]]
        assert (out[row][defined] == values.numpy()[(warp + source)[defined]]).all(), row
    assert (out[:, ~here] == 0).all()


@examples
@given(data=st.data(), mask=MASKS, threads=st.integers(1, 130))
def test_votes_and_warp_reductions(run: Module, data: st.DataObject, mask: int, threads: int) -> None:
    small = st.integers(-8, 8) | st.integers(-(2**31), 2**31 - 1)
    values = np.array(data.draw(st.lists(small, min_size=threads, max_size=threads)), dtype=np.int32)
    out = run.voted(torch.from_numpy(values), mask).numpy()
    here = lanes_of(mask, threads)
    for first in range(0, threads, 32):
        lanes = [t for t in range(first, min(first + 32, threads)) if here[t]]
        if not lanes:
            continue
        mine = values[lanes]
        unsigned = mine.view(np.uint32)
        bits = [1 << (t - first) for t in lanes]
        wrapped = int(mine.astype(np.int64).sum()) + 2**31
        expected = {
            0: sum(bit for bit, value in zip(bits, mine, strict=True) if value > 0),
            1: int((mine > 5).any()), 2: int((mine > -5).all()),
            4: wrapped % 2**32 - 2**31, 5: int(mine.min()), 6: int(mine.max()),
            7: int(np.bitwise_and.reduce(unsigned)), 8: int(np.bitwise_or.reduce(unsigned)),
            9: int(np.bitwise_xor.reduce(unsigned)), 10: int(unsigned.min()), 11: int(unsigned.max()),
        }  # fmt: skip
        for row, value in expected.items():
            assert (out[row][lanes] == value).all(), row
        for t in lanes:
            assert out[3][t] == sum(bit for bit, value in zip(bits, mine, strict=True) if value == values[t])
    assert (out[:, ~here] == 0).all()


@examples
@given(
    n=st.integers(0, 4000), blocks=st.integers(1, 40), log_threads=st.integers(0, 10), dtype=st.sampled_from(NUMBERS)
)
def test_tree_reductions(run: Module, n: int, blocks: int, log_threads: int, dtype: torch.dtype) -> None:
    A = torch.from_numpy(np.random.default_rng(n).integers(-1000, 1000, n)).to(dtype)
    assert run.tree_sum(A, blocks, 2**log_threads).item() == A.sum().item()


@examples
@given(data=st.data(), threads=st.integers(1, 1024))
def test_scans(run: Module, data: st.DataObject, threads: int) -> None:
    n = data.draw(st.integers(0, threads))
    A = torch.from_numpy(np.random.default_rng(n).integers(-1000, 1000, n)).to(torch.int32)
    assert torch.equal(run.scanned(A, threads), A.cumsum(0).int())


@examples
@given(st.lists(st.floats(width=32) | st.floats(-70000, 70000, width=32), min_size=1, max_size=128))
def test_conversions_to_half_and_back(run: Module, values: list[float]) -> None:
    A = torch.tensor(values, dtype=torch.float32)
    halves, back = run.halves(A)
    with np.errstate(over="ignore"):
        expected = A.numpy().astype(np.float16)
    number = ~np.isnan(expected)
    assert (halves.numpy().view(np.uint16)[number] == expected.view(np.uint16)[number]).all()
    assert np.array_equal(back.numpy(), expected.astype(np.float32), equal_nan=True)


@examples
@given(st.integers(0, 3000), st.integers(1, 200), st.integers(1, 9), st.integers(1, 256))
def test_histograms_by_atomics(run: Module, n: int, bins: int, blocks: int, threads: int) -> None:
    A = np.random.default_rng(n).integers(0, bins, n)
    counts = run.counted(torch.from_numpy(A).to(torch.int32), bins, blocks, threads)
    assert (counts.numpy() == np.bincount(A, minlength=bins)).all()


@examples
@given(data=st.data(), rows=st.integers(1, 40), columns=st.integers(1, 40), dtype=st.sampled_from(NUMBERS))
def test_copies_with_any_strides_and_offset(
    run: Module, data: st.DataObject, rows: int, columns: int, dtype: torch.dtype
) -> None:
    row_stride, column_stride = data.draw(st.integers(0, 50)), data.draw(st.integers(0, 50))
    offset = data.draw(st.integers(0, 100))
    storage = torch.arange(offset + rows * row_stride + columns * column_stride + 1).to(dtype)
    A = storage.as_strided((rows, columns), (row_stride, column_stride), offset)
    x, y = data.draw(st.sampled_from([(32, 8), (1, 1), (7, 5), (64, 16)]))
    assert torch.equal(run.copied(A, x, y), A)
