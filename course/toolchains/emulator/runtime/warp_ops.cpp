// Warp operations: the lanes of a warp wait for each other and exchange values.
#include <climits>

#include "scheduler.h"
#include "tracer.h"

namespace emulator {
namespace {

unsigned live_lanes(unsigned first) {
    unsigned live = 0;
    for (unsigned lane = 0; lane < kWarp && first + lane < block.size; ++lane) {
        if (!block.threads[first + lane].returned) live |= 1u << lane;
    }
    return live;
}

// What a lane reads from a lane that does not take part: NaN in every type, unless the launch runs again.
uint64_t absent(const Thread& self, unsigned source) {
    if (tracer::tracing) {
        tracer::doubt(
            static_cast<uint16_t>(self.line),
            {Reason::kAbsentLane, {source, self.mask}, {{blockIdx, self.index, self.line, nullptr}}});
    }
    return tracer::undefined_value();
}

uint64_t warp_result(const Thread& self, unsigned lane, unsigned first, unsigned lanes) {
    const auto value_of = [&](unsigned source) {
        return (lanes >> source) & 1u ? block.threads[first + source].value : absent(self, source);
    };
    const unsigned width = static_cast<unsigned>(self.width);
    const unsigned segment = lane & ~(width - 1);
    const int argument = self.argument;
    switch (self.op) {
        case WarpOp::kActive:
            return lanes;
        case WarpOp::kSync:
            return 0;
        case WarpOp::kIndex:
            return value_of(segment + (static_cast<unsigned>(argument) & (width - 1)));
        case WarpOp::kUp: {
            const int source = static_cast<int>(lane) - argument;
            return source < static_cast<int>(segment) ? self.value : value_of(static_cast<unsigned>(source));
        }
        case WarpOp::kDown: {
            const unsigned source = lane + static_cast<unsigned>(argument);
            return source >= segment + width ? self.value : value_of(source);
        }
        case WarpOp::kXor: {
            const unsigned source = lane ^ static_cast<unsigned>(argument);
            return source >= segment + width ? self.value : value_of(source);
        }
        default:
            break;
    }
    uint64_t result = 0;
    bool first_value = true;
    const auto with = [&](uint64_t value, unsigned source) -> uint64_t {
        const auto as_signed = static_cast<int64_t>(value), result_signed = static_cast<int64_t>(result);
        switch (self.op) {
            case WarpOp::kBallot:
                return result | (value & 1u) << source;
            case WarpOp::kMatchAny:
                return result | static_cast<uint64_t>(value == self.value) << source;
            case WarpOp::kAdd:
                return result + value;
            case WarpOp::kMin:
                return first_value || as_signed < result_signed ? value : result;
            case WarpOp::kMax:
                return first_value || as_signed > result_signed ? value : result;
            case WarpOp::kAnd:
                return first_value ? value : result & value;
            case WarpOp::kOr:
                return result | value;
            default:
                return result ^ value;
        }
    };
    for (unsigned source = 0; source < kWarp; ++source) {
        if (!((lanes >> source) & 1u)) continue;
        result = with(block.threads[first + source].value, source);
        first_value = false;
    }
    return result;
}

// Whether every lane of `lanes` waits at the same operation as `self`.
bool all_here(const Thread& self, unsigned first, unsigned lanes) {
    for (unsigned i = 0; i < kWarp; ++i) {
        if (!((lanes >> i) & 1u)) continue;
        const Thread& other = block.threads[first + i];
        if (other.state != State::kAtWarpOp || other.op != self.op || other.mask != self.mask ||
            other.line != self.line) {
            return false;
        }
    }
    return true;
}

// Gives every lane of `lanes` its result; all except the running thread wait for their turn to go on.
void finish_warp_op(unsigned first, unsigned lanes) {
    if (block.threads[first + static_cast<unsigned>(__builtin_ctz(lanes))].op == WarpOp::kSync) {
        tracer::sync_warp(first, lanes);
    }
    uint64_t results[kWarp];
    for (unsigned i = 0; i < kWarp; ++i) {
        if ((lanes >> i) & 1u) results[i] = warp_result(block.threads[first + i], i, first, lanes);
    }
    for (unsigned i = 0; i < kWarp; ++i) {
        if (!((lanes >> i) & 1u)) continue;
        block.threads[first + i].value = results[i];
        block.threads[first + i].state = State::kRunning;
        --block.at_warp_op;
        if (first + i != current) block.push_ready(first + i);
    }
}

}  // namespace

// A thread has returned: the lanes of its warp that waited only for this thread go on.
void finish_ops_of_others(unsigned first) {
    const unsigned live = live_lanes(first);
    for (unsigned i = 0; i < kWarp; ++i) {
        const Thread& thread = block.threads[first + i];
        if (!((live >> i) & 1u) || thread.state != State::kAtWarpOp || thread.op == WarpOp::kActive) continue;
        if (all_here(thread, first, thread.mask & live)) finish_warp_op(first, thread.mask & live);
    }
}

// Nothing else can run: the result of __activemask() has the lanes of one warp that wait for it in one line.
void release_active_lanes() {
    if (!block.at_warp_op) return;
    for (unsigned i = 0; i < block.size; ++i) {
        const Thread& one = block.threads[i];
        if (one.returned || one.state != State::kAtWarpOp || one.op != WarpOp::kActive) continue;
        const unsigned first = warp_of(i);
        unsigned lanes = 0;
        for (unsigned lane = 0; lane < kWarp && first + lane < block.size; ++lane) {
            const Thread& other = block.threads[first + lane];
            const bool here =
                !other.returned && other.state == State::kAtWarpOp && other.op == WarpOp::kActive;
            if (here && other.line == one.line) lanes |= 1u << lane;
        }
        current = kMaxThreads;  // no thread runs: all of them wait for their turn
        finish_warp_op(first, lanes);
        return;
    }
}

uint64_t warp(WarpOp op, int line, unsigned int mask, uint64_t value, int argument, int width) {
    const unsigned first = warp_of(current), lane = current % kWarp;
    Thread& self = block.threads[current];
    if (!((mask >> lane) & 1u)) {
        report({Reason::kLaneNotInMask, {mask}, {here(line)}});
        stop();
    }
    self.op = op;
    self.mask = mask;
    self.value = value;
    self.argument = argument;
    self.width = width;
    self.line = line;
    self.state = State::kAtWarpOp;
    ++block.at_warp_op;
    const unsigned lanes = mask & live_lanes(first);
    if (op != WarpOp::kActive && all_here(self, first, lanes)) {
        finish_warp_op(first, lanes);
    } else {
        wait(State::kAtWarpOp, line);
    }
    return self.value;
}

// The addends are cut off two bits after the last bit of a float with the largest exponent, are added without
// error, and the sum is cut off to a float. Compared bit for bit with an H200.
float add_products(Factors factors, float c) {
    if (traffic::counting) ++work::block.threads[current].tensor_sums;
    const auto& [a, b] = factors;
    int top = c == 0 ? INT_MIN : std::ilogb(c);
    float plain = c;
    for (int i = 0; i < 16; ++i) {
        if (a[i] != 0 && b[i] != 0) top = std::max(top, std::ilogb(a[i]) + std::ilogb(b[i]));
        plain += a[i] * b[i];
    }
    if (!std::isfinite(plain) || top == INT_MIN) return plain;
    constexpr int kBits = 23 + 2;
    const auto cut_off = [=](double addend) { return std::trunc(std::ldexp(addend, kBits - top)); };
    double sum = cut_off(static_cast<double>(c));
    for (int i = 0; i < 16; ++i) sum += cut_off(static_cast<double>(a[i]) * static_cast<double>(b[i]));
    float cut = static_cast<float>(sum);
    if (std::fabs(static_cast<double>(cut)) > std::fabs(sum)) cut = std::nextafterf(cut, 0.0f);
    return std::ldexp(cut, top - kBits);
}

unsigned int active_mask(int line) { return static_cast<unsigned>(warp(WarpOp::kActive, line, ~0u, 0)); }

}  // namespace emulator
