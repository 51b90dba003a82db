// What a traced module calls in place of functions of the C library, which are not instrumented
// (course/toolchains/emulator/instrument.py). `place` is the place in the code.
#include <cstdarg>
#include <cstdio>
#include <new>

#include "tracer.h"

namespace tracer {

namespace {

constexpr size_t kPiece = 16;  // bytes of a memcpy that count as one access

template <typename T>
void store(T* to, T value, const void* code) {
    access(reinterpret_cast<uintptr_t>(to), sizeof value, Op::kWrite, true, code);
    *to = value;
}

}  // namespace

extern "C" {

void* emulator_memmove(void* to, const void* from, size_t bytes, const void* code) {
    const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
    if (!in_kernel && bytes) {
        look_at_host(source, bytes, Op::kRead, code);
        look_at_host(target, bytes, Op::kWrite, other_place(code));
    }
    if (!in_kernel || (is_local(target, bytes) && is_local(source, bytes))) return memmove(to, from, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        access(source + done, std::min(kPiece, bytes - done), Op::kRead, false, code);
    }
    const std::string values(static_cast<const char*>(from), bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(target + done, piece, Op::kWrite, false, other_place(code));
        memcpy(static_cast<char*>(to) + done, values.data() + done, piece);
    }
    return to;
}
void* emulator_memset(void* to, int value, size_t bytes, const void* code) {
    if (!in_kernel && bytes) look_at_host(reinterpret_cast<uintptr_t>(to), bytes, Op::kWrite, code);
    if (!in_kernel || is_local(reinterpret_cast<uintptr_t>(to), bytes)) return memset(to, value, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(reinterpret_cast<uintptr_t>(to) + done, piece, Op::kWrite, false, code);
        memset(static_cast<char*>(to) + done, value, piece);
    }
    return to;
}
// The mathematical functions that store a result.
#define STORES(name, type, second)                               \
    type emulator_##name(type x, second* to, const void* code) { \
        second value;                                            \
        const type result = name(x, &value);                     \
        store(to, value, code);                                  \
        return result;                                           \
    }
STORES(frexp, double, int)
STORES(frexpf, float, int)
STORES(modf, double, double)
STORES(modff, float, float)
#undef STORES
#define STORES_BOTH(name, type)                                                \
    void emulator_##name(type x, type* sine, type* cosine, const void* code) { \
        type values[2];                                                        \
        name(x, &values[0], &values[1]);                                       \
        store(sine, values[0], code);                                          \
        store(cosine, values[1], other_place(code));                           \
    }
STORES_BOTH(sincos, double)
STORES_BOTH(sincosf, float)
#undef STORES_BOTH
// The tracer would not see what %n stores. As in CUDA, a kernel gets the number of arguments, which does not
// tell what is in the memory that %s prints.
int emulator_printf(const char* format, ...) {
    int arguments = 0;
    for (const char* at = in_kernel ? std::strchr(format, '%') : nullptr; at; at = std::strchr(at + 1, '%')) {
        at += 1 + std::strspn(at + 1, "0123456789-+ #'*.$hlLjztqIwZ");
        if (*at == 'n') crash(Reason::kPrintfStores);
        if (!*at) break;
        arguments += *at != '%';
    }
    if (replaying) return arguments;
    va_list values;
    va_start(values, format);
    const int printed = vprintf(format, values);
    va_end(values);
    return in_kernel ? arguments : printed;
}
void* emulator_malloc(size_t bytes) {
    void* memory = malloc(bytes);
    if (in_kernel && tracing && memory && bytes) {
        add_to_heap(memory, bytes);
        cannot_repeat();
    }
    return memory;
}
void* emulator__Znwm(size_t bytes) { return in_kernel ? emulator_malloc(bytes) : operator new(bytes); }
void* emulator__Znam(size_t bytes) { return in_kernel ? emulator_malloc(bytes) : operator new[](bytes); }

}  // extern "C"

}  // namespace tracer
