// TORCH_CHECK and similar macros: c10::Error with a message that is put together from the macro's arguments.
//
// COURSE_WITHOUT_STRINGS: this unit uses no string, no vector and no class of exceptions. Their headers take
// a third of nvcc's time for a kernel.
#pragma once
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <type_traits>
#include <utility>
#ifdef COURSE_WITHOUT_STRINGS
#include <cerrno>
#include <clocale>
#include <iosfwd>  // declares std::string
#else
#include <stdexcept>
#include <string>
#include <vector>
#endif

namespace c10 {

#ifdef COURSE_WITHOUT_STRINGS
class Error;
class IndexError;
class ValueError;
class TypeError;
class NotImplementedError;
#else
class Error : public std::exception {
  public:
    explicit Error(std::string message);
    const char* what() const noexcept override;
    const char* what_without_backtrace() const noexcept { return what(); }
    virtual int32_t status() const { return 1; }  // for which native.py raises a Python exception

  private:
    std::string message_;
};
#define COURSE_ERROR(name, number)                         \
    class name : public Error {                            \
        using Error::Error;                                \
        int32_t status() const override { return number; } \
    };
COURSE_ERROR(IndexError, 2)
COURSE_ERROR(ValueError, 3)
COURSE_ERROR(TypeError, 4)
COURSE_ERROR(NotImplementedError, 5)
#undef COURSE_ERROR
#endif

}  // namespace c10

namespace course {

// What `operator<<` on a stream would print, without the cost of compiling <sstream>.
void append(std::string& out, const char* text);
void append(std::string& out, const std::string& text);
void append(std::string& out, char character);
void append(std::string& out, signed char character);
void append(std::string& out, unsigned char character);
void append(std::string& out, int value);
void append(std::string& out, unsigned int value);
void append(std::string& out, long value);
void append(std::string& out, unsigned long value);
void append(std::string& out, long long value);
void append(std::string& out, unsigned long long value);
void append(std::string& out, double value);
void append(std::string& out, long double value);
template <class T>
auto append(std::string& out, const T& value) -> decltype(value.append_to(out)) {
    return value.append_to(out);
}

template <class T, class = void>
constexpr bool kPrinted = false;
template <class T>
constexpr bool
    kPrinted<T, std::void_t<decltype(append(std::declval<std::string&>(), std::declval<const T&>()))>> = true;

// A part of a message, of any type, until the message is put together.
class Part {
  public:
    Part(const char* text);
    template <class T>
    Part(const T& value)
        : value_(const_cast<const void*>(static_cast<const volatile void*>(&value))),
          append_([](std::string& out, const void* value) {
              static_assert(kPrinted<T>,
                            "the course's shim for torch's headers cannot print this type in a message; "
                            "PyTorch's own load_inline prints what a std::ostream does");
              if constexpr (kPrinted<T>) append(out, *static_cast<const T*>(value));
          }) {}
    void append_to(std::string& out) const { append_(out, value_); }

  private:
    const void* value_;
    void (*append_)(std::string& out, const void* value);
};

std::string message(std::initializer_list<Part> parts);

// Throws one of c10's errors. Without `parts`, the message is about the condition.
template <class Exception>
[[noreturn]] void fail(const char* condition, std::initializer_list<Part> parts);

void warn(std::initializer_list<Part> parts);

}  // namespace course

#ifndef COURSE_WITHOUT_STRINGS
namespace c10 {
template <class... Parts>
std::string str(const Parts&... parts) {
    return course::message({parts...});
}
}  // namespace c10
#endif

// A list that, like the arguments of a call, may not end with a comma.
#define COURSE_PARTS(...) \
    { __VA_ARGS__ __VA_OPT__(, "") }
#define COURSE_CHECK(error, cond, ...)                           \
    if (!(cond)) {                                               \
        ::course::fail<error>(#cond, COURSE_PARTS(__VA_ARGS__)); \
    }
#define TORCH_CHECK(cond, ...) COURSE_CHECK(::c10::Error, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) COURSE_CHECK(::c10::IndexError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...) COURSE_CHECK(::c10::ValueError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) COURSE_CHECK(::c10::TypeError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) \
    COURSE_CHECK(::c10::NotImplementedError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(cond, ...) TORCH_CHECK(cond __VA_OPT__(, ) __VA_ARGS__)
#define AT_ASSERT(cond) TORCH_CHECK(cond)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond __VA_OPT__(, ) __VA_ARGS__)
#define AT_ERROR(...) ::course::fail<::c10::Error>("", COURSE_PARTS(__VA_ARGS__))
#define TORCH_WARN(...) ::course::warn(COURSE_PARTS(__VA_ARGS__))

#define COURSE_CHECK_OPERATOR(a, op, b) \
    TORCH_CHECK((a)op(b), "Check failed: " #a " " #op " " #b " (", (a), " vs. ", (b), "). ")
#define TORCH_CHECK_EQ(a, b) COURSE_CHECK_OPERATOR(a, ==, b)
#define TORCH_CHECK_NE(a, b) COURSE_CHECK_OPERATOR(a, !=, b)
#define TORCH_CHECK_LE(a, b) COURSE_CHECK_OPERATOR(a, <=, b)
#define TORCH_CHECK_LT(a, b) COURSE_CHECK_OPERATOR(a, <, b)
#define TORCH_CHECK_GE(a, b) COURSE_CHECK_OPERATOR(a, >=, b)
#define TORCH_CHECK_GT(a, b) COURSE_CHECK_OPERATOR(a, >, b)
