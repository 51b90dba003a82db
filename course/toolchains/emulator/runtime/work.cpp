// Work: how the accesses of one launch to global memory are spread over its threads, and its stores over the
// elements.
//
// The requests of a warp arrive here when they are merged (traffic.cpp), block after block and warp after
// warp.
#include "tracer.h"

namespace work {

using tracer::Area, tracer::Op, tracer::Stored;

std::vector<Launch> launches;
Block block;

namespace {

// Stores are counted only for tensors of at most this many elements, with 16 bytes for each. Larger tensors
// are those of a sample.
constexpr size_t kMostElements = size_t{1} << 22;

uint32_t launch_number = 0;       // counted over all calls, since areas outlive a launch
const Area* most_area = nullptr;  // the area of the element with the most writers
size_t most_element = 0;
constexpr size_t kMostAddresses = 4096;  // whose atomic operations are counted
// Those on each address, in global memory and in the shared memory of the block.
std::unordered_map<uintptr_t, uint64_t> operations[2];

// Returns how many of these elements the thread had not stored before. A warp that returns to an element
// after a later warp, behind a barrier, is not counted again. So the counts are never too large.
uint64_t store(Launch& launch, Area& area, size_t first, size_t last, uint32_t warp, unsigned lane) {
    const size_t size = area.element ? static_cast<size_t>(area.element) : 4;
    const size_t count = (area.end - area.begin + size - 1) / size;
    if (count > kMostElements) return 0;
    if (!area.stored) area.stored = tracer::zeros<Stored>(count);
    uint64_t added = 0;
    for (size_t i = first / size; i <= last / size; ++i) {
        Stored& element = area.stored[i];
        if (element.launch != launch_number) element = {launch_number, warp, 0, 0};
        if (warp > element.warp) element.warp = warp, element.lanes = 0;
        if (warp < element.warp || element.lanes >> lane & 1u) continue;
        element.lanes |= 1u << lane;
        ++added;
        launch.elements += element.writers == 0;
        launch.repeated += element.writers == 1;
        if (++element.writers <= launch.writers) continue;
        launch.writers = element.writers;
        most_area = &area;
        most_element = i;
    }
    return added;
}

}  // namespace

void begin() {
    launches.clear();
    most_area = nullptr;  // of a launch that was cut off
    operations[true].clear();
}

void begin_launch(const char* kernel) {
    launches.push_back({kernel, gridDim, blockDim});
    ++launch_number;
    block = {std::vector<Thread>(blockDim.x * blockDim.y * blockDim.z)};
    most_area = nullptr;
    operations[false].clear();
}

void count_request(unsigned warp, int64_t cycles) {
    ++block.requests[warp];
    block.cycles += static_cast<uint64_t>(cycles);
}

void contend(const uintptr_t* addresses, unsigned count, bool shared) {
    auto& known = operations[shared];
    for (unsigned i = 0; i < count; ++i) {
        const bool has_room = known.size() < kMostAddresses || known.count(addresses[i]);
        if (has_room) launches.back().contended = std::max(launches.back().contended, ++known[addresses[i]]);
    }
}

void count(uint16_t number, const uintptr_t* addresses, const unsigned* lanes, unsigned count, size_t bytes,
           unsigned first_thread) {
    const tracer::Site& site = tracer::sites[number];
    const uint32_t warp = block.warps_before + first_thread / kWarp;
    for (unsigned i = 0; i < count; ++i) {
        Thread& thread = block.threads[first_thread + lanes[i]];
        thread.worked = true;
        if (site.op == Op::kRead) continue;
        thread.stored = true;
        if (site.op == Op::kAtomic) continue;
        const bool known = site.area && site.area->holds(addresses[i], bytes);
        Area* area = known ? site.area : tracer::area_of(addresses[i], bytes);
        if (!area) continue;
        const size_t first = addresses[i] - area->begin;
        thread.elements += store(launches.back(), *area, first, first + bytes - 1, warp, lanes[i]);
    }
}

void end_block() {
    if (launches.empty()) return;
    Launch& launch = launches.back();
    for (uint64_t& requests : block.requests)
        launch.busiest_warp = std::max(launch.busiest_warp, std::exchange(requests, 0));
    launch.busiest_block = std::max(launch.busiest_block, std::exchange(block.cycles, 0));
    operations[true].clear();
    const size_t size = block.threads.size();
    for (size_t i = 0; i < size; ++i) {
        Thread& thread = block.threads[i];
        launch.working += thread.worked;
        launch.storing += thread.stored;
        if (thread.stored) launch.last_storing = block.threads_before + i;
        launch.stored += thread.elements;
        launch.most_stored = std::max(launch.most_stored, thread.elements);
        launch.copied = std::max(launch.copied, thread.copied);
        launch.tensor_sums = std::max(launch.tensor_sums, thread.tensor_sums);
        if (thread.shared_loads) launch.unoverlapped = std::max(launch.unoverlapped, thread.unoverlapped);
        thread = {};
    }
    block.threads_before += size;
    block.warps_before += (size + kWarp - 1) / kWarp;
}

void end_launch() {
    end_block();
    if (!most_area) return;
    launches.back().label = most_area->owners[0].subject.name;
    launches.back().parameter = most_area->parameter;
    launches.back().element = most_element;
    most_area = nullptr;
}

}  // namespace work
