// The C++ library's exceptions.
// call: thrown(0)
// raises: RuntimeError: runtime
// call: thrown(1)
// raises: RuntimeError: invalid
// call: thrown(2)
// raises: RuntimeError: vector
// call: thrown(3)
// raises: RuntimeError: Caught an unknown exception!
// call: thrown(4)
// raises: RuntimeError: of its own
#include <torch/extension.h>

struct OfItsOwn : std::exception {
    const char* what() const noexcept override { return "of its own"; }
};

void thrown(int how) {
    if (how == 0) throw std::runtime_error("runtime");
    if (how == 1) throw std::invalid_argument("invalid");
    if (how == 2) std::vector<int>(1).at(how);
    if (how == 3) throw how;
    throw OfItsOwn();
}
