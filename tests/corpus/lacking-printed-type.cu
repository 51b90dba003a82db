// A message with a value of the source's own type, which a C++ stream can print.
// call: prints_tile(A)
// raises: RuntimeError: the tile is 16 x 8
// lacking in nvcc, emulator: cannot print this type in a message; PyTorch's own load_inline
#include <ostream>
#include <torch/extension.h>

struct Tile {
    int rows, columns;
};
std::ostream& operator<<(std::ostream& out, const Tile& tile) { return out << tile.rows << " x " << tile.columns; }

int64_t prints_tile(torch::Tensor A) {
    TORCH_CHECK(A.dim() == 1, "the tile is ", Tile{16, 8});
    return A.numel();
}
