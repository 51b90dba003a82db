// Neighbouring bytes of shared memory, read, then overwritten after a barrier.
// neighbours_in_shared_bytes: F.pad(A > 0, (1, 1)).byte().unfold(0, 3, 1).sum(1)

__global__ void shared_bytes(const float* a, uint8_t* c, int n) {
    __shared__ uint8_t bytes[130];
    const int i = threadIdx.x;
    if (i < 2) bytes[129 * i] = 0;
    bytes[i + 1] = i < n && a[i] > 0;
    __syncthreads();
    const uint8_t sum = bytes[i] + bytes[i + 1] + bytes[i + 2];
    __syncthreads();
    bytes[i + 1] = sum;
    if (i < n) c[i] = bytes[i + 1];
}
torch::Tensor neighbours_in_shared_bytes(torch::Tensor A) {
    auto C = torch::empty_like(A, torch::kUInt8);
    shared_bytes<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<uint8_t>(), A.numel());
    return C;
}
