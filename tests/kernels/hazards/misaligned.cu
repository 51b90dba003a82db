// A float4 is read at an address that is not a multiple of 16.
// size: 16
// hazard: misaligned
// where: misaligned 0
// says: reads 16 bytes at once, 4 past a multiple of 16

__global__ void copy_quads_from_one(const float4* a, float4* c) {
    c[threadIdx.x] = a[threadIdx.x];  // misaligned
}

torch::Tensor misaligned(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_quads_from_one<<<1, 2>>>(reinterpret_cast<const float4*>(A.data_ptr<float>() + 1),
                                  reinterpret_cast<float4*>(C.data_ptr<float>()));
    return C;
}
