// The tracer: looks at every access to global and shared memory before it is made.
//
// A traced module is compiled with g++'s thread-sanitizer instrumentation, and this file supplies what that
// calls, so each load and store arrives with its address, its size and the place in the code. Each word of a
// traced memory area has a shadow cell that remembers who wrote it last and who has read it since, and when,
// on a clock that every barrier advances. From that follow races, and reads of what nobody has written.
#define EMULATOR_RUNTIME
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "course/aoti.h"
#include "internal.h"

namespace {

using emulator::current;
using emulator::in_kernel;
using emulator::Index;
using emulator::kMaxThreads;
using emulator::kRedZoneBytes;
using emulator::kSectorBytes;
using emulator::kStackBytes;
using emulator::kWarp;
using emulator::Place;
using emulator::report;
using tracer::Op;

constexpr size_t kPiece = 16;       // bytes of a memcpy that count as one access
constexpr size_t kMaxHazards = 20;  // of a call; the first ones tell the mistake

// ---------------------------------------------------------------------------------------------------------------
// Areas of memory and their shadow.

// Times on the clock; the first ones stand for what the host did before any launch.
constexpr uint32_t kNever = 0, kCopied = 1, kFilled = 2, kFirstTime = 3;
constexpr uint32_t kInFlight = ~0u;  // of what an asynchronous copy stores, until it is waited for

// An access that was made: at what time, by which thread of the block, from which place in the code.
struct Access {
    uint32_t time;
    uint16_t thread;
    uint16_t site;
};

// Of one word: the last write, the last one that was not atomic, and up to two reads that are not ordered
// with each other, of different warps where there are such. With two readers at hand a writer always differs
// from one of them.
struct Cell {
    Access write, plain, reads[2];
};

// Zeros, which take memory only where they are touched.
struct Unmap {
    size_t bytes = 0;
    void operator()(void* memory) const { munmap(memory, bytes); }
};
constexpr size_t kHugePagesUpTo = size_t{1} << 28;  // what is larger is touched here and there, by a sample
using Cells = std::unique_ptr<Cell[], Unmap>;
Cells make_cells(size_t count) {
    const size_t bytes = count * sizeof(Cell);
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (bytes <= kHugePagesUpTo) madvise(memory, bytes, MADV_HUGEPAGE);
    return Cells(static_cast<Cell*>(memory), Unmap{bytes});
}

struct Area {
    std::string name;        // in sentences
    std::string label;       // its own name, empty where it has none
    int64_t parameter = -1;  // of the kernel that runs, which points here
    tracer::Layout layout;
    int64_t number = -1;  // among `arrays`, in this launch
    uintptr_t begin, end;
    bool shared;
    bool filled;               // has values before any kernel writes some
    bool touched = false;      // by a kernel
    bool is_variable = false;  // of the module
    bool is_constant = false;  // __constant__, whose loads ask nothing of global memory
    int64_t element;           // bytes; 0 for what is no tensor
    unsigned shift;  // a cell is for 1 << shift bytes: a word, or a byte once an access was narrower
    Cells cells;
    uint32_t host_time = kNever;          // when the host wrote all of it
    std::vector<uint32_t> touched_in[2];  // when a launch last read, and wrote, each of its sectors

