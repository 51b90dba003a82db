// AT_DISPATCH_*: runs a lambda in which `scalar_t` is a tensor's element type.
#pragma once
#include "c10/core/ScalarType.h"

#define AT_DISPATCH_CASE(enum_type, ...)                                            \
    case enum_type: {                                                               \
        using scalar_t [[maybe_unused]] = typename ::c10::CppType<enum_type>::type; \
        return __VA_ARGS__();                                                       \
    }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                         \
    [&] {                                                                           \
        const ::c10::ScalarType course_type = TYPE;                                 \
        switch (course_type) {                                                      \
            __VA_ARGS__                                                             \
            default:                                                                \
                ::course::fail<::c10::NotImplementedError>(                         \
                    "", {'"', NAME, "\" not implemented for '", course_type, "'"}); \
        }                                                                           \
    }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)      \
    AT_DISPATCH_CASE(::c10::kDouble, __VA_ARGS__) \
    AT_DISPATCH_CASE(::c10::kFloat, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)      \
    AT_DISPATCH_CASE(::c10::kHalf, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)    \
    AT_DISPATCH_CASE(::c10::kByte, __VA_ARGS__) \
    AT_DISPATCH_CASE(::c10::kChar, __VA_ARGS__) \
    AT_DISPATCH_CASE(::c10::kInt, __VA_ARGS__)  \
    AT_DISPATCH_CASE(::c10::kLong, __VA_ARGS__) \
    AT_DISPATCH_CASE(::c10::kShort, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES(...)          \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(EXTRA, ...) \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)        \
    AT_DISPATCH_CASE(EXTRA, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(EXTRA, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND(EXTRA, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(EXTRA1, EXTRA2, ...) \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND(EXTRA1, __VA_ARGS__)      \
    AT_DISPATCH_CASE(EXTRA2, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(EXTRA1, EXTRA2, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(EXTRA1, EXTRA2, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND(EXTRA, ...) \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)        \
    AT_DISPATCH_CASE(EXTRA, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(EXTRA, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND(EXTRA, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(EXTRA1, EXTRA2, ...) \
    AT_DISPATCH_CASE_ALL_TYPES_AND(EXTRA1, __VA_ARGS__)      \
    AT_DISPATCH_CASE(EXTRA2, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(EXTRA1, EXTRA2, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND2(EXTRA1, EXTRA2, __VA_ARGS__))
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) \
    AT_DISPATCH_CASE(::c10::kHalf, __VA_ARGS__)      \
    AT_DISPATCH_CASE(::c10::kBFloat16, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
