// Loads from anywhere in a buffer, in a loop that each lane leaves after its own number of rounds.

__global__ void gather(const float* a, const int* from, const int* rounds, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    const int end = rounds[i];
    for (int j = 0; j < end; ++j) {
        const int k = from[j * n + i];
        if (k >= 0) sum += a[k];  // gathered
    }
    c[i] = sum;
}
torch::Tensor gathered(torch::Tensor A, torch::Tensor from, torch::Tensor rounds) {
    auto C = torch::empty({rounds.numel()}, A.options());
    gather<<<1, rounds.numel()>>>(A.data_ptr<float>(), from.data_ptr<int>(), rounds.data_ptr<int>(),
                                  C.data_ptr<float>(), rounds.numel());
    return C;
}
