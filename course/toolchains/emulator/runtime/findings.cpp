// Findings: what the tracer reports about an access, and which accesses it reports.
#include <set>

#include "scheduler.h"
#include "tracer.h"

namespace tracer {

namespace {

constexpr size_t kMaxHazards = 20;  // in a call; the first ones show the mistake
// The two sites of a race, or a reason (below 0) and a site.
std::set<std::pair<int, int>> reported;

std::pair<int, int> key_of(Reason reason, uint16_t site) { return {-1 - static_cast<int>(reason), site}; }
bool is_new(std::pair<int, int> key) { return reported.size() < kMaxHazards && reported.insert(key).second; }

Place place_of(const Access& access) {
    const Index index = block_indices[block_at(access.time)];
    return {index, index_of(access.thread), 0, sites[access.site].code};
}

// The place of an address in its area, and the area's length. Both are counted in the tensor's elements or,
// in shared memory, in units of the access's size.
struct Position {
    int64_t element, length;
};
Position position_of(const Area& area, uintptr_t address, size_t bytes) {
    const int64_t element = area.owner(address).element;
    const auto size = element ? element : static_cast<int64_t>(bytes);
    const auto offset = static_cast<int64_t>(address - area.begin);
    const auto length = static_cast<int64_t>(area.end - area.begin);
    return {offset >= 0 ? offset / size : -((size - 1 - offset) / size), length / size};
}

// The area before which an address would be if its index were not an unsigned number that went below 0. The
// address is changed to that place.
const Area* wrapped_around(uintptr_t& address, size_t bytes) {
    for (const auto& area : areas) {
        const uintptr_t element = area->element ? static_cast<uintptr_t>(area->element) : bytes;
        if (address < area->begin || (address - area->begin) / element >> 16 != 0xFFFF) continue;
        address -= element << 32;
        return area.get();
    }
    return nullptr;
}

// A race of a plain read with an atomic operation, reported at the end of the launch. It is not reported if
// the threads that read then make an atomic operation there, which finds out whether the value has changed.
struct AtomicRace {
    uint16_t reader;
    Report race;
};
std::vector<AtomicRace> atomic_races;

// By address, the last exchange in this call and the value that it stored.
std::unordered_map<const void*, std::pair<Access, uint64_t>> exchanges;

// By address, in a call of another order: what was there before a block changed it atomically, the block's
// last change, and when the last block that has read the earlier value began.
struct Earlier {
    uint64_t value;
    size_t bytes;
    Access change;
    uint32_t reader;
};
std::unordered_map<uintptr_t, Earlier> earlier;

}  // namespace

void begin_findings() {
    reported.clear();
    exchanges.clear();
    earlier.clear();
}

bool is_new(Reason reason, uint16_t site) { return is_new(key_of(reason, site)); }

int64_t operation(uint16_t site) {
    return sites[site].asynchronous ? 3 : static_cast<int64_t>(sites[site].op);
}

Place here(uint16_t site) { return {blockIdx, threadIdx, 0, sites[site].code}; }

bool in_red_zone(uintptr_t address) {
    return std::any_of(areas.begin(), areas.end(), [=](const auto& area) {
        return address + kRedZoneBytes >= area->begin && address < area->end + kRedZoneBytes;
    });
}

void report_outside_views(const Area& area, uint16_t site, uintptr_t address) {
    if (area.is_gone()) report_outside(site, address, 1);
    if (!is_new(Reason::kOutsideViews, site)) return;
    const Owner& view = area.owner(address);
    const auto offset = static_cast<int64_t>(address - view.begin);
    report({Reason::kOutsideViews,
            {operation(site), (offset - (offset < 0 ? view.element - 1 : 0)) / view.element,
             static_cast<int64_t>(view.end - view.begin) / view.element},
            {here(site)},
            view.subject});
}

void report_outside(uint16_t site, uintptr_t address, size_t bytes) {
    if (const Subject* memory = emulator::freed_at(address)) {
        report({Reason::kFreedAccess, {operation(site), true}, {here(site)}, *memory});
        stop();
    }
    const Area* nearest = nullptr;
    uintptr_t distance = kRedZoneBytes;
    for (const auto& area : areas) {
        // Dynamic shared memory that the launch does not request.
        if (area->begin == area->end && address - area->begin >= emulator::kMaxSharedBytes) continue;
        const uintptr_t away = address < area->begin  ? area->begin - address
                               : address >= area->end ? address - area->end
                                                      : 0;
        if (away < distance) nearest = area.get(), distance = away;
    }
    const bool wrapped = !nearest;
    if (wrapped) nearest = wrapped_around(address, bytes);
    if (nearest) {
        const auto [element, length] = position_of(*nearest, address, bytes);
        const bool starts_inside = address >= nearest->begin && address < nearest->end;
        report({Reason::kOutOfBounds,
                {operation(site), element, length, starts_inside, wrapped},
                {here(site)},
                nearest->owner(address).subject});
    } else {
        const Reason reason = address < kRedZoneBytes ? Reason::kNullAccess : Reason::kWildAccess;
        report({reason, {operation(site)}, {here(site)}});
    }
    stop();
}

void report_misaligned(uint16_t site, uintptr_t address, size_t bytes) {
    report({Reason::kMisaligned,
            {operation(site), static_cast<int64_t>(bytes), static_cast<int64_t>(address % bytes)},
            {here(site)}});
    stop();
}

void report_race(const Area& area, const Access& before, uint16_t site, const Place& place, uintptr_t address,
                 size_t bytes) {
    // A sample shows only some of the races between blocks, or none.
    if (sampled_launch && !area.shared && before.time < block_time) return;
    if (!is_new(std::minmax(before.site, site))) return;
    const auto [element, length] = position_of(area, address, bytes);
    const Index& index = place.thread;
    const unsigned thread = (index.z * blockDim.y + index.y) * blockDim.x + index.x;
    const bool same_site = before.site == site, in_flight = before.time == kInFlight;
    const bool no_barrier = barrier_time == block_time;
    const bool one_warp = before.time >= block_time && same_warp(before.thread, thread);
    Report race{Reason::kRace,
                {element, length, operation(site), operation(before.site), same_site, in_flight, no_barrier,
                 one_warp},
                {place, place_of(before)},
                area.owner(address).subject};
    const Op op = sites[site].op, op_before = sites[before.site].op;
    if ((op == Op::kRead && op_before == Op::kAtomic) || (op == Op::kAtomic && op_before == Op::kRead)) {
        atomic_races.push_back({op == Op::kRead ? site : before.site, std::move(race)});
    } else {
        report(std::move(race));
    }
}

void report_atomic_races() {
    for (AtomicRace& race : atomic_races) {
        if (!sites[race.reader].before_atomic) report(std::move(race.race));
    }
    atomic_races.clear();
}

void keep_earlier(uintptr_t address, size_t bytes, uint64_t value) {
    Earlier& kept = earlier[address];
    if (kept.change.time < block_time) kept = {value, bytes, {}, 0};
    kept.change = {now, static_cast<uint16_t>(current), 0};
}

const uint64_t* earlier_value(uintptr_t address, size_t bytes) {
    const auto found = earlier.find(address);
    if (found == earlier.end()) return nullptr;
    Earlier& kept = found->second;
    const Area* const area = area_of(address, bytes);
    const bool known = kept.change.time >= block_time || kept.reader == block_time;
    if (known || kept.bytes != bytes || !area || ordered(kept.change, *area)) return nullptr;
    kept.reader = block_time;
    return &kept.value;
}

void report_unwritten(const Area& area, uint16_t site, uintptr_t address, size_t bytes) {
    if (sampled_call && !area.shared) {
        read_unknown = true;
        return;
    }
    const auto [element, length] = position_of(area, address, bytes);
    Report read{Reason::kUnwrittenRead, {element, length}, {here(site)}, area.owner(address).subject};
    if (area.shared) {
        doubt(site, std::move(read));
    } else if (is_new(Reason::kUnwrittenRead, site)) {
        report(std::move(read));
    }
}

}  // namespace tracer