    Area(std::string name, std::string label, const void* data, size_t bytes, bool shared, bool filled,
         int64_t element)
        : name(std::move(name)),
          label(std::move(label)),
          begin(reinterpret_cast<uintptr_t>(data)),
          end(begin + bytes),
          shared(shared),
          filled(filled),
          element(element),
          shift((begin | bytes | static_cast<size_t>(element)) % 4 == 0 ? 2 : 0) {
        cells = make_cells((bytes >> shift) + 1);
    }
    bool holds(uintptr_t address, size_t bytes) const { return address >= begin && address + bytes <= end; }
    Cell* cell(uintptr_t address) const { return &cells[(address - begin) >> shift]; }
    void narrow() {
        const size_t bytes = end - begin;
        Cells narrowed = make_cells(bytes + 1);
        for (size_t i = 0; i < bytes; ++i) narrowed[i] = cells[i >> shift];
        cells = std::move(narrowed);
        shift = 0;
    }
};

bool tracing = false;
int64_t copied = 0;   // bytes of tensors that the host wrote in this call
int64_t to_host = 0;  // bytes that left the device for the host, in all calls

// An array in the log, of the launch of a kernel. `label` is its own name; empty, it is known only as one of
// the kernel's parameters, from 0 on, or (-1) not at all.
struct Array {
    const char* kernel;
    uintptr_t begin;
    std::string label;
    int64_t parameter;
};
std::vector<Array> arrays;
std::vector<std::unique_ptr<Area>> areas;
std::vector<std::pair<uintptr_t, uintptr_t>> ignored;  // memory that is neither global nor shared
// Whether an address is the running thread's own.
bool is_local(uintptr_t address) { return address - emulator::current_stack < kStackBytes; }

// Memory of earlier calls, which a wrapper may keep in a static variable, and of `new` in kernels.
std::vector<std::pair<uintptr_t, uintptr_t>> kept;
constexpr size_t kMaxKept = 4096;
uintptr_t closure_begin = 0, closure_end = 0;  // the kernel's parameters

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

// Memory that is given out again is kept no longer.
void not_kept(uintptr_t begin, uintptr_t end) {
    const auto overlaps = [=](auto range) { return range.first < end && begin < range.second; };
    kept.erase(std::remove_if(kept.begin(), kept.end(), overlaps), kept.end());
}

bool is_kept(uintptr_t address, size_t bytes) {
    return std::any_of(kept.begin(), kept.end(),
                       [=](auto range) { return address >= range.first && address + bytes <= range.second; });
}

bool is_ignored(uintptr_t address) {
    if (address >= closure_begin && address < closure_end) return true;
    return std::any_of(ignored.begin(), ignored.end(),
                       [=](auto range) { return address >= range.first && address < range.second; });
}

// ---------------------------------------------------------------------------------------------------------------
// Sites: the instructions that access memory.

struct Site {
    const void* code;  // the return address of the hook's call
    size_t bytes;
    Op op;
    bool strong;         // volatile or atomic: such accesses to global memory do not race with each other
    Area* area;          // what it touched last
    bool counted[2];     // whether its traffic in global, and in shared memory, is counted
    bool before_atomic;  // whether the thread went on to an atomic operation at the same place
    const char* kernel;
    bool asynchronous = false;  // the store of an asynchronous copy
};
std::vector<Site> sites;
std::map<std::pair<const void*, size_t>, uint16_t> site_numbers;
constexpr size_t kMostSites = 0xFFFF;
constexpr size_t kCachedSites = 1024;
uint16_t site_cache[kCachedSites];
inline size_t cache_place(const void* code) {
    return (reinterpret_cast<uintptr_t>(code) >> 1) % kCachedSites;
}

// A piece of code that copies any number of bytes is a site for each.
uint16_t site_number(const void* code, size_t bytes, Op op, bool strong) {
    uint16_t& cached = site_cache[cache_place(code)];
    if (cached < sites.size() && sites[cached].code == code && sites[cached].bytes == bytes) return cached;
    const auto [found, is_new] = site_numbers.try_emplace({code, bytes}, static_cast<uint16_t>(sites.size()));
    if (is_new && sites.size() == kMostSites) {
        emulator::trap(
            "the kernels of this call access memory in more than 65535 places of their code, more "
            "than can be told apart: trace fewer of them, or unroll less");
    }
    if (is_new) sites.push_back({code, bytes, op, strong, nullptr, {}, false, emulator::current_kernel});
    return cached = found->second;
}

// ---------------------------------------------------------------------------------------------------------------
// Time.

uint32_t now = kFirstTime;
uint32_t launch_time, block_time, barrier_time;  // when the launch, the block began, and its last barrier was
std::vector<uint32_t> block_times;               // of the launch's blocks, in the order in which they run
std::vector<Index> block_indices;                // of the same blocks
uint64_t most_accesses = 0;  // of a launch; one with more is traced on a sample of its blocks; 0: no limit
constexpr uint64_t kSampleShare = 8;  // a sample makes as much of that, about
bool sampled_launch = false, sampled_call = false;
bool read_unknown = false;  // whether a block read what one outside of the sample may have written
uint32_t warp_times[kMaxThreads / kWarp];  // when a warp's lanes last met in a __syncwarp(), all of them
// Of a thread and a lane of its warp: up to when it has waited for it in a __syncwarp() of some lanes, be it
// through others.
uint32_t pair_times[kMaxThreads][kWarp];
std::unordered_map<size_t, uint32_t> fence_times;  // of blocks: when a thread last called __threadfence()
bool acquired;  // whether this block has made an atomic operation, or read through a volatile pointer
// When a thread last called a fence, and last did what sets `acquired`.
uint32_t thread_fences[kMaxThreads], thread_acquired[kMaxThreads];

size_t block_at(uint32_t time) {
    return static_cast<size_t>(std::upper_bound(block_times.begin(), block_times.end(), time) -
                               block_times.begin()) -
           1;
}

bool same_warp(unsigned a, unsigned b) { return a / kWarp == b / kWarp; }
bool copying = false;  // whether the access is an asynchronous copy's own

// Whether an access to `area` comes before what the running thread does now, in every order in which the
// threads may run.
bool ordered_otherwise(const Access& access, const Area& area);
inline bool ordered(const Access& access, const Area& area) {
    return access.time < (area.shared ? barrier_time : launch_time) || ordered_otherwise(access, area);
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
    // Of another block: only a fence there, followed by an atomic operation here, orders the two. Which
    // atomic operation belongs to which fence is not looked at.
    if (!acquired) return false;
    const auto fence = fence_times.find(block_at(access.time));
    return fence != fence_times.end() && access.time < fence->second;
}

// ---------------------------------------------------------------------------------------------------------------
// Sentences. The address of a code stands in them in braces; Python puts its line there.

size_t reported = 0;
std::set<std::pair<int, int>> told;  // two sites of a race, or one of these and a site
constexpr int kUnwritten = -1, kSameValue = -2, kOnHost = -3, kNotCounted = -4, kUnknown = -5, kUnused = -6;

constexpr char kNoBarrierYet[] = "{no barrier yet}", kOneWarp[] = "{one warp}";  // for Python's advice

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

// A race of a plain read with an atomic operation, told at the end of the launch: none where the threads
// that read go on to an atomic operation there, which finds out whether the value has changed meanwhile.
struct AtomicRace {
    uint16_t reader;
    std::string text;
    std::vector<Place> places;
};
std::vector<AtomicRace> atomic_races;

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

// ---------------------------------------------------------------------------------------------------------------
// Reads of shared memory that nobody has written.
//
// A right kernel may make one and drop the value: threads past the edge of the matrix sum up the padding of a
// tile, and do not store the sum. Where values go is not traced. So a block that has made such a read runs
// again, from the same global memory and with other values in its shared arrays. Where it leaves global
// memory bit for bit the same each time, the value decided nothing, and the read is a remark; else it is a
// hazard.
//
// Zeros are among the values, since a kernel may be right by luck with them alone; NaN (which fmaxf drops),
// the largest and the smallest numbers, since a maximum or a minimum drops one of these; and noise, since
// equal values compare equal.

constexpr unsigned char kEverywhere[] = {0xFF, 0x00, 0x7F,
                                         0xFE};    // in each byte; the block runs with NaN first
constexpr size_t kFills = sizeof kEverywhere + 1;  // and noise

void fill_shared(size_t fill) {
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

constexpr size_t kMostStores = size_t{1} << 20;  // of a block that can be taken back
bool depends = false;  // whether the block may do anything else with other values in shared memory

// The stores of a block to global memory, by which they can be taken back and made again.
class Journal {
  public:
    void note(uintptr_t address, size_t bytes) {
        if (stores_.size() == kMostStores) depends = true;
        if (depends) return;
        stores_.push_back({address, bytes});
        before_.append(reinterpret_cast<const char*>(address), bytes);
    }
    void close() {  // the block has ended
        for (const Store& store : stores_)
            after_.append(reinterpret_cast<const char*>(store.address), store.bytes);
    }
    void undo() const {
        size_t from = before_.size();
        for (size_t i = stores_.size(); i-- > 0;) {
            from -= stores_[i].bytes;
            memcpy(reinterpret_cast<void*>(stores_[i].address), &before_[from], stores_[i].bytes);
        }
    }
    void redo() const {
        size_t from = 0;
        for (const Store& store : stores_) {
            memcpy(reinterpret_cast<void*>(store.address), &after_[from], store.bytes);
            from += store.bytes;
        }
    }
    bool is_as_left() const {  // whether memory holds what the block left where it stored something
        size_t from = 0;
        return std::all_of(stores_.begin(), stores_.end(), [&](const Store& store) {
            return !memcmp(reinterpret_cast<const void*>(store.address),
                           &after_[std::exchange(from, from + store.bytes)], store.bytes);
        });
    }
    void clear() {
        stores_.clear();
        before_.clear();
        after_.clear();
    }

  private:
    struct Store {
        uintptr_t address;
        size_t bytes;
    };
    std::vector<Store> stores_;
    std::string before_, after_;
};
Journal journal;          // of the block that runs
Journal first_run;        // of the same block with the first fill
bool journaling = false;  // whether this launch's blocks have shared memory
bool replaying = false;   // whether the block runs again: nothing is traced or reported meanwhile
bool counted = false;     // traffic::counting outside of replays
size_t fill = 0;

struct Doubt {
    uint16_t site;
    std::string text;
    Place place;
};
std::vector<Doubt> doubts;  // of the block that runs, one for each site

void doubt(uint16_t site, const std::string& text) {
    const bool known =
        told.count({kUnwritten, site}) ||
        std::any_of(doubts.begin(), doubts.end(), [=](const Doubt& each) { return each.site == site; });
    if (!known) doubts.push_back({site, text, here(site)});
}

void end_replays() {
    if (std::exchange(replaying, false)) {
        tracing = true;
        traffic::counting = counted;
    }
    for (Doubt& each : doubts) {
        if (!is_new(depends ? kUnwritten : kUnused, each.site)) continue;
        each.text +=
            depends ? ": is it filled everywhere, with zeros past the edges?" : "; no result depends on it";
        report(depends ? "uninitialised-read" : "remark", each.text, {each.place});
    }
    doubts.clear();
    journal.clear();
    first_run.clear();
}

void access_again(uintptr_t address, size_t bytes, Op op) {
    const Area* area = area_of(address, bytes);
    if (!area && !is_ignored(address) && !is_kept(address, bytes)) emulator::stop();
    if (op == Op::kRead || (area && area->shared)) return;
    journal.note(address, bytes);
    if (depends) emulator::stop();
}

void report_unwritten(const Area& area, uint16_t site, uintptr_t address, size_t bytes) {
    if (sampled_call && !area.shared) {
        read_unknown = true;
        return;
    }
    const std::string text = line_of(site) + " reads " + area.name + " where nothing was written before, " +
                             element_at(area, address, bytes);
    if (area.shared) {
        doubt(site, text);
    } else if (is_new(kUnwritten, site)) {
        report("uninitialised-read", text + ": new memory holds what was left there, not zeros",
               {here(site)});
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Races.

// A write over another thread's, which is known for a race once its value is there: several threads may store
// the same value.
struct Pending {
    const Area* area = nullptr;  // null: there is none
    Access before;
    uint16_t site;
    uintptr_t begin, end;
    Place place;
    char bytes[64];  // what was there
} pending;

void settle() {
    if (!pending.area) return;
    const Area& area = *pending.area;
    pending.area = nullptr;
    const size_t bytes = pending.end - pending.begin;
    const bool same = bytes <= sizeof pending.bytes &&
                      memcmp(pending.bytes, reinterpret_cast<const void*>(pending.begin), bytes) == 0;
    if (!same) {
        report_race(area, pending.before, pending.site, pending.place, pending.begin, bytes);
    } else if (is_new(kSameValue, pending.site)) {
        report("remark",
               line_of(pending.site) + " stores the same value in " + area.name + " from several threads",
               {pending.place});
    }
}

void note_pending(const Area& area, const Access& before, uint16_t site, uintptr_t begin, uintptr_t end) {
    if (pending.area) {
        pending.end = end;
        return;
    }
    pending = {&area, before, site, begin, end, here(site), {}};
    // All that could be told apart, since the access may reach further than this cell.
    memcpy(pending.bytes, reinterpret_cast<const void*>(begin),
           std::min(sizeof pending.bytes, static_cast<size_t>(area.end - begin)));
}

// Of a read and a write, or of two writes where one is atomic: a flag that is waited for, a lock.
bool both_strong(const Access& access, uint16_t site, const Area& area) {
    return !area.shared && sites[access.site].strong && sites[site].strong;
}

uint32_t written_since(const Area& area) {
    return area.shared ? block_time : area.filled || area.host_time >= kCopied ? kNever : kCopied;
}

// Whether any of the bytes were written; of a struct that is copied as a whole the padding never is.
bool any_written(const Area& area, const Cell* cell, size_t bytes) {
    const size_t cells = std::max(bytes >> area.shift, size_t{1});
    return std::any_of(cell, cell + cells,
                       [&](const Cell& each) { return each.write.time >= written_since(area); });
}

inline void note_read(const Area& area, Cell& cell, const Access& access) {
    auto& [first, second] = cell.reads;
    // Most often: nothing new where two of now are at hand, of two warps or both of this one.
    if (first.time == now && second.time == now && first.time >= barrier_time &&
        (!same_warp(first.thread, second.thread) || same_warp(first.thread, current))) {
        return;
    }
    if (ordered(first, area)) {
        first = access;
    } else if (ordered(second, area) || same_warp(first.thread, second.thread)) {
        second = access;
    }
}

void read(const Area& area, Cell& cell, uint16_t site, uintptr_t address, size_t bytes,
          bool must_be_written) {
    if (!ordered(cell.write, area) && !both_strong(cell.write, site, area)) {
        report_race(area, cell.write, site, here(site), address, bytes);
    }
    if (must_be_written && cell.write.time < written_since(area))
        report_unwritten(area, site, address, bytes);
    note_read(area, cell, {now, static_cast<uint16_t>(current), site});
}

void write(const Area& area, Cell& cell, uint16_t site, uintptr_t address, size_t bytes, bool uses_old) {
    const bool atomic = sites[site].op == Op::kAtomic;
    const auto both_atomic = [=](const Access& access) {
        return atomic && sites[access.site].op == Op::kAtomic;
    };
    const auto a_lock = [&](const Access& access) {
        return both_strong(access, site, area) && (atomic || sites[access.site].op == Op::kAtomic);
    };
    if (atomic && uses_old && cell.write.time < written_since(area)) {
        report_unwritten(area, site, address, bytes);
    }
    if (atomic && !ordered(cell.plain, area) && !a_lock(cell.plain)) {
        report_race(area, cell.plain, site, here(site), address, bytes);
    } else if (!ordered(cell.write, area) && !both_atomic(cell.write) && !a_lock(cell.write)) {
        const bool in_flight = cell.write.time == kInFlight && !copying;
        if (sites[site].op == Op::kWrite && sites[cell.write.site].op == Op::kWrite && !in_flight) {
            note_pending(area, cell.write, site, address, address + bytes);
        } else {
            report_race(area, cell.write, site, here(site), address, bytes);
        }
    }
    for (const Access& reader : cell.reads) {
        if (!ordered(reader, area) && !both_strong(reader, site, area)) {
            report_race(area, reader, site, here(site), address, bytes);
        }
        if (sites[site].op == Op::kAtomic && reader.thread == current && reader.time >= block_time) {
            sites[reader.site].before_atomic = true;
        }
    }
    cell.write = {now, static_cast<uint16_t>(current), site};
    if (!atomic) cell.plain = cell.write;
}

// The last write to what is at an address, or since when the host has given all of its area values.
Access last_write(const Area& area, uintptr_t address) {
    Access write = area.cell(address)->write;
    write.time = std::max({write.time, area.host_time, area.filled ? kCopied : kNever});
    return write;
}
void set_last_write(const Area& area, uintptr_t begin, size_t bytes, const Access& write) {
    Cell* const last = area.cell(begin + bytes - 1);
    for (Cell* cell = area.cell(begin); cell <= last; ++cell) cell->write = cell->plain = write;
}

// The wrapper uses an address: on a GPU a tensor's would not be the host's to touch.
void look_at_host(uintptr_t address, size_t bytes, Op op, const void* code) {
    Area* area = area_of(address, bytes);
    if (area && !area->element) {
        if (op == Op::kRead) to_host += static_cast<int64_t>(bytes);
        if (op == Op::kWrite) set_last_write(*area, address, bytes, {kCopied, 0, 0});
    }
    if (!area || !area->element) return;
    const uint16_t site = site_number(code, bytes, op, false);
    if (!is_new(kOnHost, site)) return;
    const std::string text = line_of(site) + " of the wrapper" + verb(site) + area->name +
                             " through its device pointer: the host cannot follow that; a kernel can";
    report("host-access", text, {{{}, {}, 0, code}});
}

void access(uintptr_t address, size_t bytes, Op op, bool aligned, const void* code, bool strong = false,
            bool uses_old = true) {
    if (!in_kernel) {
        look_at_host(address, bytes, op, code);
        return;
    }
    if (is_local(address)) return;
    if (replaying) return access_again(address, bytes, op);
    settle();
    const uint16_t number = site_number(code, bytes, op, strong);
    Site& site = sites[number];
    if (!site.area || !site.area->holds(address, bytes)) {
        if (is_ignored(address)) return;
        site.area = area_of(address, bytes);
        if (!site.area) {
            if (!is_kept(address, bytes) || in_red_zone(address)) report_outside(number, address, bytes);
            if (journaling && op != Op::kRead) journal.note(address, bytes);
            return;
        }
    }
    if (aligned && address % bytes != 0) report_misaligned(number, address, bytes);
    Area& area = *site.area;
    if (area.shift && (address | bytes) % 4 != 0) area.narrow();
    area.touched = true;
    if (journaling && op != Op::kRead && !area.shared) journal.note(address, bytes);
    if (strong && !area.shared) acquired = true, thread_acquired[current] = now;
    if (op != Op::kRead) area.is_constant = false;  // a kernel that writes there has it in global memory
    if (traffic::counting && !area.is_constant) {
        if (!site.counted[area.shared]) {
            site.counted[area.shared] = true;
            traffic::count_site(number, bytes, op, area.shared);
        }
        traffic::log(code, traffic::key_of(number, area.shared), address);
    }
    const size_t step = size_t{1} << area.shift;
    Cell* cell = area.cell(address);
    const bool must_be_written =
        op == Op::kRead && ((aligned && area.element >= 4) || !any_written(area, cell, bytes));
    for (size_t done = 0; done < bytes; done += step, ++cell) {
        if (op == Op::kRead) {
            read(area, *cell, number, address + done, step, must_be_written);
        } else {
            write(area, *cell, number, address + done, step, uses_old);
        }
    }
}

template <typename T>
void store(T* to, T value, const void* code) {
    access(reinterpret_cast<uintptr_t>(to), sizeof value, Op::kWrite, true, code);
    *to = value;
}

// What nearly every access is: one at a known place in the code, to the area that this place touched before,
// and after all that others did there. Where it is not, or not surely so, `access` looks closer.
template <Op kOp>
inline __attribute__((always_inline)) void quick_access(uintptr_t address, size_t bytes, const void* code) {
    const auto look_closer = [=] { access(address, bytes, kOp, true, code); };
    const uint16_t number = site_cache[cache_place(code)];
    if (!in_kernel || replaying || pending.area || number >= sites.size() || bytes < 4) return look_closer();
    Site& site = sites[number];
    if (site.code != code || site.bytes != bytes || !site.area || !site.area->holds(address, bytes) ||
        site.area->is_constant || address % bytes != 0 || site.area->shift != 2 ||
        site.counted[site.area->shared] != traffic::counting) {
        return look_closer();
    }
    const Area& area = *site.area;
    const uint32_t before = area.shared ? barrier_time : launch_time;
    Cell* cell = area.cell(address);
    Cell* const end = cell + bytes / 4;
    for (const Cell* each = cell; each != end; ++each) {
        if (each->write.time >= before) return look_closer();
        if (kOp == Op::kRead && each->write.time < written_since(area)) return look_closer();
        if (kOp == Op::kWrite && (each->reads[0].time >= before || each->reads[1].time >= before))
            return look_closer();
    }
    if (kOp == Op::kWrite && journaling && !area.shared) journal.note(address, bytes);
    if (traffic::counting) traffic::log(code, traffic::key_of(number, area.shared), address);
    const Access now_here{now, static_cast<uint16_t>(current), number};
    for (; cell != end; ++cell) {
        if (kOp == Op::kRead) {
            note_read(area, *cell, now_here);
        } else {
            cell->write = cell->plain = now_here;
        }
    }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------
// What the scheduler tells.

namespace tracer {

void begin_launch(const void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters,
                  const void* shared, size_t shared_bytes) {
    if (!tracing) return;
    for (const auto& area : areas) area->parameter = area->number = -1;
    for (size_t i = parameters; i-- > 0;) {
        Area* area = area_of(reinterpret_cast<uintptr_t>(pointers[i]), 1);
        if (area) area->parameter = static_cast<int64_t>(i);
    }
    closure_begin = reinterpret_cast<uintptr_t>(closure);
    closure_end = closure_begin + closure_bytes;
    forget(shared);
    if (shared_bytes) {
        areas.push_back(std::make_unique<Area>("the dynamic shared memory", "shared", shared, shared_bytes,
                                               true, false, 0));
    }
    traffic::begin_launch(emulator::current_kernel, blockDim.x * blockDim.y * blockDim.z,
                          uint64_t{gridDim.x} * gridDim.y * gridDim.z);
    journaling = std::any_of(areas.begin(), areas.end(), [](const auto& area) { return area->shared; });
    launch_time = ++now;
    block_times.clear();
    block_indices.clear();
    sampled_launch = false;
    fence_times.clear();
}

void name_dynamic_shared(const char* name) {
    if (tracing && areas.back()->shared && !areas.back()->is_variable) areas.back()->label = name;
}

void end_launch(bool whole) {
    if (!tracing && !replaying) return;
    depends = true;  // the launch was stopped in a block that has doubts still
    end_replays();
    settle();
    if (whole) {
        traffic::merge();
        traffic::end_part(1);
    } else {
        traffic::drop();
    }
    if (traffic::given_up && is_new(kNotCounted, 0)) {
        report("remark",
               "the kernel does too much between two barriers for its traffic to be counted: trace smaller "
               "inputs",
               {});
    }
    if (read_unknown && is_new(kUnknown, 0)) {
        traffic::drop();
        report("remark",
               "a block reads what blocks outside of the sample may have written, so what it does cannot be "
               "told: trace "
               "smaller inputs",
               {});
    }
    for (AtomicRace& race : atomic_races) {
        if (!sites[race.reader].before_atomic) report("race", race.text, std::move(race.places));
    }
    atomic_races.clear();
}

uint64_t begin_sample(uint64_t run) {
    if (!tracing || !traffic::counting || !most_accesses || !run) return 0;
    const uint64_t blocks = uint64_t{gridDim.x} * gridDim.y * gridDim.z;
    const double each = static_cast<double>(traffic::asked) / static_cast<double>(run);
    if (run == blocks || each * static_cast<double>(blocks) <= static_cast<double>(most_accesses)) return 0;
    settle();
    traffic::merge();
    traffic::end_part(1);
    sampled_launch = sampled_call = true;
    return 1 + static_cast<uint64_t>(static_cast<double>(most_accesses / kSampleShare) / each);
}

void end_part(double weight) {
    traffic::merge();
    traffic::end_part(weight);
}

void begin_block() {
    if (!tracing) return;
    settle();
    traffic::begin_block();
    block_time = barrier_time = ++now;
    block_times.push_back(now);
    block_indices.push_back(blockIdx);
    acquired = copying = depends = false;
    fill_shared(fill = 0);
}

bool begin_replay() {
    if (doubts.empty()) {
        journal.clear();
        return false;
    }
    if (!replaying) {
        settle();
        journal.close();
        std::swap(journal, first_run);
        counted = std::exchange(traffic::counting, false);
        tracing = false;
        replaying = true;
    }
    if (depends || ++fill == kFills) {
        end_replays();
        return false;
    }
    first_run.undo();
    fill_shared(fill);
    return true;
}

void end_replay(bool whole) {
    journal.close();
    depends |= !whole || !first_run.is_as_left();
    journal.undo();
    first_run.redo();
    depends |= !journal.is_as_left();
    journal.clear();
}

bool is_replaying() { return replaying; }

void barrier() {
    if (!tracing) return;
    settle();
    traffic::barrier();
    barrier_time = ++now;
}

// What an asynchronous copy stores, as the shadow of shared memory has it; null outside of that.
Cell* cells_of_copy(const void* to, size_t stored, size_t& count) {
    const auto address = reinterpret_cast<uintptr_t>(to);
    const Area* area = area_of(address, stored);
    if (!area || !area->shared) return nullptr;
    count = stored >> area->shift;
    return area->cell(address);
}

void begin_copy(const void* to, size_t stored, const void* from, size_t loaded, const void* code) {
    if (!tracing) return;
    // Two accesses of one call, which need a place in the code each.
    const void* load = static_cast<const char*>(code) - 1;
    if (loaded) access(reinterpret_cast<uintptr_t>(from), loaded, Op::kRead, true, load);
    if (in_kernel) sites[site_number(code, stored, Op::kWrite, false)].asynchronous = true;
    copying = true;
    access(reinterpret_cast<uintptr_t>(to), stored, Op::kWrite, true, code);
    copying = false;
    const Area* source = loaded ? area_of(reinterpret_cast<uintptr_t>(from), loaded) : nullptr;
    size_t count = 0;
    Cell* cell = cells_of_copy(to, stored, count);
    if (!cell || (source && source->shared) || (loaded && is_local(reinterpret_cast<uintptr_t>(from)))) {
        emulator::trap(
            "__pipeline_memcpy_async copies from global to shared memory: its first argument must point into "
            "a "
            "__shared__ array, and its second into a tensor");
    }
    for (Cell* const end = cell + count; cell != end; ++cell) cell->write.time = kInFlight;
}

void end_copy(const void* to, size_t stored, const void* code) {
    if (!tracing) return;
    const bool counting = std::exchange(traffic::counting, false);  // it was, when the copy began
    copying = true;
    access(reinterpret_cast<uintptr_t>(to), stored, Op::kWrite, true, code);
    copying = false;
    traffic::counting = counting;
}

void forget_copy(const void* to, size_t stored) {
    size_t count = 0;
    Cell* cell = tracing ? cells_of_copy(to, stored, count) : nullptr;
    for (Cell* const end = cell + count; cell != end; ++cell) {
        if (cell->write.time == kInFlight) cell->write.time = kNever;
    }
}

void sync_warp(unsigned first, unsigned lanes) {
    if (!tracing) return;
    settle();
    ++now;
    if (lanes == ~0u) {
        warp_times[first / kWarp] = now;
        return;
    }
    // What one of them had waited for, all of them have now.
    for (unsigned of = 0; of < kWarp; ++of) {
        uint32_t known = lanes >> of & 1u ? now : kNever;
        for (unsigned lane = 0; lane < kWarp; ++lane) {
            if (lanes >> lane & 1u) known = std::max(known, pair_times[first + lane][of]);
        }
        for (unsigned lane = 0; lane < kWarp; ++lane) {
            if (lanes >> lane & 1u) pair_times[first + lane][of] = known;
        }
    }
}

void add_global(const std::string& name, const std::string& label, const void* data, int64_t bytes,
                int64_t element, bool filled, Layout layout) {
    if (!tracing || bytes == 0) return;
    areas.push_back(
        std::make_unique<Area>(name, label, data, static_cast<size_t>(bytes), false, filled, element));
    areas.back()->layout = std::move(layout);
    not_kept(areas.back()->begin, areas.back()->end);
}

void forget(const void* data) {
    const auto gone = [=](const auto& area) { return area->begin == reinterpret_cast<uintptr_t>(data); };
    areas.erase(std::remove_if(areas.begin(), areas.end(), gone), areas.end());
    for (Site& site : sites) site.area = nullptr;
}

void finish() {
    tracing = false;
    for (const auto& area : areas) {
        if (!area->shared && !area->is_variable) keep(area->begin, area->end);
    }
    areas.clear();
    arrays.clear();
    sites.clear();
    site_numbers.clear();
}

Spot spot_of(uintptr_t address) {
    Area* area = area_of(address, 1);
    if (area->number < 0) {
        area->number = static_cast<int64_t>(arrays.size());
        arrays.push_back({emulator::current_kernel, area->begin, area->label, area->parameter});
    }
    return {area->number, static_cast<int64_t>(address - area->begin)};
}

bool first_touch(uintptr_t sector, bool written) {
    const auto overlaps = [=](const Area& area) {
        return area.begin / kSectorBytes <= sector && sector <= (area.end - 1) / kSectorBytes;
    };
    for (const auto& area : areas) {
        if (area->shared || !overlaps(*area)) continue;
        std::vector<uint32_t>& times = area->touched_in[written];
        const uintptr_t first = area->begin / kSectorBytes;
        if (times.empty()) times.resize((area->end - 1) / kSectorBytes - first + 1);
        return std::exchange(times[sector - first], launch_time) != launch_time;
    }
    return false;
}

}  // namespace tracer

// ---------------------------------------------------------------------------------------------------------------
// Tables of numbers for Python.

namespace {

std::vector<int64_t> table;

template <class... T>
void add_to_table(T... numbers) {
    const auto as_number = [](auto number) {
        if constexpr (std::is_pointer_v<decltype(number)>)
            return reinterpret_cast<int64_t>(number);
        else
            return static_cast<int64_t>(number);
    };
    (table.push_back(as_number(numbers)), ...);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------
// What Python calls.

namespace {

// A tensor's elements. The sizes and strides are the tensor's own.
struct View {
    uintptr_t begin;
    std::vector<int64_t> sizes, strides;
    uintptr_t bytes;  // of an element

    explicit View(AtenTensorHandle tensor) {
        int64_t ndim = 0, *all_sizes = nullptr, *all_strides = nullptr;
        int32_t dtype = 0;
        void* data = nullptr;
        aoti_torch_get_dim(tensor, &ndim);
        aoti_torch_get_dtype(tensor, &dtype);
        aoti_torch_get_sizes(tensor, &all_sizes);
        aoti_torch_get_strides(tensor, &all_strides);
        aoti_torch_get_data_ptr(tensor, &data);
        begin = reinterpret_cast<uintptr_t>(data);
        sizes.assign(all_sizes, all_sizes + ndim);
        strides.assign(all_strides, all_strides + ndim);
        bytes = static_cast<uintptr_t>(emulator::element_bytes(dtype));
    }
    uintptr_t address(const std::vector<int64_t>& index) const {
        int64_t offset = 0;
        for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
        return begin + static_cast<uintptr_t>(offset) * bytes;
    }
    template <class Function>
    void for_each(Function function) const {
        if (std::count(sizes.begin(), sizes.end(), 0)) return;
        std::vector<int64_t> index(sizes.size());
        for (bool more = true; more;) {
            function(index);
            more = false;
            for (size_t d = index.size(); d-- > 0 && !more;) {
                more = ++index[d] < sizes[d];
                if (!more) index[d] = 0;
            }
        }
    }
};

}  // namespace

// g++ instruments neither the load of `expected` nor the store to it where the values differ.
template <typename T>
static bool compare_exchange(T* address, T* expected, T value, const void* code) {
    const auto place = reinterpret_cast<uintptr_t>(expected);
    if (in_kernel) access(place, sizeof *expected, Op::kRead, true, code);
    T found = *expected;
    const bool same =
        __atomic_compare_exchange_n(address, &found, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (same) return true;
    if (in_kernel) access(place, sizeof *expected, Op::kWrite, true, code);
    *expected = found;
    return false;
}

extern "C" {

// The next call is of a traced module, the one that `code` belongs to. Its writable variables are given by
// their places in its file, and whether they are shared arrays, or __constant__. A launch with more than
// `most` accesses is counted on a sample of its blocks, where `most` is not 0. Returns where the module lies
// in memory.
const void* emulator_trace(const void* code, int64_t count, const char** names, const int64_t* offsets,
                           const int64_t* sizes, const bool* shared, const bool* constant, bool counting,
                           int64_t most) {
    tracing = true;
    traffic::begin(counting);
    copied = 0;
    most_accesses = static_cast<uint64_t>(most);
    sampled_call = read_unknown = false;
    reported = 0;
    told.clear();
    ignored.clear();
    for (const Index* index : {&threadIdx, &blockIdx, &blockDim, &gridDim}) {
        const auto begin = reinterpret_cast<uintptr_t>(index);
        ignored.emplace_back(begin, begin + sizeof *index);
    }
    struct Module {
        uintptr_t code, base;
    } module{reinterpret_cast<uintptr_t>(code), 0};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* found) {
            auto& module = *static_cast<Module*>(found);
            std::vector<std::pair<uintptr_t, uintptr_t>> constants;
            bool here = false;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
                // Tables of virtual functions are writable only until they are relocated.
                if (segment.p_type == PT_GNU_RELRO) constants.emplace_back(begin, end);
                if (segment.p_type != PT_LOAD) continue;
                here |= module.code >= begin && module.code < end;
                if (!(segment.p_flags & PF_W)) constants.emplace_back(begin, end);
            }
            if (!here) return 0;
            module.base = info->dlpi_addr;
            ignored.insert(ignored.end(), constants.begin(), constants.end());
            return 1;
        },
        &module);
    for (int64_t i = 0; i < count; ++i) {
        const auto* begin = reinterpret_cast<const void*>(module.base + static_cast<uintptr_t>(offsets[i]));
        areas.push_back(std::make_unique<Area>(
            (shared[i] ? "the shared array " : "the variable ") + std::string(names[i]), names[i], begin,
            static_cast<size_t>(sizes[i]), shared[i], true, 0));
        areas.back()->is_variable = true;
        areas.back()->is_constant = constant[i];
    }
    return reinterpret_cast<const void*>(module.base);
}

// Each of these makes a table of the last call, row after row, and returns how many rows it has. Code, kernel
// and label are addresses; op is 0 for load, 1 for store, 2 for atomic.

// Of each site and space that has traffic: its number, code, kernel, op, whether it is shared memory, bytes a
// thread, requests, units, ideal, lanes.
int64_t emulator_traffic(const int64_t** numbers) {
    table.clear();
    int64_t rows = 0;
    for (size_t number = 0; number < sites.size(); ++number) {
        const Site& site = sites[number];
        for (const bool shared : {false, true}) {
            const traffic::Count* count = traffic::count_of(static_cast<uint16_t>(number), shared);
            if (!count) continue;
            add_to_table(traffic::key_of(static_cast<uint16_t>(number), shared), site.code, site.kernel,
                         static_cast<int64_t>(site.op), shared, count->bytes, count->requests, count->units,
                         count->ideal, count->lanes);
            ++rows;
        }
    }
    *numbers = table.data();
    return rows;
}

// Of each array in the log: kernel, address, label, parameter.
int64_t emulator_arrays(const int64_t** numbers) {
    table.clear();
    for (const Array& each : arrays)
        add_to_table(each.kernel, each.begin, each.label.c_str(), each.parameter);
    *numbers = table.data();
    return static_cast<int64_t>(arrays.size());
}

// Of each access in the log: the numbers of its site and its array, offset, thread (three), lane, request,
// interval. `left_out`: how many more there were.
int64_t emulator_accesses(const int64_t** numbers, int64_t* left_out) {
    table.clear();
    for (const traffic::Logged& each : traffic::accesses) {
        add_to_table(each.key, each.spot.array, each.spot.offset, each.thread.x, each.thread.y, each.thread.z,
                     each.lane, each.request, each.interval);
    }
    *numbers = table.data();
    *left_out = static_cast<int64_t>(traffic::left_out);
    return static_cast<int64_t>(traffic::accesses.size());
}

// Of each dimension of each tensor: its memory's address, bytes an element, the first element, size, stride.
int64_t emulator_layouts(const int64_t** numbers) {
    table.clear();
    int64_t rows = 0;
    for (const auto& area : areas) {
        const tracer::Layout& layout = area->layout;
        for (size_t i = 0; i < layout.sizes.size(); ++i, ++rows)
            add_to_table(area->begin, area->element, layout.offset, layout.sizes[i], layout.strides[i]);
    }
    *numbers = table.data();
    return rows;
}

// Of each launch: kernel, sectors of global memory that it read, and wrote; its blocks that ran, and all of
// them.
int64_t emulator_touched(const int64_t** numbers) {
    table.clear();
    for (const traffic::Touched& each : traffic::touched)
        add_to_table(each.kernel, each.read, each.written, each.run, each.blocks);
    *numbers = table.data();
    return static_cast<int64_t>(traffic::touched.size());
}

// Whether the traffic of the last call was counted to its end.
bool emulator_counted_all() { return !traffic::given_up; }

// The bytes of tensors that the host copied in the last call.
int64_t emulator_copied_bytes() { return copied; }
// The bytes that traced wrappers have copied to the host, or read in memory that both can use.
int64_t emulator_to_host_bytes() { return to_host; }

// Reports the elements of a result that no kernel wrote. Those that the host set to one value may stay as
// they are, and those that it copied where a kernel has looked at the tensor.
void emulator_check_written(AtenTensorHandle tensor, const char* name) {
    const View view(tensor);
    const Area* area = area_of(view.begin, 1);
    if (sampled_call || !area || area->filled) return;
    std::vector<int64_t> first;
    const uint32_t written = area->touched ? kCopied : kFilled;
    int64_t unwritten = 0, all = 0;
    view.for_each([&](const std::vector<int64_t>& index) {
        const Cell* cell = area->cell(view.address(index));
        if (std::max(cell->write.time, area->host_time) < written && unwritten++ == 0) first = index;
        ++all;
    });
    if (!unwritten) return;
    std::string where;
    for (const int64_t i : first) where += (where.empty() ? "" : ", ") + std::to_string(i);
    report("unwritten-output",
           "no kernel writes " + std::to_string(unwritten) + " of the " + std::to_string(all) +
               " elements of " + name + ", the first of them at [" + where + "]",
           {});
}

// The host wrote `bytes` from `data` on: copies of those from `source` on, or where that is null, one value
// to all of them. A copy of what a kernel wrote counts as written by that kernel.
void emulator_host_wrote(const void* data, const void* source, int64_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(data), end = begin + static_cast<uintptr_t>(bytes);
    if (!tracing || bytes <= 0) return;
    Area* area = area_of(begin, static_cast<size_t>(bytes));
    if (!area) {
        if (source && !is_kept(begin, static_cast<size_t>(bytes))) to_host += bytes;
        return;
    }
    if (source) copied += bytes;
    const auto address = reinterpret_cast<uintptr_t>(source);
    const Area* from = source ? area_of(address, static_cast<size_t>(bytes)) : nullptr;
    if (from && from->touched && !sampled_call) {
        area->touched = true;
        const size_t step = size_t{1} << std::min(area->shift, from->shift);
        for (size_t at = 0; at < end - begin; at += step)
            set_last_write(*area, begin + at, step, last_write(*from, address + at));
        return;
    }
    const uint32_t time = source ? kCopied : kFilled;
    if (begin == area->begin && end == area->end && !area->touched) {
        area->host_time = std::max(area->host_time, time);
    } else {
        set_last_write(*area, begin, end - begin, {time, 0, 0});
    }
}

// The same for a copy between tensors, the source broadcast; `span` are the bytes from the target's first
// element to the end of its last.
void emulator_host_copied(AtenTensorHandle tensor, AtenTensorHandle source, int64_t span) {
    if (!tracing) return;
    const View to(tensor), from(source);
    Area* area = area_of(to.begin, static_cast<size_t>(span));
    const Area* origin = area_of(from.begin, 1);
    if (!area || !origin || !origin->touched || sampled_call) {
        emulator_host_wrote(reinterpret_cast<const void*>(to.begin),
                            reinterpret_cast<const void*>(from.begin), span);
        return;
    }
    copied += span;
    area->touched = true;
    const size_t outer = to.sizes.size() - from.sizes.size();  // dimensions that the source lacks
    std::vector<int64_t> element(from.sizes.size());
    to.for_each([&](const std::vector<int64_t>& index) {
        for (size_t d = 0; d < element.size(); ++d) element[d] = from.sizes[d] == 1 ? 0 : index[outer + d];
        set_last_write(*area, to.address(index), to.bytes, last_write(*origin, from.address(element)));
    });
}

// ---------------------------------------------------------------------------------------------------------------
// What g++'s instrumentation calls.

#define HOOK(name, bytes, op, aligned, strong)                                                        \
    void __tsan_##name##bytes(void* address) {                                                        \
        access(reinterpret_cast<uintptr_t>(address), bytes, op, aligned, __builtin_return_address(0), \
               strong);                                                                               \
    }
#define TRACED(bytes)                                                                                       \
    void __tsan_read##bytes(void* address) {                                                                \
        quick_access<Op::kRead>(reinterpret_cast<uintptr_t>(address), bytes, __builtin_return_address(0));  \
    }                                                                                                       \
    void __tsan_write##bytes(void* address) {                                                               \
        quick_access<Op::kWrite>(reinterpret_cast<uintptr_t>(address), bytes, __builtin_return_address(0)); \
    }                                                                                                       \
    HOOK(unaligned_read, bytes, Op::kRead, false, false)                                                    \
    HOOK(unaligned_write, bytes, Op::kWrite, false, false)                                                  \
    HOOK(volatile_read, bytes, Op::kRead, true, true)                                                       \
    HOOK(volatile_write, bytes, Op::kWrite, true, true)                                                     \
    HOOK(unaligned_volatile_read, bytes, Op::kRead, false, true)                                            \
    HOOK(unaligned_volatile_write, bytes, Op::kWrite, false, true)
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
#undef TRACED
#undef HOOK
void __tsan_read_range(void* address, size_t bytes) {
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kRead, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, size_t bytes) {
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kWrite, false, __builtin_return_address(0));
}
// Mostly of the host's code: reference counts, for one.
#define LOOK(op)   \
    if (in_kernel) \
    access(reinterpret_cast<uintptr_t>(address), sizeof *address, op, true, __builtin_return_address(0), true)
#define ATOMIC_CHANGE(bits, name)                                                                     \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t* address, uint##bits##_t value, int) { \
        LOOK(Op::kAtomic);                                                                            \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                     \
    }
#define ATOMIC(bits)                                                                                     \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t* address, int) {                      \
        LOOK(Op::kRead);                                                                                 \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                               \
    }                                                                                                    \
    void __tsan_atomic##bits##_store(uint##bits##_t* address, uint##bits##_t value, int) {               \
        LOOK(Op::kWrite);                                                                                \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                    \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t* address, uint##bits##_t* expected, \
                                                      uint##bits##_t value, int, int) {                  \
        LOOK(Op::kAtomic);                                                                               \
        return compare_exchange(address, expected, value, __builtin_return_address(0));                  \
    }                                                                                                    \
    int __tsan_atomic##bits##_compare_exchange_weak(uint##bits##_t* address, uint##bits##_t* expected,   \
                                                    uint##bits##_t value, int, int) {                    \
        LOOK(Op::kAtomic);                                                                               \
        return compare_exchange(address, expected, value, __builtin_return_address(0));                  \
    }                                                                                                    \
    uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t* address, uint##bits##_t value, int) {  \
        LOOK(Op::kAtomic);                                                                               \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                    \
    }                                                                                                    \
    ATOMIC_CHANGE(bits, fetch_xor)                                                                       \
    ATOMIC_CHANGE(bits, fetch_add)                                                                       \
    ATOMIC_CHANGE(bits, fetch_sub)                                                                       \
    ATOMIC_CHANGE(bits, fetch_and)                                                                       \
    ATOMIC_CHANGE(bits, fetch_or)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
