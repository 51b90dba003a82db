// TORCH_LIBRARY: operators, which Python registers after it has loaded the module
// (course/toolchains/operators.py).
#pragma once
#ifndef COURSE_WITHOUT_BINDINGS
#include "course/binding.h"

namespace at {
enum class Tag {};
}

namespace torch {
// Each function is bound under the name "KEY NAMESPACE::NAME", where KEY is what it is for: a dispatch key,
// or "all", or "schema" if there is no function. After NAME is the schema, if "all" has none the texts of the
// arguments' types and, after ">", of the result's.
class Library {
  public:
    Library(const char* space, const char* key) : space_(space), key_(key) {}
    Library& def(const std::string& schema, const std::vector<at::Tag>& = {}) & {
        course::module().add({named("schema", schema), "", "", nullptr, nullptr});
        return *this;
    }
    template <class Function>
    Library& def(const std::string& name_or_schema, Function&& function, const std::vector<at::Tag>& = {}) & {
        const bool has_schema = name_or_schema.find('(') != std::string::npos;
        return bind("all", name_or_schema + (has_schema ? "" : texts(+function)), +function);
    }
    template <class Function>
    Library& impl(const std::string& name, Function&& function) & {
        return bind(key_, name, +function);
    }
    template <class Function>
    Library& impl(const std::string& name, at::DeviceType device, Function&& function) & {
        return bind(device == at::kCUDA ? "CUDA" : "CPU", name, +function);
    }

  private:
    std::string named(const std::string& key, const std::string& name) const {
        return key + " " + space_ + "::" + name;
    }
    template <class R, class... A>
    static std::string texts(R (*)(A...)) {
        std::string text = " ";
        ((text += course::Argument<std::decay_t<A>>::text() + " "), ...);
        if constexpr (std::is_void_v<R>) return text + "> ()";
        return text + "> " +
               course::Argument<std::conditional_t<std::is_void_v<R>, int, std::decay_t<R>>>::text();
    }
    template <class Function>
    Library& bind(const std::string& key, const std::string& name, Function* function) {
        course::module().bind(named(key, name), function, "");
        return *this;
    }
    std::string space_, key_;
};
}  // namespace torch

#define COURSE_LIBRARY(function, space, key, variable) \
    static void function(::torch::Library&);           \
    static const bool function##_bound = [] {          \
        ::torch::Library library(space, key);          \
        function(library);                             \
        return true;                                   \
    }();                                               \
    static void function([[maybe_unused]] ::torch::Library& variable)
#define TORCH_LIBRARY(name, variable) COURSE_LIBRARY(course_library_##name, #name, "all", variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) COURSE_LIBRARY(course_fragment_##name, #name, "all", variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) \
    COURSE_LIBRARY(course_implementation_##name##_##key, #name, #key, variable)
#define TORCH_FN(function) &function
#endif
