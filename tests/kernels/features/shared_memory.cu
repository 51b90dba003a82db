// Static and dynamic shared memory of several types.

template <typename T, int kThreads>
__global__ void reverse_static(const T* a, T* c) {
    __shared__ T tile[kThreads];
    __shared__ int last;
    tile[threadIdx.x] = a[blockIdx.x * kThreads + threadIdx.x];
    if (threadIdx.x == 0) last = kThreads - 1;
    __syncthreads();
    c[blockIdx.x * kThreads + threadIdx.x] = tile[last - threadIdx.x];
}

template <typename T>
__global__ void reverse_dynamic(const T* a, T* c) {
    extern __shared__ unsigned char raw[];
    T* tile = reinterpret_cast<T*>(raw);
    tile[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    c[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_float4(const float4* a, float4* c) {
    extern __shared__ float4 quads[];
    quads[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = quads[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_double(const double* a, double* c) {
    extern __shared__ __align__(16) double doubles[];
    doubles[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = doubles[blockDim.x - 1 - threadIdx.x];
}

torch::Tensor reversed_static(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_ALL_TYPES(A.scalar_type(), "reverse", [&] {
        reverse_static<scalar_t, 64><<<A.numel() / 64, 64>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    });
    return C;
}

torch::Tensor reversed_dynamic(torch::Tensor A, int threads) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(
        A.scalar_type(), "reverse", ([&] {
            reverse_dynamic<scalar_t><<<A.numel() / threads, threads, threads * sizeof(scalar_t)>>>(
                A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
        }));
    return C;
}

torch::Tensor reversed_quads(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_float4<<<1, A.numel() / 4, A.nbytes()>>>((const float4*)A.data_ptr<float>(),
                                                     (float4*)C.data_ptr<float>());
    return C;
}

torch::Tensor reversed_doubles(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_double<<<1, A.numel(), A.nbytes()>>>(A.data_ptr<double>(), C.data_ptr<double>());
    return C;
}
