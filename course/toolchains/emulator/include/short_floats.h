// A float of 16 bits and the pair of two, with their functions: once for __half, once for __nv_bfloat16,
// whose headers define the names. Functions are computed in float or double, and their results are rounded
// once, as by the hardware.
#define EMULATOR_JOIN(before, name, after) before##name##after
#define EMULATOR_JOIN_NAME(before, name, after) EMULATOR_JOIN(before, name, after)
#define EMULATOR_NAMED(before, after) EMULATOR_JOIN_NAME(before, EMULATOR_NAME, after)

struct alignas(2) EMULATOR_SHORT {
    unsigned short bits;
    EMULATOR_SHORT() = default;
#ifdef EMULATOR_CONVERTS
    EMULATOR_SHORT(float value) : EMULATOR_SHORT(of(value)) {}
    EMULATOR_SHORT(double value) : EMULATOR_SHORT(of(emulator::to_odd(value))) {}
    EMULATOR_SHORT(int value) : EMULATOR_SHORT(static_cast<double>(value)) {}
    EMULATOR_SHORT(unsigned int value) : EMULATOR_SHORT(static_cast<double>(value)) {}
    operator float() const { return value(); }
#endif
    static EMULATOR_SHORT of(float value) {
        EMULATOR_SHORT made;
        made.bits = course::EMULATOR_NAMED(float_to_, )(value);
        return made;
    }
    float value() const { return course::EMULATOR_NAMED(, _to_float)(bits); }
};
struct alignas(4) EMULATOR_PAIR {
    EMULATOR_SHORT x, y;
    EMULATOR_PAIR() = default;
    EMULATOR_PAIR(EMULATOR_SHORT x, EMULATOR_SHORT y) : x(x), y(y) {}
};

inline EMULATOR_SHORT EMULATOR_NAMED(__float2, )(float x) { return EMULATOR_SHORT::of(x); }
inline EMULATOR_SHORT EMULATOR_NAMED(__float2, _rn)(float x) { return EMULATOR_SHORT::of(x); }
inline EMULATOR_SHORT EMULATOR_NAMED(__double2, )(double x) {
    return EMULATOR_SHORT::of(emulator::to_odd(x));
}
inline float EMULATOR_NAMED(__, 2float)(EMULATOR_SHORT x) { return x.value(); }
#define EMULATOR_INTEGER(name, type)                                         \
    inline EMULATOR_SHORT EMULATOR_NAMED(__##name##2, _rn)(type x) {         \
        return EMULATOR_SHORT::of(emulator::to_odd(static_cast<double>(x))); \
    }                                                                        \
    inline type EMULATOR_NAMED(__, 2##name##_rn)(EMULATOR_SHORT x) {         \
        return static_cast<type>(rintf(x.value()));                          \
    }                                                                        \
    inline type EMULATOR_NAMED(__, 2##name##_rz)(EMULATOR_SHORT x) { return static_cast<type>(x.value()); }
EMULATOR_INTEGER(short, short)
EMULATOR_INTEGER(ushort, unsigned short)
EMULATOR_INTEGER(int, int)
EMULATOR_INTEGER(uint, unsigned int)
EMULATOR_INTEGER(ll, long long)
EMULATOR_INTEGER(ull, unsigned long long)
#undef EMULATOR_INTEGER
inline EMULATOR_SHORT EMULATOR_NAMED(__ushort_as_, )(unsigned short bits) {
    EMULATOR_SHORT made;
    made.bits = bits;
    return made;
}
inline EMULATOR_SHORT EMULATOR_NAMED(__short_as_, )(short bits) {
    return EMULATOR_NAMED(__ushort_as_, )(static_cast<unsigned short>(bits));
}
inline unsigned short EMULATOR_NAMED(__, _as_ushort)(EMULATOR_SHORT x) { return x.bits; }
inline short EMULATOR_NAMED(__, _as_short)(EMULATOR_SHORT x) { return static_cast<short>(x.bits); }

#define EMULATOR_UNARY(name, of_pair, expression)  \
    inline EMULATOR_SHORT name(EMULATOR_SHORT x) { \
        const float a = x.value();                 \
        return EMULATOR_SHORT::of(expression);     \
    }                                              \
    inline EMULATOR_PAIR of_pair(EMULATOR_PAIR a) { return {name(a.x), name(a.y)}; }
#define EMULATOR_MATH(name, expression) EMULATOR_UNARY(h##name, h2##name, expression)
#define EMULATOR_BINARY(name, expression)                            \
    inline EMULATOR_SHORT name(EMULATOR_SHORT x, EMULATOR_SHORT y) { \
        const float a = x.value(), b = y.value();                    \
        return EMULATOR_SHORT::of(expression);                       \
    }                                                                \
    inline EMULATOR_PAIR name##2(EMULATOR_PAIR a, EMULATOR_PAIR b) { \
        return {name(a.x, b.x), name(a.y, b.y)};                     \
    }
