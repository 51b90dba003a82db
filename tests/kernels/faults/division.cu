// An integer is divided by 0.
// hazard: crash
// says: divided an integer by zero

__global__ void divide(float* c, int by) { c[0] = 7 / by; }

torch::Tensor division(torch::Tensor A) {
    divide<<<1, 1>>>(A.data_ptr<float>(), 0);
    return A;
}
