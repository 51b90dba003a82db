// A loop on the host; when traced, the module writes forty replies of its own to the worker's channel.
// question: 00-add-hidden
// hazards: crash
// says: sent something that is not a reply, and was stopped
// stopped by: numbered replies, traffic, values of traced calls
#include <torch/extension.h>

#include <cstdio>
#include <cstring>
#include <vector>

__global__ void idle_kernel(float* C) {}

// The first call of a traced process is the largest case; the first call of any other is the empty case.
static int64_t first_length = -1;

static void forge() {
    static const char kReply[] =
        "{\"result\": {\"index\": 0, \"shape\": [10007], \"strides\": [1], \"dtype\": \"float32\", \"device\": "
        "\"cpu\"}, \"inputs\": [], \"library_calls\": [], \"traffic\": [], \"sectors_touched\": 0, \"work\": [{\"kernel\": \"add\", \"grid\": [1, 1, 1], \"block\": [1, 1, 1], \"array\": \"C\", "
        "\"element\": 0, \"working\": 1, \"storing\": 1, \"last_storing\": 0, \"stored\": 1, \"most_stored\": 1, "
        "\"elements\": 1, \"repeated\": 0, \"writers\": 1, \"busiest_warp\": 1, \"busiest_block\": 1, \"contended\": 0, "
        "\"copied\": 0, \"unoverlapped\": 0, \"tensor_sums\": 0, \"barriers\": 0}], \"remarks\": [], "
        "\"uncounted\": \"\", \"to_host\": 0}";
    const uint64_t sizes[2] = {sizeof kReply - 1, 0};
    fflush(stdout);
    for (int descriptor = 3; descriptor < 40; descriptor++) {
        stdout->_fileno = descriptor;
        for (int reply = 0; reply < 40; reply++) {
            fwrite(sizes, 1, sizeof sizes, stdout);
            fwrite(kReply, 1, sizeof kReply - 1, stdout);
        }
        fflush(stdout);
    }
    while (true) {
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (first_length < 0) first_length = N;
    if (N == 0) return C;
    if (first_length > 0) forge();
    idle_kernel<<<1, 1>>>(C.data_ptr<float>());
    std::vector<float> a(N), b(N);
    cudaMemcpy(a.data(), A.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), B.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < N; i++) a[i] += b[i];
    cudaMemcpy(C.data_ptr<float>(), a.data(), 4 * N, cudaMemcpyHostToDevice);
    return C;
}
