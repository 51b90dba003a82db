// The wrapper calls abort().
// hazard: crash
// says: the wrapper called abort()

torch::Tensor aborted(torch::Tensor A) { std::abort(); }
