// Errors, warnings, and the values in their messages. The texts are PyTorch's, which a wrapper or a script
// may print or compare.
#include <cstdio>

#include "course/binding.h"
#include "torch/types.h"

namespace c10 {

Error::Error(std::string message) : message_(std::move(message)) {}
const char* Error::what() const noexcept { return message_.c_str(); }

}  // namespace c10

namespace course {

void append(std::string& out, const char* text) { out += text; }
void append(std::string& out, const std::string& text) { out += text; }
void append(std::string& out, char character) { out += character; }
void append(std::string& out, signed char character) { out += static_cast<char>(character); }
void append(std::string& out, unsigned char character) { out += static_cast<char>(character); }
void append(std::string& out, int value) { out += std::to_string(value); }
void append(std::string& out, unsigned int value) { out += std::to_string(value); }
void append(std::string& out, long value) { out += std::to_string(value); }
void append(std::string& out, unsigned long value) { out += std::to_string(value); }
void append(std::string& out, long long value) { out += std::to_string(value); }
void append(std::string& out, unsigned long long value) { out += std::to_string(value); }
void append(std::string& out, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", value);
    out += digits;
}
void append(std::string& out, long double value) { append(out, static_cast<double>(value)); }

Part::Part(const char* text)
    : value_(text),
      append_([](std::string& out, const void* value) { out += static_cast<const char*>(value); }) {}

std::string message(std::initializer_list<Part> parts) {
    std::string out;
    for (const Part& part : parts) part.append_to(out);
    return out;
}

template <class Exception>
void fail(const char* condition, std::initializer_list<Part> parts) {
    if (parts.size() > 0) throw Exception(message(parts));
    throw Exception(message({"Expected ", condition,
                             " to be true, but got false.  (Could this error message be improved?  If so, "
                             "please report an enhancement request to PyTorch.)"}));
}
template void fail<c10::Error>(const char*, std::initializer_list<Part>);
template void fail<c10::IndexError>(const char*, std::initializer_list<Part>);
template void fail<c10::ValueError>(const char*, std::initializer_list<Part>);
template void fail<c10::TypeError>(const char*, std::initializer_list<Part>);
template void fail<c10::NotImplementedError>(const char*, std::initializer_list<Part>);

void warn(std::initializer_list<Part> parts) { module().warnings().push_back(message(parts)); }

void check(int32_t failed, const char* what) { TORCH_CHECK(!failed, "PyTorch refused ", what); }

}  // namespace course
