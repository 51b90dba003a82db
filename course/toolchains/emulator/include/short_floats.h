// A float of 16 bits and the pair of two, with their functions: once for __half, once for __nv_bfloat16,
// whose headers define the names. Functions are computed in float or double, and their results are rounded
// once, as by the hardware.
#define JOIN16_(before, name, after) before##name##after
#define JOIN16(before, name, after) JOIN16_(before, name, after)
#define NAMED16(before, after) JOIN16(before, NAME16, after)

struct alignas(2) TYPE16 {
    unsigned short bits;
    TYPE16() = default;
#if CONVERTS16
    TYPE16(float value) : TYPE16(of(value)) {}
    TYPE16(double value) : TYPE16(of(emulator::to_odd(value))) {}
    TYPE16(int value) : TYPE16(static_cast<double>(value)) {}
    TYPE16(unsigned int value) : TYPE16(static_cast<double>(value)) {}
    operator float() const { return value(); }
#endif
    static TYPE16 of(float value) { return emulator::from_bits<TYPE16>(course::NAMED16(float_to_, )(value)); }
    float value() const { return course::NAMED16(, _to_float)(bits); }
};
struct alignas(4) PAIR16 {
    TYPE16 x, y;
    PAIR16() = default;
    PAIR16(TYPE16 x, TYPE16 y) : x(x), y(y) {}
};

