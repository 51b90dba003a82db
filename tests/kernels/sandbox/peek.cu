// Opens a file in a constructor and in its wrapper.
#include <torch/extension.h>

#include <cstdio>

static bool can_open(const char* path) { return fopen(path, "r") != nullptr; }
static const bool early = can_open("PATH");

torch::Tensor peek(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(false, early || can_open("PATH") ? "open" : "closed");
    return A;
}