// If a thread has read what it exchanges, and another thread has changed it in the same line, each of them
// could have come between the other's read and exchange. A fence, or a barrier after the read, may belong to
// a lock: another order of the threads shows whether it does.
void emulator::before_exchange(const void* address, size_t bytes, uint64_t value, const void* code) {
    using namespace tracer;
    const auto at = reinterpret_cast<uintptr_t>(address);
    Area* const area = tracing && in_kernel && !replaying ? area_of(at, bytes) : nullptr;
    if (!area || bytes > sizeof value) return;
    const uint16_t site = site_number(code, bytes, Op::kAtomic, true);
    const auto [last, left] =
        std::exchange(exchanges[address], {{now, static_cast<uint16_t>(current), site}, value});
    const bool lost = left != value && memcmp(&left, address, bytes) == 0;
    if (!lost || last.site != site || ordered(last, *area) || thread_fences[current] > barrier_time) return;
    const Cell& cell = *area->cell(at);
    for (const Access& seen : {cell.write, cell.reads[0], cell.reads[1]}) {
        if (seen.thread != current || seen.time < barrier_time) continue;
        if (!is_new(Reason::kLostUpdate, site)) return;
        const auto [element, length] = position_of(*area, at, bytes);
        report({Reason::kLostUpdate,
                {element, length},
                {tracer::here(site), place_of(seen)},
                area->owner(at).subject});
    }
}
