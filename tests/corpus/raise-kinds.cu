// Each macro raises its own kind of error.
// call: raised(0)
// raises: IndexError: index 0
// call: raised(1)
// raises: TypeError: type 1
// call: raised(2)
// raises: NotImplementedError: not implemented 2
// call: raised(3)
// raises: ValueError: value 3
#include <torch/extension.h>

void raised(int64_t how) {
    TORCH_CHECK_INDEX(how != 0, "index ", how);
    TORCH_CHECK_TYPE(how != 1, "type ", how);
    TORCH_CHECK_NOT_IMPLEMENTED(how != 2, "not implemented ", how);
    TORCH_CHECK_VALUE(how != 3, "value ", how);
}
