// Binding: the functions of a module, their arguments and results, and the C functions by which Python calls
// them.
#include "course/binding.h"

#include "course/device.h"
#include "torch/types.h"

#ifdef COURSE_EMULATOR
#include "emulator.h"

// A wrapper may ask for an environment variable such as DEBUG. As in the autograder's sandbox, it finds no
// variables, since the existing variables would show whether a call is traced.
extern "C" __attribute__((visibility("hidden"))) char* getenv(const char*) noexcept { return nullptr; }
#endif

namespace course {

CallOptions call_options;

Value make_value(Kind kind) {
    Value value{};
    value.kind = static_cast<int32_t>(kind);
    return value;
}

at::Tensor Argument<at::Tensor>::from(const Value& value) {
    AtenTensorHandle handle = nullptr;
    check(aoti_torch_new_tensor_handle(static_cast<AtenTensorHandle>(value.pointer), &handle), "the tensor");
    return at::Tensor::take(handle, value.on_host);
}

Result::~Result() {
    for (auto* list : lists) delete list;
    for (auto* text : texts) delete text;
}
Value Result::put(const at::Tensor& tensor) {
    Value value = make_value(Kind::kNone);
    if (!tensor.defined()) return value;
    AtenTensorHandle handle = nullptr;
    check(aoti_torch_new_tensor_handle(tensor.handle(), &handle), "the result");
    hold(handle, 1);
    value = make_value(Kind::kTensor);
    value.pointer = handle;
    value.on_host = tensor.on_host();
    return value;
}
Value Result::put(bool flag) {
    Value value = make_value(Kind::kBool);
    value.integer = flag;
    return value;
}
Value Result::put(const std::string& text) {
    texts.push_back(new std::string(text));
    Value value = make_value(Kind::kString);
    value.pointer = texts.back()->data();
    value.length = static_cast<int64_t>(text.size());
    return value;
}
Value Result::put_list(Kind kind, std::vector<Value> values) {
    lists.push_back(new std::vector<Value>(std::move(values)));
    Value value = make_value(kind);
    value.pointer = lists.back()->data();
    value.length = static_cast<int64_t>(lists.back()->size());
    return value;
}

Module& Module::add(Function function) {
    functions_.push_back(std::move(function));
    return *this;
}
Module& module() {
    static Module bound;
    return bound;
}

namespace {

// The Python exception for each C++ exception; the names are in native.py.
template <class Body>
int32_t guarded(Result& result, Body body) {
    module().warnings().clear();
    try {
        body();
        return 0;
    } catch (const c10::Error& error) {
        result.error = error.what();
        return error.status();
    } catch (const RefusedCall& error) {
        result.error = error.what() + ("\n" + error.library);
        return 7;
#ifdef COURSE_EMULATOR
    } catch (const emulator::Stopped& error) {
        result.error = error.what();
        return 6;
#endif
    } catch (const std::exception& error) {
        result.error = error.what();
    } catch (...) {
        result.error = "Caught an unknown exception!";
    }
    return 1;
}

}  // namespace

}  // namespace course

// The C functions by which Python reaches a module.
#pragma GCC visibility push(default)
extern "C" {
int64_t course_function_count() { return static_cast<int64_t>(course::module().functions().size()); }
void course_function(int64_t index, const char** name, const char** doc, const char** arguments) {
    const course::Function& function = course::module().functions()[index];
    *name = function.name.c_str();
    *doc = function.doc.c_str();
    *arguments = function.arguments.c_str();
}
int32_t course_invoke(int64_t index, const course::Value* arguments, bool fill_empty, course::Result** out,
                      course::Value* value, const char** error) {
    auto* result = new course::Result;
    *out = result;
    course::call_options.fill_empty = fill_empty;
    const course::Function& function = course::module().functions()[index];
    const int32_t status =
        course::guarded(*result, [&] { function.invoke(function.address, arguments, *result); });
    result->warnings.swap(course::module().warnings());
    *value = result->value;
    *error = result->error.c_str();
    return status;
}
// The warnings of a call, in order; null after the last.
const char* course_warning(const course::Result* result, int64_t index) {
    return index < static_cast<int64_t>(result->warnings.size()) ? result->warnings[index].c_str() : nullptr;
}
#ifndef COURSE_EMULATOR
// The error of a launch that the wrapper did not check, which is then cleared; null if there is none.
const char* course_launch_error() {
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
#endif
void course_free(course::Result* result) { delete result; }
}
#pragma GCC visibility pop
