// Areas of memory, sites and the clock: the tables behind the shadow.
#include <sys/mman.h>

#include <iterator>
#include <new>

#include "tracer.h"

namespace tracer {

std::vector<std::unique_ptr<Area>> areas;
std::map<uintptr_t, std::unique_ptr<Area>> heap;
std::vector<Range> ignored;
uintptr_t closure_begin = 0, closure_end = 0;
std::vector<Site> sites;
uint16_t site_cache[kCachedSites];

uint32_t now = kFirstTime;
uint32_t launch_time, settled_time, block_time, barrier_time;
std::vector<uint32_t> block_times;
std::vector<Index> block_indices;
uint32_t warp_times[kMaxThreads / kWarp];
uint32_t pair_times[kMaxThreads][kWarp];
std::unordered_map<size_t, uint32_t> fence_times;
bool acquired;
uint32_t thread_fences[kMaxThreads], thread_acquired[kMaxThreads];
bool copying = false;

namespace {

// Larger memory is touched only here and there, by a sample.
constexpr size_t kHugePagesUpTo = size_t{1} << 28;
constexpr size_t kMapped = size_t{1} << 16;  // smaller memory takes no mapping of its own
std::vector<std::pair<uintptr_t, uintptr_t>> kept;
constexpr size_t kMaxKept = 4096;
constexpr size_t kMostSites = 0xFFFF;
std::map<std::pair<const void*, size_t>, uint16_t> site_numbers;

}  // namespace

void Unmap::operator()(void* memory) const { bytes < kMapped ? free(memory) : void(munmap(memory, bytes)); }

void* map_zeros(size_t bytes) {
    if (bytes < kMapped) {
        void* memory = calloc(bytes, 1);
        if (!memory) throw std::bad_alloc();
        return memory;
    }
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (bytes <= kHugePagesUpTo) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

Area* area_of(uintptr_t address, size_t bytes) {
    for (const auto& area : areas) {
        if (area->holds(address, bytes)) return area.get();
    }
    const auto after = heap.upper_bound(address);
    if (after != heap.begin() && std::prev(after)->second->holds(address, bytes))
        return std::prev(after)->second.get();
    return nullptr;
}

namespace {

std::unique_ptr<Area> allocation(uintptr_t begin, size_t bytes, bool filled) {
    return std::make_unique<Area>(Subject{Subject::Kind::kAllocation, "", {static_cast<int64_t>(bytes)}},
                                  reinterpret_cast<const void*>(begin), bytes, false, filled);
}

auto kept_at(uintptr_t address, size_t bytes) {
    return std::find_if(kept.begin(), kept.end(), [=](const auto& range) {
        return address >= range.first && address + bytes <= range.second;
    });
}

}  // namespace

bool is_kept(uintptr_t address, size_t bytes) { return kept_at(address, bytes) != kept.end(); }

Area* area_of_kept(uintptr_t address, size_t bytes) {
    const auto found = kept_at(address, bytes);
    if (found == kept.end() || in_red_zone(address)) return nullptr;
    const auto [begin, end] = *found;
    kept.erase(found);
    areas.insert(areas.begin(), allocation(begin, end - begin, true));
    if (is_for_host(begin)) areas.front()->side = Side::kBoth;
    save_for_replay(*areas.front());
    return areas.front().get();
}

void add_to_heap(const void* data, size_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(data);
    auto first = heap.upper_bound(begin);  // what was there was freed
    if (first != heap.begin() && std::prev(first)->second->end > begin) --first;
    const auto last = heap.lower_bound(begin + bytes);
    if (first != last) forget_sites_areas();
    heap.erase(first, last);
    not_kept(begin, begin + bytes);
    heap[begin] = allocation(begin, bytes, false);
}

int64_t line_of(const void* code) {
    return reinterpret_cast<int64_t>(code) & ((int64_t{1} << kLineBits) - 1);
}

void keep(uintptr_t begin, uintptr_t end) {
    if (kept.size() == kMaxKept) kept.erase(kept.begin(), kept.begin() + kMaxKept / 2);
    kept.emplace_back(begin, end);
}

void not_kept(uintptr_t begin, uintptr_t end) {
    const auto overlaps = [=](auto range) { return range.first < end && begin < range.second; };
    kept.erase(std::remove_if(kept.begin(), kept.end(), overlaps), kept.end());
}

bool is_ignored(uintptr_t address, Op op) {
    if (op == Op::kRead && address >= closure_begin && address < closure_end) return true;
    return std::any_of(ignored.begin() + (op == Op::kRead ? 0 : kIndices), ignored.end(),
                       [=](const auto& range) { return emulator::holds(range, address); });
}

uint16_t site_number(const void* code, size_t bytes, Op op, bool strong) {
    uint16_t& cached = site_cache[cache_place(code)];
    if (cached < sites.size() && sites[cached].code == code && sites[cached].bytes == bytes) return cached;
    const auto [found, is_new] = site_numbers.try_emplace({code, bytes}, static_cast<uint16_t>(sites.size()));
    if (is_new && sites.size() == kMostSites) crash(Reason::kTooManySites);
    if (is_new) sites.push_back({code, bytes, op, strong, nullptr, {}, false, current_kernel});
    return cached = found->second;
}

void forget_sites_areas() {
    for (Site& site : sites) site.area = nullptr;
}

void clear_sites() {
    sites.clear();
    site_numbers.clear();
}

size_t block_at(uint32_t time) {
    return static_cast<size_t>(std::upper_bound(block_times.begin(), block_times.end(), time) -
                               block_times.begin()) -
           1;
}

bool ordered_otherwise(const Access& access, const Area& area) {
    if (access.time == kInFlight) return copying && access.thread == current;
    if (access.time >= barrier_time) {
        if (access.thread == current) return true;
        const uint32_t fence = thread_fences[access.thread];
        if (access.time < fence && fence <= thread_acquired[current]) return true;
        if (!same_warp(access.thread, current)) return false;
        return access.time < warp_times[current / kWarp] ||
               access.time < pair_times[current][access.thread % kWarp];
    }
    if (access.time >= block_time || access.time < launch_time || area.shared) return true;
    // An access of another block: only a fence there, followed by an atomic operation here, orders the two
    // accesses. Which atomic operation belongs to which fence is not checked.
    if (!acquired) return false;
    const auto fence = fence_times.find(block_at(access.time));
    return fence != fence_times.end() && access.time < fence->second;
}

bool first_touch(uintptr_t sector, bool written) {
    const auto touch = [=](Area& area) {
        Zeros<uint32_t>& times = area.touched_in[written];
        const uintptr_t first = area.begin / kSectorBytes;
        if (!times) times = zeros<uint32_t>((area.end - 1) / kSectorBytes - first + 1);
        return std::exchange(times[sector - first], launch_time) != launch_time;
    };
    const auto overlaps = [=](const Area& area) {
        return area.begin / kSectorBytes <= sector && sector <= (area.end - 1) / kSectorBytes;
    };
    for (const auto& area : areas) {
        if (!area->shared && overlaps(*area)) return touch(*area);
    }
    const auto after = heap.lower_bound((sector + 1) * kSectorBytes);
    return after != heap.begin() && overlaps(*std::prev(after)->second) && touch(*std::prev(after)->second);
}

}  // namespace tracer