inline TYPE16 NAMED16(__float2, )(float x) { return TYPE16::of(x); }
inline TYPE16 NAMED16(__float2, _rn)(float x) { return TYPE16::of(x); }
inline TYPE16 NAMED16(__double2, )(double x) { return TYPE16::of(emulator::to_odd(x)); }
inline float NAMED16(__, 2float)(TYPE16 x) { return x.value(); }
#define INTEGER16(name, type)                                                                       \
    inline TYPE16 NAMED16(__##name##2, _rn)(type x) {                                               \
        return TYPE16::of(emulator::to_odd(static_cast<double>(x)));                                \
    }                                                                                               \
    inline type NAMED16(__, 2##name##_rn)(TYPE16 x) { return static_cast<type>(rintf(x.value())); } \
    inline type NAMED16(__, 2##name##_rz)(TYPE16 x) { return static_cast<type>(x.value()); }
INTEGER16(int, int)
INTEGER16(uint, unsigned int)
INTEGER16(ll, long long)
INTEGER16(ull, unsigned long long)
inline TYPE16 NAMED16(__ushort_as_, )(unsigned short bits) { return emulator::from_bits<TYPE16>(bits); }
inline unsigned short NAMED16(__, _as_ushort)(TYPE16 x) { return x.bits; }

#define UNARY16(name, of_pair, expression) \
    inline TYPE16 name(TYPE16 x) {         \
        const float a = x.value();         \
        return TYPE16::of(expression);     \
    }                                      \
    inline PAIR16 of_pair(PAIR16 a) { return {name(a.x), name(a.y)}; }
#define MATH16(name, expression) UNARY16(h##name, h2##name, expression)
#define BINARY16(name, expression)                \
    inline TYPE16 name(TYPE16 x, TYPE16 y) {      \
        const float a = x.value(), b = y.value(); \
        return TYPE16::of(expression);            \
    }                                             \
    inline PAIR16 name##2(PAIR16 a, PAIR16 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define TEST16(name, op)                                                           \
    inline bool __h##name(TYPE16 a, TYPE16 b) { return a.value() op b.value(); }   \
    inline PAIR16 __h##name##2(PAIR16 a, PAIR16 b) {                               \
        return {TYPE16::of(__h##name(a.x, b.x)), TYPE16::of(__h##name(a.y, b.y))}; \
    }                                                                              \
    inline bool __hb##name##2(PAIR16 a, PAIR16 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
BINARY16(__hadd, a + b)
BINARY16(__hsub, a - b)
BINARY16(__hmul,
         emulator::to_odd(static_cast<double>(a) * b))  // a float cannot hold the smallest products
BINARY16(__hdiv, a / b)
BINARY16(__hmax, fmaxf(a, b))
BINARY16(__hmin, fminf(a, b))
UNARY16(__hneg, __hneg2, -a)
UNARY16(__habs, __habs2, fabsf(a))
MATH16(exp, expf(a))
MATH16(exp2, exp2f(a))
MATH16(exp10, powf(10.0f, a))
MATH16(log, logf(a))
MATH16(log2, log2f(a))
MATH16(log10, log10f(a))
MATH16(sin, sinf(a))
MATH16(cos, cosf(a))
MATH16(tanh, tanhf(a))
MATH16(floor, floorf(a))
MATH16(ceil, ceilf(a))
MATH16(rint, rintf(a))
MATH16(trunc, truncf(a))
MATH16(sqrt, sqrtf(a))
MATH16(rsqrt, 1.0f / sqrtf(a))
MATH16(rcp, 1.0f / a)
TEST16(eq, ==)
TEST16(ne, !=)
TEST16(lt, <)
TEST16(le, <=)
TEST16(gt, >)
TEST16(ge, >=)
inline bool __hisnan(TYPE16 a) { return std::isnan(a.value()); }
inline int __hisinf(TYPE16 a) { return std::isinf(a.value()) ? (std::signbit(a.value()) ? -1 : 1) : 0; }
inline TYPE16 __hfma(TYPE16 a, TYPE16 b, TYPE16 c) {
    // The product is exact in double, and `rest` is what is missing to the exact sum.
    const double product = static_cast<double>(a.value()) * b.value(), sum = product + c.value();
    const double from_c = sum - product, rest = (product - (sum - from_c)) + (c.value() - from_c);
    return TYPE16::of(emulator::to_odd(sum, rest));
}

inline PAIR16 NAMED16(__halves2, 2)(TYPE16 a, TYPE16 b) { return {a, b}; }
inline PAIR16 NAMED16(make_, 2)(TYPE16 a, TYPE16 b) { return {a, b}; }
inline PAIR16 JOIN16(__, NAMED16(, 2), NAMED16(, 2))(TYPE16 a) { return {a, a}; }
inline PAIR16 NAMED16(__float2, 2_rn)(float x) { return {TYPE16::of(x), TYPE16::of(x)}; }
inline PAIR16 NAMED16(__floats2, 2_rn)(float a, float b) { return {TYPE16::of(a), TYPE16::of(b)}; }
inline PAIR16 NAMED16(__float22, 2_rn)(float2 v) { return {TYPE16::of(v.x), TYPE16::of(v.y)}; }
inline float2 NAMED16(__, 22float2)(PAIR16 v) { return {v.x.value(), v.y.value()}; }
inline TYPE16 NAMED16(__low2, )(PAIR16 v) { return v.x; }
inline TYPE16 NAMED16(__high2, )(PAIR16 v) { return v.y; }
inline float __low2float(PAIR16 v) { return v.x.value(); }
inline float __high2float(PAIR16 v) { return v.y.value(); }
inline PAIR16 NAMED16(__low2, 2)(PAIR16 v) { return {v.x, v.x}; }
inline PAIR16 NAMED16(__high2, 2)(PAIR16 v) { return {v.y, v.y}; }
inline PAIR16 __lowhigh2highlow(PAIR16 v) { return {v.y, v.x}; }
inline PAIR16 __h2div(PAIR16 a, PAIR16 b) { return __hdiv2(a, b); }
inline PAIR16 __hfma2(PAIR16 a, PAIR16 b, PAIR16 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }

template <>
inline constexpr bool emulator::kShuffles<TYPE16> = true;
template <>
inline constexpr bool emulator::kShuffles<PAIR16> = true;
EMULATOR_INLINE TYPE16 atomicAdd(TYPE16* address, TYPE16 value) {
    return emulator::atomic_change(address, [=](TYPE16 old) { return __hadd(old, value); });
}
EMULATOR_INLINE PAIR16 atomicAdd(PAIR16* address, PAIR16 value) {
    return emulator::atomic_change(address, [=](PAIR16 old) { return __hadd2(old, value); });
}

#define OPERATOR16(type, op, function)                                 \
    inline type operator op(type a, type b) { return function(a, b); } \
    inline type& operator op##=(type& a, type b) { return a = function(a, b); }
#if OPERATES16
OPERATOR16(TYPE16, +, __hadd)
OPERATOR16(TYPE16, -, __hsub)
OPERATOR16(TYPE16, *, __hmul)
OPERATOR16(TYPE16, /, __hdiv)
inline TYPE16 operator-(TYPE16 a) { return __hneg(a); }
inline bool operator==(TYPE16 a, TYPE16 b) { return __heq(a, b); }
inline bool operator!=(TYPE16 a, TYPE16 b) { return __hne(a, b); }
inline bool operator<(TYPE16 a, TYPE16 b) { return __hlt(a, b); }
inline bool operator<=(TYPE16 a, TYPE16 b) { return __hle(a, b); }
inline bool operator>(TYPE16 a, TYPE16 b) { return __hgt(a, b); }
inline bool operator>=(TYPE16 a, TYPE16 b) { return __hge(a, b); }
#endif
#if PAIR_OPERATES16
OPERATOR16(PAIR16, +, __hadd2)
OPERATOR16(PAIR16, -, __hsub2)
OPERATOR16(PAIR16, *, __hmul2)
OPERATOR16(PAIR16, /, __hdiv2)
inline PAIR16 operator-(PAIR16 a) { return __hneg2(a); }
#endif
#undef TYPE16
#undef PAIR16
#undef NAME16
#undef CONVERTS16
#undef OPERATES16
#undef PAIR_OPERATES16
