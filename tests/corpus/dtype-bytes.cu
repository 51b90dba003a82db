// An image of bytes, inverted.
// call: inverted(A.to(torch.uint8))
// gives: 255 - A.to(torch.uint8)
// call: inverted(A)
// raises: RuntimeError: expected scalar type Byte but found Float
#include <torch/extension.h>

__global__ void inverted_kernel(const uint8_t* picture, unsigned char* C) {
    C[threadIdx.x] = 255 - picture[threadIdx.x];
}

torch::Tensor inverted(torch::Tensor picture) {
    auto C = torch::empty_like(picture);
    inverted_kernel<<<1, picture.numel()>>>(picture.data_ptr<uint8_t>(), C.data_ptr<unsigned char>());
    return C;
}
