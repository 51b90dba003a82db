// A store far from every tensor.
// hazard: out-of-bounds
// says: belongs to no tensor

__global__ void store_far_away(float* c) { *c = 1.0f; }
torch::Tensor far_away(torch::Tensor A) {
    store_far_away<<<1, 1>>>(A.data_ptr<float>() + (1ll << 40));
    return A;
}
