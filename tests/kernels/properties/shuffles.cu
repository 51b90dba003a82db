// Shuffles with a mask and a width.

// `out` has one row per operation, one column per thread; lanes that the mask does not name do not take part.
template <typename T>
__global__ void shuffles(const T* value, const int* argument, T* out, unsigned mask, int width) {
    const int i = threadIdx.x, n = blockDim.x, lane = i % 32;
    if (!(mask >> lane & 1)) return;
    const int delta = argument[n];  // the same for every lane, as __shfl_up_sync requires
    out[i] = __shfl_sync(mask, value[i], argument[i], width);
    out[n + i] = __shfl_up_sync(mask, value[i], delta, width);
    out[2 * n + i] = __shfl_down_sync(mask, value[i], delta, width);
    out[3 * n + i] = __shfl_xor_sync(mask, value[i], delta, width);
    out[4 * n + i] = width == 32 ? __shfl_xor_sync(mask, value[i], delta) : value[i];
}

torch::Tensor shuffled(torch::Tensor V, torch::Tensor arguments, int64_t mask, int width) {
    auto out = torch::zeros({5, V.numel()}, V.options());
    AT_DISPATCH_ALL_TYPES(V.scalar_type(), "shuffled", [&] {
        shuffles<<<1, V.numel()>>>(V.data_ptr<scalar_t>(), arguments.data_ptr<int>(),
                                   out.data_ptr<scalar_t>(), static_cast<unsigned>(mask), width);
    });
    return out;
}
