// PYBIND11_MODULE, as far as binding plain functions goes.
#pragma once
#ifndef COURSE_WITHOUT_BINDINGS
#include "course/binding.h"

namespace pybind11 {
using module_ = course::Module;
}
namespace py = pybind11;

namespace torch {
// Each call holds the interpreter's lock and translates exceptions anyway.
constexpr auto wrap_pybind_function = [](auto* function) { return function; };
constexpr auto wrap_pybind_function_no_gil = wrap_pybind_function;
}  // namespace torch

#define PYBIND11_MODULE(name, variable)                                          \
    COURSE_DEFINE_MODULE(name)                                                   \
    static void course_bind(::course::Module& variable);                         \
    static const bool course_bound = (::course::bind_module(course_bind), true); \
    static void course_bind([[maybe_unused]] ::course::Module& variable)
#endif
