// Areas of memory, sites and the clock: the tables behind the shadow.
#define EMULATOR_RUNTIME
#include "shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <new>

namespace tracer {

using emulator::current;
using emulator::Index;
using emulator::kMaxThreads;
using emulator::kSectorBytes;
using emulator::kWarp;

std::vector<std::unique_ptr<Area>> areas;
std::vector<emulator::Range> ignored;
uintptr_t closure_begin = 0, closure_end = 0;
std::vector<Site> sites;
uint16_t site_cache[kCachedSites];

uint32_t now = kFirstTime;
uint32_t launch_time, block_time, barrier_time;
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
std::vector<std::pair<uintptr_t, uintptr_t>> kept;
constexpr size_t kMaxKept = 4096;
constexpr size_t kMostSites = 0xFFFF;
std::map<std::pair<const void*, size_t>, uint16_t> site_numbers;

}  // namespace

void Unmap::operator()(void* memory) const { munmap(memory, bytes); }

void* map_zeros(size_t bytes) {
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
    return nullptr;
}

void keep(uintptr_t begin, uintptr_t end) {
    if (kept.size() == kMaxKept) kept.erase(kept.begin(), kept.begin() + kMaxKept / 2);
    kept.emplace_back(begin, end);
}

void not_kept(uintptr_t begin, uintptr_t end) {
    const auto overlaps = [=](auto range) { return range.first < end && begin < range.second; };
    kept.erase(std::remove_if(kept.begin(), kept.end(), overlaps), kept.end());
}

bool is_kept(uintptr_t address, size_t bytes) {
    return std::any_of(kept.begin(), kept.end(),
                       [=](auto range) { return address >= range.first && address + bytes <= range.second; });
}

bool is_ignored(uintptr_t address, Op op) {
    if (address >= closure_begin && address < closure_end) return true;
    return std::any_of(ignored.begin() + (op == Op::kRead ? 0 : kIndices), ignored.end(),
                       [=](const auto& range) { return emulator::holds(range, address); });
}

uint16_t site_number(const void* code, size_t bytes, Op op, bool strong) {
    uint16_t& cached = site_cache[cache_place(code)];
    if (cached < sites.size() && sites[cached].code == code && sites[cached].bytes == bytes) return cached;
    const auto [found, is_new] = site_numbers.try_emplace({code, bytes}, static_cast<uint16_t>(sites.size()));
    if (is_new && sites.size() == kMostSites) emulator::crash(emulator::Reason::kTooManySites);
    if (is_new) sites.push_back({code, bytes, op, strong, nullptr, {}, false, emulator::current_kernel});
    return cached = found->second;
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
    const auto overlaps = [=](const Area& area) {
        return area.begin / kSectorBytes <= sector && sector <= (area.end - 1) / kSectorBytes;
    };
    for (const auto& area : areas) {
        if (area->shared || !overlaps(*area)) continue;
        Zeros<uint32_t>& times = area->touched_in[written];
        const uintptr_t first = area->begin / kSectorBytes;
        if (!times) times = zeros<uint32_t>((area->end - 1) / kSectorBytes - first + 1);
        return std::exchange(times[sector - first], launch_time) != launch_time;
    }
    return false;
}

}  // namespace tracer
