// The C functions by which Python reaches a module; included once, after the last line of the unit that
// binds.
#pragma once
#include "course/binding.h"

extern "C" {
__attribute__((visibility("default"))) int64_t course_function_count() {
    return static_cast<int64_t>(course::module().functions().size());
}
__attribute__((visibility("default"))) void course_function(int64_t index, const char** name,
                                                            const char** doc, const char** arguments) {
    const course::Function& function = course::module().functions()[index];
    *name = function.name.c_str();
    *doc = function.doc.c_str();
    *arguments = function.arguments.c_str();
}
__attribute__((visibility("default"))) int32_t course_invoke(int64_t index, const course::Value* arguments,
                                                             bool fill_empty, course::Result** out,
                                                             course::Value* value, const char** error) {
    auto* result = new course::Result;
    *out = result;
    course::call_options.fill_empty = fill_empty;
    const course::Function& function = course::module().functions()[index];
    const int32_t status =
        course::guarded(*result, [&] { function.invoke(function.address, arguments, *result); });
    result->warnings.swap(course::warnings);
    *value = result->value;
    *error = result->error.c_str();
    return status;
}
// The warnings of a call, in order; null after the last.
__attribute__((visibility("default"))) const char* course_warning(const course::Result* result,
                                                                  int64_t index) {
    return index < static_cast<int64_t>(result->warnings.size()) ? result->warnings[index].c_str() : nullptr;
}
#ifndef COURSE_EMULATOR
// The error of a launch that nobody asked for, which is thereby cleared; null where there is none.
__attribute__((visibility("default"))) const char* course_launch_error() {
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
#endif
__attribute__((visibility("default"))) void course_free(course::Result* result) { delete result; }
}
