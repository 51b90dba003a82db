// Replay: decides whether a read of shared memory that no thread has written is a hazard, and a shuffle's
// read of a lane that does not take part.
//
// A right kernel may make such a read and not use the value: threads past the edge of the matrix sum up the
// padding of a tile, and do not store the sum. The tracer does not follow values. So a launch that has made
// such a read runs again, from the same global memory and with other values in its shared arrays. If it
// leaves global memory bit for bit the same each time, the value had no effect, and the read is a remark.
// Otherwise it is a hazard.
//
// Zeros are among the values, since a kernel may be right by luck only with zeros. The others are NaN (which
// fmaxf ignores), the largest and the smallest numbers, since a maximum or a minimum ignores one of these,
// and noise, since equal values compare equal.
#include "tracer.h"

namespace tracer {

bool replaying = false;
bool shuffles = false;

namespace {

constexpr unsigned char kEverywhere[] = {0xFF, 0x00, 0x7F, 0xFE};  // in each byte; NaN comes first
constexpr size_t kFills = sizeof kEverywhere + 1;                  // plus noise
constexpr size_t kMostBytes = size_t{1} << 28;                     // of global memory that is copied

struct Doubt {
    uint16_t site;
    Report read;
};
std::vector<Doubt> doubts;               // of the launch that runs; one for each site
std::vector<std::string> before, after;  // the areas of global memory around the launch
bool repeatable = false;
bool depends = false;  // whether other values, in shared memory or by shuffles, change what the launch does
bool counted = false;  // traffic::counting outside of replays
size_t fill = 0;

template <class Function>
void for_each_global(Function function) {
    for (const auto& area : areas) {
        if (!area->shared && !area->is_gone())
            function(reinterpret_cast<char*>(area->begin), area->end - area->begin);
    }
}

std::vector<std::string> contents() {
    std::vector<std::string> found;
    for_each_global([&](const char* begin, size_t bytes) { found.emplace_back(begin, bytes); });
    return found;
}

void restore(const std::vector<std::string>& former) {
    auto each = former.begin();
    for_each_global([&](char* begin, size_t bytes) {
        const std::string& was = *each++;
        if (memcmp(begin, was.data(), bytes) != 0) memcpy(begin, was.data(), bytes);  // not if it is constant
    });
}

}  // namespace

void prepare_replay() {
    size_t all = 0;
    for_each_global([&](const char*, size_t bytes) { all += bytes; });
    depends = false;
    const bool shares = std::any_of(areas.begin(), areas.end(),
                                    [](const auto& area) { return area->shared && area->begin < area->end; });
    repeatable = all <= kMostBytes && (shares || shuffles);
    if (repeatable) before = contents();
}

void save_for_replay(const Area& area) {
    if (!before.empty() && area.end - area.begin <= kMostBytes) {
        before.emplace(before.begin(), reinterpret_cast<const char*>(area.begin), area.end - area.begin);
    } else {
        repeatable = false;
    }
}

void fill_shared() {
    for (const auto& area : areas) {
        if (!area->shared) continue;
        auto* const bytes = reinterpret_cast<unsigned char*>(area->begin);
        const size_t size = area->end - area->begin;
        if (fill < sizeof kEverywhere) {
            memset(bytes, kEverywhere[fill], size);
        } else {
            for (size_t i = 0; i < size; ++i)
                bytes[i] = static_cast<unsigned char>((i + 1) * 0x9E3779B97F4A7C15u >> 56);
        }
    }
}

uint64_t undefined_value() {
    return fill < sizeof kEverywhere ? kEverywhere[fill] * 0x0101010101010101u : 0x9E3779B97F4A7C15u;
}

void doubt(uint16_t site, Report read) {
    const auto same = [&](const Doubt& each) { return each.site == site && each.read.reason == read.reason; };
    if (std::none_of(doubts.begin(), doubts.end(), same)) doubts.push_back({site, std::move(read)});
}

void cannot_repeat() { repeatable = false; }

bool begin_replay() {
    if (doubts.empty() || !repeatable) return false;
    if (!replaying) {
        settle();
        after = contents();
        counted = std::exchange(traffic::counting, false);
        tracing = false;
        replaying = true;
    }
    if (depends || ++fill == kFills) return false;
    restore(before);
    return true;
}

void end_replay(bool whole) { depends |= !whole || contents() != after; }

void settle_doubts(bool whole) {
    if (std::exchange(replaying, false)) {
        restore(after);
        tracing = true;
        traffic::counting = counted;
        depends |= !whole;
        whole = true;
    }
    for (Doubt& each : doubts) {
        const Index& block = each.read.places[0].block;
        const bool is_last = block.x == blockIdx.x && block.y == blockIdx.y && block.z == blockIdx.z;
        if (whole ? !repeatable : !is_last) continue;  // unknown
        const bool used = depends || !whole;
        if (each.read.reason == Reason::kAbsentLane && !(whole && depends)) continue;
        if (!used) each.read.reason = Reason::kUnusedRead;
        if (is_new(each.read.reason, each.site)) report(std::move(each.read));
    }
    doubts.clear();
    fill = 0;
    before.clear();
    after.clear();
}

}  // namespace tracer
