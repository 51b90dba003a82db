// The last float4 reaches past the end.
// size: 6
// hazard: out-of-bounds
// where: last-quad 1
// says: past the end of .*: element 4 of 6, .* does the last vector access reach too far\?

__global__ void copy_quads(const float4* a, float4* c) {
    c[threadIdx.x] = a[threadIdx.x];  // last-quad
}

torch::Tensor last_quad(torch::Tensor A) {
    auto C = torch::empty({(A.numel() + 3) / 4 * 4}, A.options());
    copy_quads<<<1, (A.numel() + 3) / 4>>>(reinterpret_cast<const float4*>(A.data_ptr<float>()),
                                           reinterpret_cast<float4*>(C.data_ptr<float>()));
    return C;
}
