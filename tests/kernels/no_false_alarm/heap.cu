// new and delete in a kernel.
// heap: torch.arange(A.numel()).float()

__global__ void from_the_heap(float* c, int n) {
    int* numbers = new int[2];
    numbers[1] = threadIdx.x;
    if (threadIdx.x < n) c[threadIdx.x] = numbers[1];
    delete[] numbers;
}
torch::Tensor heap(torch::Tensor A) {
    auto C = torch::empty_like(A);
    from_the_heap<<<1, 128>>>(C.data_ptr<float>(), A.numel());
    return C;
}
