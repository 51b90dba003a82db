// g++ expands these built-in functions in place, where their accesses to memory are not instrumented. The
// headers of the C++ library use them.
#pragma once
#include <string.h>
#define __builtin_memchr memchr
#define __builtin_memcmp memcmp
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin_strlen strlen
#undef __has_feature  // in g++ 14 and newer, this shows that a source is traced
#undef __has_extension
