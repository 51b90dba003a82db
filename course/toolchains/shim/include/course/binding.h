// How Python reaches a bound function: arguments and results as plain values, types as a short text. The
// template on a function pointer's type does what pybind11 does, in a hundredth of its compile time.
//
// A type's text: T tensor, b bool, i integer (with its size in bytes and sign: i4, i8, u4, ...), d floating,
// s string, D at::ScalarType, S at::Scalar, ?X optional X, [X list of X, (XYZ) tuple of X, Y and Z, which are
// not tuples. A result's type needs no text, because a result comes as values.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ATen/Functions.h"

namespace course {

enum class Kind : int32_t { kNone, kBool, kInteger, kFloating, kTensor, kString, kList, kTuple };

extern "C" {
// Mirrored by `Value` in course/toolchains/native.py.
struct CourseValue {
    int32_t kind;
    int32_t on_host;  // for a tensor
    union {
        int64_t integer;
        double floating;
        void* pointer;  // a tensor's handle (owned), a string's characters, a list's elements
    };
    int64_t length;  // for a string, list or tuple
};
}
using Value = CourseValue;

Value make_value(Kind kind);
inline Kind kind_of(const Value& value) { return static_cast<Kind>(value.kind); }

// One C++ type as an argument: its text, and its value from a Value. Python has checked the value against the
// text.
template <class T, class = void>
struct Argument {
    static_assert(kNever<T>,
                  "the course's shim for torch's headers cannot pass this argument type from Python; "
                  "PyTorch's own load_inline can");
    static std::string text();  // declared so that no error follows from this one
    static T from(const Value& value);
};
template <>
struct Argument<at::Tensor> {
    static std::string text() { return "T"; }
    static at::Tensor from(const Value& value);
};
template <>
struct Argument<bool> {
    static std::string text() { return "b"; }
    static bool from(const Value& value) { return value.integer != 0; }
};
template <class T>
struct Argument<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    static std::string text() { return (std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T)); }
    static T from(const Value& value) { return static_cast<T>(value.integer); }
};
template <class T>
struct Argument<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static std::string text() { return "d"; }
    static T from(const Value& value) { return static_cast<T>(value.floating); }
};
template <>
struct Argument<std::string> {
    static std::string text() { return "s"; }
    static std::string from(const Value& value) {
        return {static_cast<const char*>(value.pointer), static_cast<size_t>(value.length)};
    }
};
template <>
struct Argument<at::ScalarType> {
    static std::string text() { return "D"; }
    static at::ScalarType from(const Value& value) { return static_cast<at::ScalarType>(value.integer); }
};
template <>
struct Argument<at::Scalar> {
    static std::string text() { return "S"; }
    static at::Scalar from(const Value& value) {
        if (kind_of(value) == Kind::kFloating) return value.floating;
        return kind_of(value) == Kind::kBool ? at::Scalar(value.integer != 0) : at::Scalar(value.integer);
    }
};
template <class T>
struct Argument<std::optional<T>> {
    static std::string text() { return "?" + Argument<T>::text(); }
    static std::optional<T> from(const Value& value) {
        if (kind_of(value) == Kind::kNone) return std::nullopt;
        return Argument<T>::from(value);
    }
};
template <class T>
struct Argument<std::vector<T>> {
    static std::string text() { return "[" + Argument<T>::text(); }
    static std::vector<T> from(const Value& value) {
        std::vector<T> list;
        const Value* elements = static_cast<const Value*>(value.pointer);
        for (int64_t i = 0; i < value.length; ++i) list.push_back(Argument<T>::from(elements[i]));
        return list;
    }
};

template <class... T>
struct Argument<std::tuple<T...>> {
    static std::string text() { return "(" + (Argument<T>::text() + ... + ")"); }
    static std::tuple<T...> from(const Value& value) {
        const Value* element = static_cast<const Value*>(value.pointer);
        return {Argument<T>::from(*element++)...};
    }
};

template <>
struct Argument<at::IntArrayRef> : Argument<std::vector<int64_t>> {};

// Thrown if a call through a pointer leads to code that the answer may not call (guard/indirect_calls.cpp).
// Python has the sentence, and `what` is the name of the called function.
struct RefusedCall : std::runtime_error {
    std::string library;  // the name of its file; empty if the code is in no library
    RefusedCall(const char* called, const char* library) : std::runtime_error(called), library(library) {}
};

