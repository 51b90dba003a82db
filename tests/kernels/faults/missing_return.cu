// A device function ends without its return statement.
// hazard: crash
// says: is a return statement missing

__device__ float no_return(float x) { x* x; }

__global__ void without_return(float* c) { c[0] = no_return(c[0]); }

torch::Tensor missing_return(torch::Tensor A) {
    without_return<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
