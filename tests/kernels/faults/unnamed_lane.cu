// Lanes take part in a vote whose mask does not name them.

__global__ void unnamed() { __ballot_sync(0x0000ffff, 1); }  // unnamed

torch::Tensor unnamed_lane(torch::Tensor A) {
    unnamed<<<1, 32>>>();
    return A;
}