#undef ATOMIC
#undef ATOMIC_CHANGE
#undef LOOK
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __sanitizer_cov_trace_pc() {
    if (traffic::counting && in_kernel) traffic::log(__builtin_return_address(0), traffic::kMark, 0);
}

// What a traced module calls in place of these functions (ld's --wrap), which nothing instruments.
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
    const auto* code = static_cast<const char*>(__builtin_return_address(0));
    const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
    if (!in_kernel && bytes) {
        look_at_host(source, bytes, Op::kRead, code);
        look_at_host(target, bytes, Op::kWrite, code - 1);
    }
    if (!in_kernel || (is_local(target) && is_local(source))) return memmove(to, from, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        access(source + done, std::min(kPiece, bytes - done), Op::kRead, false, code);
    }
    const std::string values(static_cast<const char*>(from), bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(target + done, piece, Op::kWrite, false, code - 1);  // a site of its own, in the same line
        memcpy(static_cast<char*>(to) + done, values.data() + done, piece);
    }
    return to;
}
#define SAME(name, as, ...) void* __wrap_##name(__VA_ARGS__) __attribute__((alias("__wrap_" as)))
SAME(memcpy, "memmove", void*, const void*, size_t);
SAME(__memcpy_chk, "memmove", void*, const void*,
     size_t);  // a fourth argument, the room there, is left alone
