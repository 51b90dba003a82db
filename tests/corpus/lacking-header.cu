// A header of PyTorch that few wrappers need.
// call: in_parallel()
// gives: False
// lacking in nvcc, emulator: ATen/Parallel.h.*PyTorch's own load_inline
#include <torch/extension.h>
#include <ATen/Parallel.h>

bool in_parallel() { return at::in_parallel_region(); }
