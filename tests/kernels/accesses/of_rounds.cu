// A loop with as many rounds as the call requests.

__global__ void lengthy(const float* in, float* out, int rounds) {
    float sum = 0;
    for (int i = 0; i < rounds; ++i) sum += in[threadIdx.x];  // again and again
    out[threadIdx.x] = sum;
}
torch::Tensor of_rounds(torch::Tensor A, int rounds) {
    auto C = torch::empty_like(A);
    lengthy<<<2, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), rounds);
    return C;
}
