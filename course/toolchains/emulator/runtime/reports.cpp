// Reports: what the tracer found, in sentences. The address of a code stands in them in braces; Python puts
// its line there.
#define EMULATOR_RUNTIME
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay.h"
#include "tracer.h"

namespace tracer {

using emulator::Index;
using emulator::kRedZoneBytes;
using emulator::Place;
using emulator::report;

namespace {

constexpr size_t kMaxHazards = 20;  // of a call; the first ones tell the mistake
size_t reported = 0;
std::set<std::pair<int, int>> told;  // two sites of a race, or a number of tracer.h and a site

constexpr char kNoBarrierYet[] = "{no barrier yet}", kOneWarp[] = "{one warp}";  // for Python's advice

Place place_of(const Access& access) {
    const Index index = block_indices[block_at(access.time)];
    return {index, emulator::index_of(access.thread), 0, sites[access.site].code};
}

// Where in its area an address lies, counted in the tensor's elements or, in shared memory, in the access's
// own size.
std::string element_at(const Area& area, uintptr_t address, size_t bytes) {
    const auto size = area.element ? area.element : static_cast<int64_t>(bytes);
    const auto offset = static_cast<int64_t>(address - area.begin);
    const auto length = static_cast<int64_t>(area.end - area.begin);
    const int64_t element = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    return "element " + std::to_string(element) + " of " + std::to_string(length / size);
}

// The area before whose start an address would lie, had the index not been an unsigned 0 - 1; the address is
// put there.
const Area* wrapped_around(uintptr_t& address, size_t bytes) {
    for (const auto& area : areas) {
        const uintptr_t element = area->element ? static_cast<uintptr_t>(area->element) : bytes;
        if (address < area->begin || (address - area->begin) / element >> 16 != 0xFFFF) continue;
        address -= element << 32;
        return area.get();
    }
    return nullptr;
}

// A race of a plain read with an atomic operation, told at the end of the launch: none where the threads
// that read go on to an atomic operation there, which finds out whether the value has changed meanwhile.
struct AtomicRace {
    uint16_t reader;
    std::string text;
    std::vector<Place> places;
};
std::vector<AtomicRace> atomic_races;

}  // namespace

void begin_reports() {
    reported = 0;
    told.clear();
}

bool was_reported(int a, int b) { return told.count({a, b}) != 0; }
bool is_new(int a, int b) { return reported < kMaxHazards && told.insert({a, b}).second && ++reported; }

std::string line_of(uint16_t site) {
    char text[32];
    snprintf(text, sizeof text, "line {%p}", sites[site].code);
    return text;
}
const char* verb(uint16_t site) {
    const Op op = sites[site].op;
    if (sites[site].asynchronous) return " writes (asynchronously) ";
    return op == Op::kRead ? " reads " : op == Op::kWrite ? " writes " : " changes (atomically) ";
}

Place here(uint16_t site) { return {blockIdx, threadIdx, 0, sites[site].code}; }

bool in_red_zone(uintptr_t address) {
    return std::any_of(areas.begin(), areas.end(), [=](const auto& area) {
        return address + kRedZoneBytes >= area->begin && address < area->end + kRedZoneBytes;
    });
}

void report_outside(uint16_t site, uintptr_t address, size_t bytes) {
    const Area* nearest = nullptr;
    uintptr_t distance = kRedZoneBytes;
    for (const auto& area : areas) {
        const uintptr_t away = address < area->begin  ? area->begin - address
                               : address >= area->end ? address - area->end
                                                      : 0;
        if (away < distance) nearest = area.get(), distance = away;
    }
    std::string text = line_of(site) + verb(site);
    if (!nearest) nearest = wrapped_around(address, bytes);
    if (nearest) {
        text += address < nearest->begin ? "before the start of " : "past the end of ";
        text += nearest->name + ": " + element_at(*nearest, address, bytes) + ", counted from 0" +
                (nearest->shared ? "" : " through its memory");
        text += address < nearest->end && address >= nearest->begin
                    ? "; does the last vector access reach too far?"
                    : "; is a guard missing, or the index wrong?";
        if (distance == kRedZoneBytes) text += " An unsigned number does not go below 0: it wraps around.";
    } else if (address < kRedZoneBytes) {
        text += "memory through a null pointer";
    } else {
        text +=
            "an address where no tensor lies, and no shared array: an index far out of bounds, a pointer to "
            "the "
            "host's memory, or one that was never set";
    }
    report("out-of-bounds", text, {here(site)});
    emulator::stop();
}

void report_misaligned(uint16_t site, uintptr_t address, size_t bytes) {
    const std::string size = std::to_string(bytes);
    report("misaligned",
           line_of(site) + verb(site) + size + " bytes at once, " + std::to_string(address % bytes) +
               " past a multiple of " + size +
               ": misaligned, since a vector access must begin at a multiple of " +
               "its size (a float4 needs 16 bytes)",
           {here(site)});
    emulator::stop();
}

void report_race(const Area& area, const Access& before, uint16_t site, const Place& place, uintptr_t address,
                 size_t bytes) {
    // A sample shows some of the races between blocks, or none.
    if (sampled_launch && !area.shared && before.time < block_time) return;
    if (!is_new(std::min(before.site, site), std::max(before.site, site))) return;
    std::string text = "a race on " + area.name + ", " + element_at(area, address, bytes) + ": ";
    if (before.site == site) {
        text += "several threads change it in " + line_of(site);
    } else {
        text += line_of(site) + verb(site) + "what " + line_of(before.site) + verb(before.site) +
                (before.time == kInFlight ? "before it is waited for" : "in another thread");
    }
    if (barrier_time == block_time) text += kNoBarrierYet;
    const Index& index = place.thread;
    const unsigned thread = (index.z * blockDim.y + index.y) * blockDim.x + index.x;
    if (before.time >= block_time && same_warp(before.thread, thread)) text += kOneWarp;
    const Op op = sites[site].op, op_before = sites[before.site].op;
    if ((op == Op::kRead && op_before == Op::kAtomic) || (op == Op::kAtomic && op_before == Op::kRead)) {
        atomic_races.push_back({op == Op::kRead ? site : before.site, text, {place, place_of(before)}});
    } else {
        report("race", text, {place, place_of(before)});
    }
}

void report_atomic_races() {
    for (AtomicRace& race : atomic_races) {
        if (!sites[race.reader].before_atomic) report("race", race.text, std::move(race.places));
    }
    atomic_races.clear();
}

void report_unwritten(const Area& area, uint16_t site, uintptr_t address, size_t bytes) {
    if (sampled_call && !area.shared) {
        read_unknown = true;
        return;
    }
    const std::string text = line_of(site) + " reads " + area.name + " where nothing was written before, " +
                             element_at(area, address, bytes);
    if (area.shared) {
        replay.doubt(site, text);
    } else if (is_new(kUnwritten, site)) {
        report("uninitialised-read", text + ": new memory holds what was left there, not zeros",
               {here(site)});
    }
}

}  // namespace tracer
