// The result is a copy that the library makes.
// size: 8
// hazard: unwritten-output
// says: no kernel writes 8 of the 8

torch::Tensor copied_by_the_host(torch::Tensor A) { return A.clone(); }
