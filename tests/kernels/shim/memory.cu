// Changes in place, shared memory and new memory.

__global__ void increase_kernel(float* A, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) A[i] += 1;
}

torch::Tensor increase_(torch::Tensor A) {
    increase_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), A.numel());
    return A;
}

void copy_into(torch::Tensor A, torch::Tensor B) { B.copy_(A); }

bool same_memory(torch::Tensor A, torch::Tensor B) { return A.data_ptr() == B.data_ptr(); }

torch::Tensor megabyte(torch::Tensor A, bool fail) {
    auto B = torch::empty({1 << 18}, A.options());
    std::vector<torch::Tensor> several{B, B, torch::empty_like(B)};
    TORCH_CHECK(!fail, "after allocating");
    return several[2];
}

torch::Tensor unwritten(torch::Tensor A) { return torch::empty_like(A); }
