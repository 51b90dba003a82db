// Streams that events, waits of the host or the default stream order.
// forked: A * 2 + 1
// chunks_on_streams: A * 2
// on_a_blocking_stream: A * 2
// counted_by_streams: A.sum() * 2
// copied_before_a_stream: A * 2
#include <c10/cuda/CUDAStream.h>

__global__ void twice_and(const float* a, float* c, float more, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = 2 * a[i] + more;
}
__global__ void add_up(const float* a, float* total, int n) {
    if (threadIdx.x < n) atomicAdd(total, a[threadIdx.x]);
}

struct Streams {
    cudaStream_t streams[2];
    cudaEvent_t begin, end[2];
    Streams() {
        cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
        cudaEventRecord(begin, at::cuda::getCurrentCUDAStream());
        for (int s = 0; s < 2; ++s) {
            cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
            cudaStreamWaitEvent(streams[s], begin, 0);
            cudaEventCreate(&end[s]);
        }
    }
    void join(int s) {
        cudaEventRecord(end[s], streams[s]);
        cudaStreamWaitEvent(at::cuda::getCurrentCUDAStream(), end[s], 0);
    }
    ~Streams() {
        for (int s = 0; s < 2; ++s) cudaStreamDestroy(streams[s]), cudaEventDestroy(end[s]);
        cudaEventDestroy(begin);
    }
};

// The second stream goes on where the first one ends, and PyTorch's stream waits for the second one only.
torch::Tensor forked(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty_like(A);
    Streams all;
    twice_and<<<2, 64, 0, all.streams[0]>>>(A.data_ptr<float>(), B.data_ptr<float>(), 0, A.numel());
    cudaEventRecord(all.end[0], all.streams[0]);
    cudaStreamWaitEvent(all.streams[1], all.end[0], 0);
    cudaMemcpyAsync(C.data_ptr<float>(), B.data_ptr<float>(), A.numel() * sizeof(float), cudaMemcpyDefault,
                    all.streams[1]);
    twice_and<<<2, 64, 0, all.streams[1]>>>(A.data_ptr<float>(), C.data_ptr<float>(), 1, A.numel());
    all.join(1);
    return C;
}

// All copies in, then all launches, then all copies out, as with pinned memory.
torch::Tensor chunks_on_streams(torch::Tensor A) {
    const int n = A.numel(), half = n / 2;
    auto C = torch::empty_like(A);
    float *host, *in, *out;
    cudaMallocHost(&host, n * sizeof(float));
    cudaMalloc(&in, n * sizeof(float)), cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(host, A.data_ptr<float>(), n * sizeof(float), cudaMemcpyDeviceToHost);
    {
        Streams all;
        const auto from = [=](int s) { return s * half; };
        const auto count = [=](int s) { return s ? n - half : half; };
        for (int s = 0; s < 2; ++s)
            cudaMemcpyAsync(in + from(s), host + from(s), count(s) * sizeof(float), cudaMemcpyHostToDevice,
                            all.streams[s]);
        for (int s = 0; s < 2; ++s)
            twice_and<<<2, 64, 0, all.streams[s]>>>(in + from(s), out + from(s), 0, count(s));
        for (int s = 0; s < 2; ++s)
            cudaMemcpyAsync(host + from(s), out + from(s), count(s) * sizeof(float), cudaMemcpyDeviceToHost,
                            all.streams[s]);
        for (int s = 0; s < 2; ++s) cudaStreamSynchronize(all.streams[s]);
    }
    cudaMemcpy(C.data_ptr<float>(), host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaFree(in), cudaFree(out), cudaFreeHost(host);
    return C;
}

// The legacy default stream, which is PyTorch's, and this stream wait for each other.
torch::Tensor on_a_blocking_stream(torch::Tensor A) {
    auto B = torch::zeros_like(A), C = torch::empty_like(A);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    twice_and<<<2, 64, 0, stream>>>(A.data_ptr<float>(), B.data_ptr<float>(), 0, A.numel());
    cudaMemcpy(C.data_ptr<float>(), B.data_ptr<float>(), A.numel() * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaStreamDestroy(stream);
    return C;
}

// Atomic operations of two streams need no order.
torch::Tensor counted_by_streams(torch::Tensor A) {
    auto total = torch::zeros({1}, A.options());
    Streams all;
    for (int s = 0; s < 2; ++s)
        add_up<<<1, 128, 0, all.streams[s]>>>(A.data_ptr<float>(), total.data_ptr<float>(), A.numel());
    all.join(0), all.join(1);
    return total;
}

// The copy from the host has arrived when cudaMemcpy returns, and the host has waited for the stream.
torch::Tensor copied_before_a_stream(torch::Tensor A) {
    std::vector<float> host(A.numel());
    float* in;
    const size_t bytes = A.numel() * sizeof(float);
    cudaMalloc(&in, bytes);
    cudaMemcpy(host.data(), A.data_ptr<float>(), bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice);
    auto C = torch::empty_like(A);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    twice_and<<<2, 64, 0, stream>>>(in, C.data_ptr<float>(), 0, A.numel());
    cudaFree(in);  // waits for the device
    cudaStreamDestroy(stream);
    return C;
}
