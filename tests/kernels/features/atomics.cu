// Atomic operations of every kind.

template <typename T>
__global__ void add_all(const T* a, T* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(c, a[i]);
}

__global__ void add_all_long(const int64_t* a, int64_t* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(reinterpret_cast<unsigned long long*>(c), static_cast<unsigned long long>(a[i]));
}

torch::Tensor atomic_sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    const int n = A.numel(), blocks = (n + 255) / 256;
    if (A.scalar_type() == torch::kInt64) {
        add_all_long<<<blocks, 256>>>(A.data_ptr<int64_t>(), C.data_ptr<int64_t>(), n);
    } else if (A.scalar_type() == torch::kInt32) {
        add_all<<<blocks, 256>>>(A.data_ptr<int>(), C.data_ptr<int>(), n);
    } else {
        AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "atomic_sum", [&] {
            add_all<scalar_t><<<blocks, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), n);
        });
    }
    return C;
}

__device__ float atomicMaxFloat(float* address, float value) {
    int* as_int = (int*)address;
    int old = *as_int, assumed;
    do {
        assumed = old;
        old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void max_all(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMaxFloat(c, a[i]);
}

torch::Tensor cas_maximum(torch::Tensor A) {
    auto C = torch::full({1}, -INFINITY, A.options());
    max_all<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void every_atomic(int* c, unsigned* u) {
    __shared__ int shared;
    const int i = threadIdx.x;
    if (i == 0) shared = 0;
    __syncthreads();
    atomicAdd(&shared, 1);
    atomicSub(c, i);
    atomicMin(c + 1, 50 - i);
    atomicMax(c + 2, i);
    atomicAnd(c + 3, ~(1 << (i % 20)));
    atomicOr(c + 4, 1 << (i % 20));
    atomicXor(c + 5, i);
    if (i == 63) c[6] = atomicExch(c + 7, -1);
    c[8] = atomicCAS(c + 9, 12, 13);
    atomicInc(u, 9);
    atomicDec(u + 1, 9);
    atomicMax(u + 2, 4000000000u);
    __syncthreads();
    if (i == 0) c[10] = shared;
    atomicAdd_block(c + 11, i), atomicAdd_system(c + 11, i), atomicSub_block(c + 12, i);
    atomicMin_system(c + 13, -i), atomicMax_block(c + 14, i), atomicOr_block(c + 15, 1 << i % 20);
    atomicAnd_system(c + 15, ~0), atomicXor_block(c + 16, i), atomicInc_block(u, 9),
        atomicDec_system(u + 1, 9);
    if (atomicCAS_block(c + 17, 0, 1) == 0) atomicExch_system(c + 18, 7);
}

std::vector<torch::Tensor> atomics(torch::Tensor C, torch::Tensor U) {
    every_atomic<<<1, 64>>>(C.data_ptr<int>(), reinterpret_cast<unsigned*>(U.data_ptr<int>()));
    return {C, U};
}
