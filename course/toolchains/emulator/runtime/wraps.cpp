// What a traced module calls in place of functions of the C library (ld's --wrap), which are not
// instrumented.
#define EMULATOR_RUNTIME
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "tracer.h"

namespace tracer {

using emulator::in_kernel;

namespace {

constexpr size_t kPiece = 16;  // bytes of a memcpy that count as one access

template <typename T>
void store(T* to, T value, const void* code) {
    access(reinterpret_cast<uintptr_t>(to), sizeof value, Op::kWrite, true, code);
    *to = value;
}

}  // namespace

extern "C" {

void* __wrap_memmove(void* to, const void* from, size_t bytes) {
    const auto* code = static_cast<const char*>(__builtin_return_address(0));
    const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
    if (!in_kernel && bytes) {
        look_at_host(source, bytes, Op::kRead, code);
        look_at_host(target, bytes, Op::kWrite, code - 1);
    }
    if (!in_kernel || (is_local(target) && is_local(source))) return memmove(to, from, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        access(source + done, std::min(kPiece, bytes - done), Op::kRead, false, code);
    }
    const std::string values(static_cast<const char*>(from), bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(target + done, piece, Op::kWrite, false, code - 1);  // another site, in the same line
        memcpy(static_cast<char*>(to) + done, values.data() + done, piece);
    }
    return to;
}
#define SAME(name, as, ...) void* __wrap_##name(__VA_ARGS__) __attribute__((alias("__wrap_" as)))
SAME(memcpy, "memmove", void*, const void*, size_t);
SAME(__memcpy_chk, "memmove", void*, const void*,
     size_t);  // a fourth argument, the size of the target, is ignored
SAME(__memmove_chk, "memmove", void*, const void*, size_t);
void* __wrap_memset(void* to, int value, size_t bytes) {
    if (!in_kernel && bytes)
        look_at_host(reinterpret_cast<uintptr_t>(to), bytes, Op::kWrite, __builtin_return_address(0));
    if (!in_kernel || is_local(reinterpret_cast<uintptr_t>(to))) return memset(to, value, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(reinterpret_cast<uintptr_t>(to) + done, piece, Op::kWrite, false, __builtin_return_address(0));
        memset(static_cast<char*>(to) + done, value, piece);
    }
    return to;
}
SAME(__memset_chk, "memset", void*, int, size_t);
#undef SAME
// The mathematical functions that store a result.
#define STORES(name, type, second)                     \
    type __wrap_##name(type x, second* to) {           \
        second value;                                  \
        const type result = name(x, &value);           \
        store(to, value, __builtin_return_address(0)); \
        return result;                                 \
    }
STORES(frexp, double, int)
STORES(frexpf, float, int)
STORES(modf, double, double)
STORES(modff, float, float)
#undef STORES
#define STORES_BOTH(name, type)                                                   \
    void __wrap_##name(type x, type* sine, type* cosine) {                        \
        const auto* code = static_cast<const char*>(__builtin_return_address(0)); \
        type values[2];                                                           \
        name(x, &values[0], &values[1]);                                          \
        store(sine, values[0], code);                                             \
        store(cosine, values[1], code - 1);                                       \
    }
STORES_BOTH(sincos, double)
STORES_BOTH(sincosf, float)
#undef STORES_BOTH
// The tracer would not see what %n stores.
int __wrap_printf(const char* format, ...) {
    if (replaying) return 0;
    for (const char* at = in_kernel ? std::strchr(format, '%') : nullptr; at; at = std::strchr(at + 1, '%')) {
        at += 1 + std::strspn(at + 1, "0123456789-+ #'*.$hlLjztqIwZ");
        if (*at == 'n') emulator::crash(emulator::Reason::kPrintfStores);
        if (!*at) break;
    }
    va_list values;
    va_start(values, format);
    const int printed = vprintf(format, values);
    va_end(values);
    return printed;
}
void* __wrap_malloc(size_t bytes) {
    void* memory = malloc(bytes);
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    if (in_kernel && tracing && memory) {
        keep(begin, begin + bytes);
        cannot_repeat();
    }
    return memory;
}
void* __wrap__Znwm(size_t bytes) { return in_kernel ? __wrap_malloc(bytes) : operator new(bytes); }
void* __wrap__Znam(size_t bytes) { return in_kernel ? __wrap_malloc(bytes) : operator new[](bytes); }

}  // extern "C"

}  // namespace tracer