// Results, kept until Python has read them.
struct Result {
    Value value = make_value(Kind::kNone);
    std::vector<std::vector<Value>*> lists;
    std::vector<std::string*> texts;
    std::string error;
    std::vector<std::string> warnings;

    ~Result();
    Value put(const at::Tensor& tensor);
    Value put(bool flag);
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Value put(T number) {
        Value value = make_value(Kind::kInteger);
        value.integer = static_cast<int64_t>(number);
        return value;
    }
    template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
    Value put(T number) {
        Value value = make_value(Kind::kFloating);
        value.floating = number;
        return value;
    }
    Value put(const std::string& text);
    Value put(const at::Scalar& number) {
        if (number.isBoolean()) return put(number.to<bool>());
        return number.isFloatingPoint() ? put(number.toDouble()) : put(number.toLong());
    }
    template <class T>
    Value put(const std::optional<T>& optional) {
        return optional ? put(*optional) : make_value(Kind::kNone);
    }
    template <class T>
    Value put(const std::vector<T>& elements) {
        std::vector<Value> values;
        for (const auto& element : elements) values.push_back(put(element));
        return put_list(Kind::kList, std::move(values));
    }
    template <class T, size_t N>
    Value put(const std::array<T, N>& elements) {
        return put(std::vector<T>(elements.begin(), elements.end()));
    }
    template <class... T>
    Value put(const std::tuple<T...>& elements) {
        return std::apply([&](const T&... each) { return put_list(Kind::kTuple, {put(each)...}); }, elements);
    }
    template <class A, class B>
    Value put(const std::pair<A, B>& pair) {
        return put_list(Kind::kTuple, {put(pair.first), put(pair.second)});
    }

  private:
    Value put_list(Kind kind, std::vector<Value> values);
};

struct Function {
    std::string name;
    std::string doc;
    std::string arguments;  // the texts of the arguments' types, with a blank after each
    void (*address)();
    void (*invoke)(void (*address)(), const Value* arguments, Result& result);
};

template <class R, class... A, size_t... I>
void invoke(void (*address)(), const Value* arguments, Result& result, std::index_sequence<I...>) {
    auto* function = reinterpret_cast<R (*)(A...)>(address);
    std::tuple<decltype(Argument<std::decay_t<A>>::from(arguments[I]))...> values{
        Argument<std::decay_t<A>>::from(arguments[I])...};
    if constexpr (std::is_void_v<R>) {
        function(static_cast<A>(std::get<I>(values))...);
    } else {
        result.value = result.put(function(static_cast<A>(std::get<I>(values))...));
    }
}

// The functions of this library, in the order they were bound.
class Module {
  public:
    template <class R, class... A>
    Module& def(const char* name, R (*function)(A...), const char* doc = "") {
        static_assert((!std::is_same_v<std::decay_t<A>, at::Scalar> && ...),
                      "PyTorch passes no at::Scalar from Python: take a double or an int64_t");
        return bind(name, function, doc);
    }
    template <class R, class... A>
    Module& bind(const std::string& name, R (*function)(A...), const std::string& doc) {
        std::string texts;
        ((texts += Argument<std::decay_t<A>>::text() + " "), ...);
        return add({name, doc, texts, reinterpret_cast<void (*)()>(function),
                    [](void (*address)(), const Value* arguments, Result& result) {
                        invoke<R, A...>(address, arguments, result, std::index_sequence_for<A...>());
                    }});
    }
    Module& add(Function function);
    std::string& doc() { return doc_; }
    std::vector<std::string>& warnings() { return warnings_; }
    const std::vector<Function>& functions() const { return functions_; }

  private:
    std::vector<Function> functions_;
    std::string doc_;
    std::vector<std::string> warnings_;  // of the current call; Python issues them after it
};

Module& module();
// The symbol by which Python finds a module. If it is defined twice or has another name, this fails as in
// PyTorch.
#define TORCH_EXTENSION_NAME module
#define COURSE_DEFINE_MODULE(name) COURSE_DEFINE_MODULE_(name)
#define COURSE_DEFINE_MODULE_(name) \
    extern "C" __attribute__((visibility("default"))) void PyInit_##name() {}

inline void bind_module(void (*bind)(Module&)) { bind(module()); }

}  // namespace course
