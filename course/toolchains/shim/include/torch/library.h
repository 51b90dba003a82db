// TORCH_LIBRARY as PyTorch's torch/library.h declares it, so that a call that does not compile there does not
// compile here either. Nothing is registered: a call that would compile is refused with a sentence that says
// so.
#pragma once
#include <vector>

namespace at {
enum class Tag {};
}

namespace torch {
class Library {
  public:
    template <class Schema>
    Library& def(Schema&&, const std::vector<at::Tag>& = {}) & {
        return refused<Schema>();
    }
    template <class NameOrSchema, class Function>
    Library& def(NameOrSchema&&, Function&&, const std::vector<at::Tag>& = {}) & {
        return refused<Function>();
    }
    template <class Name, class Function>
    Library& impl(Name&&, Function&&) & {
        return refused<Function>();
    }

  private:
    template <class T>
    Library& refused() {
        static_assert(!sizeof(T*),
                      "no-operators: the course's small shim for torch's headers registers no operators "
                      "(TORCH_LIBRARY); PyTorch's own load_inline builds with the real ones");
        return *this;
    }
};
}  // namespace torch

#define TORCH_LIBRARY(name, variable) \
    [[maybe_unused]] static void course_library_##name(::torch::Library& variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) \
    [[maybe_unused]] static void course_fragment_##name(::torch::Library& variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) \
    [[maybe_unused]] static void course_implementation_##name##_##key(::torch::Library& variable)