#define EMULATOR_TEST(name, op)                                                                    \
    inline bool __h##name(EMULATOR_SHORT a, EMULATOR_SHORT b) { return a.value() op b.value(); }   \
    inline EMULATOR_PAIR __h##name##2(EMULATOR_PAIR a, EMULATOR_PAIR b) {                          \
        return {EMULATOR_SHORT::of(__h##name(a.x, b.x)), EMULATOR_SHORT::of(__h##name(a.y, b.y))}; \
    }                                                                                              \
    inline bool __hb##name##2(EMULATOR_PAIR a, EMULATOR_PAIR b) {                                  \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
EMULATOR_BINARY(__hadd, a + b)
EMULATOR_BINARY(__hsub, a - b)
EMULATOR_BINARY(__hmul,
                emulator::to_odd(static_cast<double>(a) * b))  // a float cannot hold the smallest products
EMULATOR_BINARY(__hdiv, a / b)
EMULATOR_BINARY(__hmax, fmaxf(a, b))
EMULATOR_BINARY(__hmin, fminf(a, b))
EMULATOR_UNARY(__hneg, __hneg2, -a)
EMULATOR_UNARY(__habs, __habs2, fabsf(a))
EMULATOR_MATH(exp, expf(a))
EMULATOR_MATH(exp2, exp2f(a))
EMULATOR_MATH(exp10, powf(10.0f, a))
EMULATOR_MATH(log, logf(a))
EMULATOR_MATH(log2, log2f(a))
EMULATOR_MATH(log10, log10f(a))
EMULATOR_MATH(sin, sinf(a))
EMULATOR_MATH(cos, cosf(a))
EMULATOR_MATH(tanh, tanhf(a))
EMULATOR_MATH(floor, floorf(a))
EMULATOR_MATH(ceil, ceilf(a))
EMULATOR_MATH(rint, rintf(a))
EMULATOR_MATH(trunc, truncf(a))
EMULATOR_MATH(sqrt, sqrtf(a))
EMULATOR_MATH(rsqrt, 1.0f / sqrtf(a))
EMULATOR_MATH(rcp, 1.0f / a)
EMULATOR_TEST(eq, ==)
EMULATOR_TEST(ne, !=)
EMULATOR_TEST(lt, <)
EMULATOR_TEST(le, <=)
EMULATOR_TEST(gt, >)
EMULATOR_TEST(ge, >=)
#undef EMULATOR_UNARY
#undef EMULATOR_MATH
#undef EMULATOR_BINARY
#undef EMULATOR_TEST
inline bool __hisnan(EMULATOR_SHORT a) { return std::isnan(a.value()); }
inline int __hisinf(EMULATOR_SHORT a) {
    return std::isinf(a.value()) ? (std::signbit(a.value()) ? -1 : 1) : 0;
}
inline EMULATOR_SHORT __hfma(EMULATOR_SHORT a, EMULATOR_SHORT b, EMULATOR_SHORT c) {
    // The product is exact in double, and `rest` is what is missing to the exact sum.
    const double product = static_cast<double>(a.value()) * b.value(), sum = product + c.value();
    const double from_c = sum - product, rest = (product - (sum - from_c)) + (c.value() - from_c);
    return EMULATOR_SHORT::of(emulator::to_odd(sum, rest));
}

inline EMULATOR_PAIR EMULATOR_NAMED(__halves2, 2)(EMULATOR_SHORT a, EMULATOR_SHORT b) { return {a, b}; }
inline EMULATOR_PAIR EMULATOR_NAMED(make_, 2)(EMULATOR_SHORT a, EMULATOR_SHORT b) { return {a, b}; }
inline EMULATOR_PAIR EMULATOR_JOIN_NAME(__, EMULATOR_NAMED(, 2), EMULATOR_NAMED(, 2))(EMULATOR_SHORT a) {
    return {a, a};
}
inline EMULATOR_PAIR EMULATOR_NAMED(__float2, 2_rn)(float x) {
    return {EMULATOR_SHORT::of(x), EMULATOR_SHORT::of(x)};
}
inline EMULATOR_PAIR EMULATOR_NAMED(__floats2, 2_rn)(float a, float b) {
    return {EMULATOR_SHORT::of(a), EMULATOR_SHORT::of(b)};
}
inline EMULATOR_PAIR EMULATOR_NAMED(__float22, 2_rn)(float2 v) {
    return {EMULATOR_SHORT::of(v.x), EMULATOR_SHORT::of(v.y)};
}
inline float2 EMULATOR_NAMED(__, 22float2)(EMULATOR_PAIR v) { return {v.x.value(), v.y.value()}; }
inline EMULATOR_SHORT EMULATOR_NAMED(__low2, )(EMULATOR_PAIR v) { return v.x; }
inline EMULATOR_SHORT EMULATOR_NAMED(__high2, )(EMULATOR_PAIR v) { return v.y; }
inline float __low2float(EMULATOR_PAIR v) { return v.x.value(); }
inline float __high2float(EMULATOR_PAIR v) { return v.y.value(); }
inline EMULATOR_PAIR EMULATOR_NAMED(__low2, 2)(EMULATOR_PAIR v) { return {v.x, v.x}; }
inline EMULATOR_PAIR EMULATOR_NAMED(__high2, 2)(EMULATOR_PAIR v) { return {v.y, v.y}; }
inline EMULATOR_PAIR EMULATOR_NAMED(__lows2, 2)(EMULATOR_PAIR a, EMULATOR_PAIR b) { return {a.x, b.x}; }
inline EMULATOR_PAIR EMULATOR_NAMED(__highs2, 2)(EMULATOR_PAIR a, EMULATOR_PAIR b) { return {a.y, b.y}; }
inline EMULATOR_PAIR __lowhigh2highlow(EMULATOR_PAIR v) { return {v.y, v.x}; }
inline EMULATOR_PAIR __h2div(EMULATOR_PAIR a, EMULATOR_PAIR b) { return __hdiv2(a, b); }
inline EMULATOR_PAIR __hfma2(EMULATOR_PAIR a, EMULATOR_PAIR b, EMULATOR_PAIR c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

template <>
inline constexpr bool emulator::kShuffles<EMULATOR_SHORT> = true;
template <>
inline constexpr bool emulator::kShuffles<EMULATOR_PAIR> = true;
EMULATOR_INLINE EMULATOR_SHORT atomicAdd(EMULATOR_SHORT* address, EMULATOR_SHORT value) {
    return emulator::atomic_change(address, [=](EMULATOR_SHORT old) { return __hadd(old, value); });
}
EMULATOR_INLINE EMULATOR_PAIR atomicAdd(EMULATOR_PAIR* address, EMULATOR_PAIR value) {
    return emulator::atomic_change(address, [=](EMULATOR_PAIR old) { return __hadd2(old, value); });
}

#define EMULATOR_OPERATOR(type, op, function)                          \
    inline type operator op(type a, type b) { return function(a, b); } \
    inline type& operator op##=(type& a, type b) { return a = function(a, b); }
#ifdef EMULATOR_OPERATES
EMULATOR_OPERATOR(EMULATOR_SHORT, +, __hadd)
EMULATOR_OPERATOR(EMULATOR_SHORT, -, __hsub)
EMULATOR_OPERATOR(EMULATOR_SHORT, *, __hmul)
EMULATOR_OPERATOR(EMULATOR_SHORT, /, __hdiv)
inline EMULATOR_SHORT operator-(EMULATOR_SHORT a) { return __hneg(a); }
inline bool operator==(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __heq(a, b); }
inline bool operator!=(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __hne(a, b); }
inline bool operator<(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __hlt(a, b); }
inline bool operator<=(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __hle(a, b); }
inline bool operator>(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __hgt(a, b); }
inline bool operator>=(EMULATOR_SHORT a, EMULATOR_SHORT b) { return __hge(a, b); }
#endif
#ifdef EMULATOR_PAIR_OPERATES
EMULATOR_OPERATOR(EMULATOR_PAIR, +, __hadd2)
EMULATOR_OPERATOR(EMULATOR_PAIR, -, __hsub2)
EMULATOR_OPERATOR(EMULATOR_PAIR, *, __hmul2)
EMULATOR_OPERATOR(EMULATOR_PAIR, /, __hdiv2)
inline EMULATOR_PAIR operator-(EMULATOR_PAIR a) { return __hneg2(a); }
#endif
#undef EMULATOR_OPERATOR
#undef EMULATOR_NAMED
#undef EMULATOR_JOIN_NAME
#undef EMULATOR_JOIN
#undef EMULATOR_CONVERTS
#undef EMULATOR_OPERATES
#undef EMULATOR_PAIR_OPERATES
#undef EMULATOR_SHORT
#undef EMULATOR_PAIR
#undef EMULATOR_NAME
