// TORCH_CHECK and its kind: c10::Error with a message put together from the macro's arguments.
#pragma once
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {

class Error : public std::exception {
  public:
    explicit Error(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }
    const char* what_without_backtrace() const noexcept { return message_.c_str(); }

  private:
    std::string message_;
};
class IndexError : public Error {
    using Error::Error;
};
class ValueError : public Error {
    using Error::Error;
};
class TypeError : public Error {
    using Error::Error;
};
class NotImplementedError : public Error {
    using Error::Error;
};

}  // namespace c10

namespace course {

// What `operator<<` on a stream would print, without the cost of compiling <sstream>.
inline void append(std::string& out, const char* text) { out += text; }
inline void append(std::string& out, const std::string& text) { out += text; }
inline void append(std::string& out, char character) { out += character; }
inline void append(std::string& out, signed char character) { out += static_cast<char>(character); }
inline void append(std::string& out, unsigned char character) { out += static_cast<char>(character); }
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
void append(std::string& out, T value) {
    out += std::to_string(value);
}
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
void append(std::string& out, T value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", static_cast<double>(value));
    out += digits;
}
template <class T>
auto append(std::string& out, const T& value) -> decltype(value.append_to(out)) {
    return value.append_to(out);
}

template <class... Parts>
std::string message(const Parts&... parts) {
    std::string out;
    (append(out, parts), ...);
    return out;
}

template <class Exception, class... Parts>
[[noreturn]] void fail(const char* condition, const Parts&... parts) {
    if constexpr (sizeof...(parts) == 0) {
        throw Exception(message("Expected ", condition,
                                " to be true, but got false.  (Could this error message be improved?  If so, "
                                "please report an enhancement request to PyTorch.)"));
    } else {
        throw Exception(message(parts...));
    }
}

// Those of the call that is under way; Python gives them when it is over.
inline std::vector<std::string> warnings;

}  // namespace course

namespace c10 {
template <class... Parts>
std::string str(const Parts&... parts) {
    return course::message(parts...);
}
}  // namespace c10

#define COURSE_CHECK(error, cond, ...)                           \
    if (!(cond)) {                                               \
        ::course::fail<error>(#cond __VA_OPT__(, ) __VA_ARGS__); \
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
#define AT_ERROR(...) ::course::fail<::c10::Error>("" __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN(...) ::course::warnings.push_back(::course::message(__VA_ARGS__))

#define COURSE_CHECK_OPERATOR(a, op, b) \
    TORCH_CHECK((a)op(b), "Check failed: " #a " " #op " " #b " (", (a), " vs. ", (b), "). ")
#define TORCH_CHECK_EQ(a, b) COURSE_CHECK_OPERATOR(a, ==, b)
#define TORCH_CHECK_NE(a, b) COURSE_CHECK_OPERATOR(a, !=, b)
#define TORCH_CHECK_LE(a, b) COURSE_CHECK_OPERATOR(a, <=, b)
#define TORCH_CHECK_LT(a, b) COURSE_CHECK_OPERATOR(a, <, b)
#define TORCH_CHECK_GE(a, b) COURSE_CHECK_OPERATOR(a, >=, b)
#define TORCH_CHECK_GT(a, b) COURSE_CHECK_OPERATOR(a, >, b)
