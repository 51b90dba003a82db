// The reductions and scans of CUB for a block and for a warp.

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

struct Largest {  // has a constructor, which no shared variable may have
    float value;
    int at;
    __device__ Largest() : value(0), at(-1) {}
    __device__ Largest(float value, int at) : value(value), at(at) {}
};

template <int kThreads>
__global__ void by_block(const float* a, float* c) {
    using Reduce = cub::BlockReduce<float, kThreads>;
    using Scan = cub::BlockScan<float, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
    using Most = cub::BlockReduce<Largest, kThreads>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
        typename Most::TempStorage most;
    } temp;
    const int i = threadIdx.x;
    const float value = a[i];
    float sum = Reduce(temp.reduce).Sum(value);
    if (i == 0) c[0] = sum;
    __syncthreads();
    sum = Reduce(temp.reduce).Sum(value, 37);
    if (i == 0) c[1] = sum;
    __syncthreads();
    sum = Reduce(temp.reduce).Reduce(value, [](float x, float y) { return x > y ? x : y; });
    if (i == 0) c[2] = sum;
    __syncthreads();
    const Largest most = Most(temp.most).Reduce(
        Largest(value, i), [](const Largest& x, const Largest& y) { return y.value > x.value ? y : x; });
    if (i == 0) c[3] = most.at;
    __syncthreads();
    float out, all;
    Scan(temp.scan).InclusiveSum(value, out, all);
    c[kThreads + i] = out;
    c[2 * kThreads + i] = all;
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(value, out);
    c[3 * kThreads + i] = out;
    __syncthreads();
    const auto later = [](float x, float y) { return y == 0 ? x : y; };  // not commutative
    Scan(temp.scan).InclusiveScan(value, out, later);
    c[4 * kThreads + i] = out;
    __syncthreads();
    Scan(temp.scan).ExclusiveScan(value, out, -9.0f, later);
    c[5 * kThreads + i] = out;
}

torch::Tensor cub_block(torch::Tensor A) {
    const int n = A.numel();
    auto C = torch::zeros({6, n}, A.options());
    if (n == 48) by_block<48><<<1, 48>>>(A.data_ptr<float>(), C.data_ptr<float>());
    if (n == 256) by_block<256><<<1, 256>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

template <int kWidth>
__global__ void by_warp(const float* a, float* c, int n) {
    using Reduce = cub::WarpReduce<float, kWidth>;
    using Scan = cub::WarpScan<float, kWidth>;
    __shared__ typename Reduce::TempStorage reduce;
    __shared__ typename Scan::TempStorage scan;
    const int i = threadIdx.x;
    c[i] = Reduce(reduce).Sum(a[i]);
    c[n + i] = Reduce(reduce).Reduce(
        a[i], [](float x, float y) { return x < y ? x : y; }, 3);
    float out, all;
    Scan(scan).InclusiveSum(a[i], out, all);
    c[2 * n + i] = out + 1000 * all;
    Scan(scan).ExclusiveSum(a[i], out);
    c[3 * n + i] = out;
}

torch::Tensor cub_warp(torch::Tensor A, int64_t width) {
    const int n = A.numel();
    auto C = torch::zeros({4, n}, A.options());
    if (width == 32) by_warp<32><<<1, n>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    if (width == 8) by_warp<8><<<1, n>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
