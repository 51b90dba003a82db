// The storage of a block reduction is used again without a barrier.
// size: 64
// hazard: race
// where: second-sum 32, first-sum 0
// says: missing between line {first-sum} and line {second-sum}

#include <cub/cub.cuh>

__global__ void two_sums(const float* a, float* c) {
    using Reduce = cub::BlockReduce<float, 64>;
    __shared__ typename Reduce::TempStorage temp;
    const float value = a[threadIdx.x];
    const float sum = Reduce(temp).Sum(value);              // first-sum
    const float squares = Reduce(temp).Sum(value * value);  // second-sum
    if (threadIdx.x == 0) c[0] = sum, c[1] = squares;
}

torch::Tensor cub_used_again(torch::Tensor A) {
    auto C = torch::empty({2}, A.options());
    two_sums<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