SAME(__memmove_chk, "memmove", void*, const void*, size_t);
void* __wrap_memset(void* to, int value, size_t bytes) {
    if (!in_kernel && bytes)
        look_at_host(reinterpret_cast<uintptr_t>(to), bytes, Op::kWrite, __builtin_return_address(0));
    if (!in_kernel || is_local(reinterpret_cast<uintptr_t>(to))) return memset(to, value, bytes);
    for (size_t done = 0; done < bytes; done += kPiece) {
        const size_t piece = std::min(kPiece, bytes - done);
        access(reinterpret_cast<uintptr_t>(to) + done, piece, Op::kWrite, false, __builtin_return_address(0));
        memset(static_cast<char*>(to) + done, value, piece);
    }
    return to;
}
SAME(__memset_chk, "memset", void*, int, size_t);
#undef SAME
// Those of the mathematical functions that store a result.
#define STORES(name, type, second)                     \
    type __wrap_##name(type x, second* to) {           \
        second value;                                  \
        const type result = name(x, &value);           \
        store(to, value, __builtin_return_address(0)); \
        return result;                                 \
    }
STORES(frexp, double, int)
STORES(frexpf, float, int)
STORES(modf, double, double)
STORES(modff, float, float)
#undef STORES
#define STORES_BOTH(name, type)                                                   \
    void __wrap_##name(type x, type* sine, type* cosine) {                        \
        const auto* code = static_cast<const char*>(__builtin_return_address(0)); \
        type values[2];                                                           \
        name(x, &values[0], &values[1]);                                          \
        store(sine, values[0], code);                                             \
        store(cosine, values[1], code - 1);                                       \
    }
