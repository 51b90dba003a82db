// Votes and warp reductions with a mask.

__global__ void votes(const int* value, int64_t* out, unsigned mask) {
    const int i = threadIdx.x, n = blockDim.x;
    if (!(mask >> i % 32 & 1)) return;
    const int v = value[i];
    const unsigned u = static_cast<unsigned>(v);
    out[i] = __ballot_sync(mask, v > 0);
    out[n + i] = __any_sync(mask, v > 5);
    out[2 * n + i] = __all_sync(mask, v > -5);
    out[3 * n + i] = __match_any_sync(mask, v);
    out[4 * n + i] = __reduce_add_sync(mask, v);
    out[5 * n + i] = __reduce_min_sync(mask, v);
    out[6 * n + i] = __reduce_max_sync(mask, v);
    out[7 * n + i] = __reduce_and_sync(mask, u);
    out[8 * n + i] = __reduce_or_sync(mask, u);
    out[9 * n + i] = __reduce_xor_sync(mask, u);
    out[10 * n + i] = __reduce_min_sync(mask, u);
    out[11 * n + i] = __reduce_max_sync(mask, u);
    __syncwarp(mask);
}

torch::Tensor voted(torch::Tensor V, int64_t mask) {
    auto out = torch::zeros({12, V.numel()}, V.options().dtype(torch::kInt64));
    votes<<<1, V.numel()>>>(V.data_ptr<int>(), out.data_ptr<int64_t>(), static_cast<unsigned>(mask));
    return out;
}
