// Structs of five floats, copied whole.

struct Five {
    float x[5];
};
__global__ void structs(const Five* in, Five* out) {
    memcpy(out + threadIdx.x, in + threadIdx.x, sizeof(Five));
}
torch::Tensor of_structs(torch::Tensor A) {
    auto C = torch::empty_like(A);
    structs<<<1, 32>>>(reinterpret_cast<Five*>(A.data_ptr<float>()),
                       reinterpret_cast<Five*>(C.data_ptr<float>()));
    return C;
}