STORES_BOTH(sincos, double)
STORES_BOTH(sincosf, float)
#undef STORES_BOTH
// What %n has it store would be seen by nobody.
int __wrap_printf(const char* format, ...) {
    if (replaying) return 0;
    for (const char* at = in_kernel ? std::strchr(format, '%') : nullptr; at; at = std::strchr(at + 1, '%')) {
        at += 1 + std::strspn(at + 1, "0123456789-+ #'*.$hlLjztqIwZ");
        if (*at == 'n') emulator::trap("a kernel's printf stores nothing: %n is unknown on a GPU");
        if (!*at) break;
    }
    va_list values;
    va_start(values, format);
    const int printed = vprintf(format, values);
    va_end(values);
    return printed;
}
void* __wrap_malloc(size_t bytes) {
    void* memory = malloc(bytes);
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    if (in_kernel && tracing && memory) {
        keep(begin, begin + bytes);
        depends = true;  // what is stored there cannot be taken back once it is freed
    }
    return memory;
}
void* __wrap__Znwm(size_t bytes) { return in_kernel ? __wrap_malloc(bytes) : operator new(bytes); }
void* __wrap__Znam(size_t bytes) { return in_kernel ? __wrap_malloc(bytes) : operator new[](bytes); }

// The layout of what g++ passes about an index that is out of bounds (libsanitizer/ubsan/ubsan_handlers.h).
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const struct {
        uint16_t kind, info;
        char name[1];
    } * array_type, *index_type;
};
void __ubsan_handle_out_of_bounds(const OutOfBounds* what, uintptr_t index) {
    // The type says in its lowest bit whether it is signed, above that the logarithm of its size in bits.
    const bool is_signed = what->index_type->info & 1;
    const unsigned unused = 64 - (1u << (what->index_type->info >> 1));
    const auto as_signed = static_cast<int64_t>(index << unused) >> unused;
    std::string text = "line " + std::to_string(what->line) + " uses index " +
                       (is_signed ? std::to_string(as_signed) : std::to_string(index)) +
                       " in an array of type " + what->array_type->name;
    text += !is_signed && as_signed < 0 ? ": an unsigned index went below 0"
                                        : ", counted from 0: is a guard missing, or the index wrong?";
    if (!in_kernel) emulator::trap(text.c_str());
    report("out-of-bounds", text, {{blockIdx, threadIdx, static_cast<int>(what->line), nullptr}});
    emulator::stop();
}
void __ubsan_handle_missing_return(const void*) {
    emulator::trap("a function ended without its return statement");
}

}  // extern "C"

namespace emulator {

void fence(bool of_block) {
    if (!in_kernel || !tracing) return;
    thread_fences[current] = ++now;
    if (!of_block) fence_times[block_times.size() - 1] = now;
}
void atomic_access(const void* address, size_t bytes, bool uses_old) {
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kAtomic, true, __builtin_return_address(0), true,
           uses_old);
}
void copy_untraced(void* to, const void* from, size_t bytes) { memmove(to, from, bytes); }
void fill_untraced(void* to, int value, size_t bytes) { memset(to, value, bytes); }

}  // namespace emulator
