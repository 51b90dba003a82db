// Streams: which launches, copies and fills come before which others.
//
// Each of these operations is done when it is asked for. Streams, events and the host have clocks: for each
// stream, the time of its last operation that comes before what they do next. An operation races with an
// earlier one that its clock does not reach.
#include "scheduler.h"
#include "tracer.h"

namespace tracer {

bool all_before = true;

namespace {

using Times = std::map<const void*, uint32_t>;  // by streams
void join(Times& times, const Times& others) {
    for (const auto& [stream, time] : others) times[stream] = std::max(times[stream], time);
}

struct Clock {
    bool blocking;  // a stream that waits for the default stream, which waits for it
    Times times = {};
};
// By handles. PyTorch's current stream is the default stream. The device's clock has everything.
constexpr const void* kDefaultStream = nullptr;
std::map<const void*, Clock> clocks{{kDefaultStream, {true}}, {kHost, {false}}, {kDevice, {false}}};
uintptr_t made = 0;
Times running;  // what comes before the operation that runs

struct Operation {
    uint32_t time;
    const void* stream;
    bool launch;
};
std::vector<Operation> operations;  // of this call; the first one is what the caller does

// What comes before the next operation there. An unknown stream counts as the default stream.
std::pair<const void* const, Clock>& clock_at(const void* handle) {
    auto found = clocks.find(handle);
    if (found == clocks.end()) found = clocks.find(kDefaultStream);
    for (const auto& [other, each] : clocks) {
        const bool both_block = found->second.blocking && each.blocking;
        if (other == kHost || (both_block && (other == kDefaultStream || found->first == kDefaultStream)))
            join(found->second.times, each.times);
    }
    return *found;
}

const Operation& operation_at(uint32_t time) {
    const auto later = [](uint32_t at, const Operation& each) { return at < each.time; };
    return *std::prev(std::upper_bound(operations.begin(), operations.end(), time, later));
}

// Whether what was done at this time belongs to the operation that runs, or comes before it.
bool is_before(uint32_t time) {
    if (all_before || time < operations[0].time || time >= operations.back().time) return true;
    const Operation& operation = operation_at(time);
    const auto reached = running.find(operation.stream);
    return reached != running.end() && reached->second >= operation.time;
}

}  // namespace

uint32_t begin_operation(cudaStream_t stream, bool launch) {
    if (!tracing) return now;
    auto& [handle, clock] = clock_at(stream);
    Times& everything = clocks.at(kDevice).times;
    running = clock.times;
    all_before = running == everything;
    operations.push_back({++now, handle, launch});
    clock.times[handle] = everything[handle] = now;
    now += kFirstTime;  // the times of what it copies and fills, see time_at()
    return operations.back().time;
}

void begin_streams() {
    for (auto& [handle, clock] : clocks) clock.times.clear();
    operations.clear();
    begin_operation(nullptr, false);
}

uint32_t level_of(uint32_t time) {
    if (time < kFirstTime) return time;
    const Operation& operation = operation_at(time);
    return operation.launch ? kFirstTime : time - operation.time;
}
uint32_t time_at(uint32_t level) { return level == kNever ? kNever : operations.back().time + level; }

void check_order(Area& area, uintptr_t address, Op op, const uint16_t* site) {
    Cell& cell = *area.cell(address);
    if (cell.write.time < area.host_time) cell.write = cell.plain = {area.host_time, 0, 0};
    for (const Access* before : {&cell.write, &cell.reads[0], &cell.reads[1]}) {
        if (is_before(before->time) || (op == Op::kRead && before != &cell.write)) continue;
        const Operation& earlier = operation_at(before->time);
        if (op == Op::kAtomic && earlier.launch && sites[before->site].op == Op::kAtomic) continue;
        const Reason reason = &earlier == &operations[0] ? Reason::kNotWaited : Reason::kUnordered;
        if (!tracer::is_new(reason, site ? *site : 0)) continue;
        const auto [element, length] = position_of(area, address, sizeof(float));
        Report found{reason, {element, length}, {}, area.owner(address).subject};
        const auto add = [&](uint16_t number, Place place) {
            found.numbers.push_back(operation(number));
            place.code = sites[number].code;
            found.places.push_back(place);
        };
        if (site) add(*site, here(*site));
        // The block and the thread of an earlier launch are not kept.
        if (earlier.launch) add(before->site, site ? here(*site) : Place{});
        found.numbers.resize(4);
        report(std::move(found));
    }
}

void check_order_of_copy(uintptr_t begin, size_t bytes, Op op) {
    Area* area = area_of(begin, bytes);
    if (!area || area->shared || (all_before && clocks.size() == 3)) return;  // there is one stream
    for (size_t at = 0; at < bytes; at += size_t{1} << area->shift) {
        check_order(*area, begin + at, op, nullptr);
        if (op == Op::kRead) area->cell(begin + at)->reads[0] = {operations.back().time, 0, 0};
    }
}

void check_joined() {
    begin_operation(nullptr, false);  // what the caller does next
    for (const auto& area : areas) {
        if (all_before || !tracing || area->shared || !area->element || area->is_gone()) continue;
        for (uintptr_t at = area->begin; at < area->end; at += size_t{1} << area->shift) {
            const Access& write = area->cell(at)->write;
            const uint32_t time = std::max(write.time, area->host_time);
            if (is_before(time)) continue;
            Report found{Reason::kNotJoined, {}, {}, area->owner(at).subject};
            if (operation_at(time).launch) found.places.push_back({{}, {}, 0, sites[write.site].code});
            report(std::move(found));
            break;
        }
    }
}

}  // namespace tracer

namespace emulator {

const char kHost[] = "", kDevice[] = "";

cudaError_t make_clock(void* handle, bool blocking) {
    const auto made = reinterpret_cast<const void*>(++tracer::made);
    tracer::clocks[made].blocking = blocking;
    memcpy(handle, &made, sizeof made);
    return cudaSuccess;
}
cudaError_t drop_clock(const void* handle) {
    if (handle) tracer::clocks.erase(handle);
    return cudaSuccess;
}
cudaError_t put_in_order(const void* earlier, const void* later) {
    tracer::join(tracer::clock_at(later).second.times, tracer::clock_at(earlier).second.times);
    return cudaSuccess;
}

}  // namespace emulator
