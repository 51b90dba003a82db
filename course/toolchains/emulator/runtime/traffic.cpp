// Traffic: what the accesses of single threads cost a warp, which makes one request of what its lanes do
// together.
//
// Each thread keeps a log of its accesses, and of the basic blocks of code it ran through. At a barrier, and
// at the end of a block, the logs of a warp's lanes are merged as the hardware runs them: the lanes whose
// code address is lowest go first, all that are there at once, so lanes that took another branch, or left a
// loop early, wait where the paths meet again.
#define EMULATOR_RUNTIME
#include <algorithm>
#include <cstring>
#include <utility>

#include "internal.h"

namespace {

using emulator::kMaxThreads;
using emulator::kWarp;
using traffic::Count;

constexpr uintptr_t kSectorBytes = 32;
constexpr unsigned kBanks = 32;
constexpr uintptr_t kWordBytes = 4;

// Packed, since there are many: where in the code, and the address (none for a mark), with its space and its
// site in the bits that no address has.
struct Event {
    uintptr_t code, packed;

    static constexpr unsigned kSharedBit = 47, kSiteBit = 48;
    uintptr_t address() const { return packed & ((uintptr_t{1} << kSharedBit) - 1); }
    bool shared() const { return packed >> kSharedBit & 1; }
    size_t site() const { return packed >> kSiteBit; }
    bool joins(const Event& other) const {
        return (packed == 0) == (other.packed == 0) && packed >> kSharedBit == other.packed >> kSharedBit;
    }
};
constexpr uintptr_t kDone = ~uintptr_t{0};  // of code: where a lane is that has no more events

std::vector<Event> logs[kMaxThreads];
constexpr size_t kMostEvents = size_t{1} << 24;  // in the logs at one time: 256 MiB
size_t logged = 0;
unsigned logged_threads = 0;  // those from 0 on may have logs
std::vector<Count> counts[2];

bool logging = false, logs_next = false;  // whether the accesses of this block, and the next, are kept
constexpr size_t kMostLogged = 100'000;
uint64_t requests = 0, interval = 0;

// The distinct ones of at most this many values.
constexpr size_t kMostWords = kWarp * 4;
struct Distinct {
    uintptr_t values[kMostWords];
    size_t size = 0;
    uintptr_t firsts[kBanks] =
        {};  // of the values that end alike, the first: mostly it is the one looked for
    void add(uintptr_t value) {
        uintptr_t& first = firsts[value % kBanks];
        if (first == value) return;
        if (first) {
            for (size_t i = 0; i < size; ++i) {
                if (values[i] == value) return;
            }
        } else {
            first = value;
        }
        values[size++] = value;
    }
};

// How often the fullest bank is asked, each time for another word.
unsigned conflicts(const Distinct& words) {
    unsigned asked[kBanks] = {}, most = 0;
    for (size_t i = 0; i < words.size; ++i) most = std::max(most, ++asked[words.values[i] % kBanks]);
    return most;
}

// A wavefront serves 128 bytes: of 4 bytes a lane the whole warp, of 8 and 16 bytes a half and a quarter of
// it, each with conflicts of its own (NVIDIA, forums.developer.nvidia.com/t/260900). Two such parts are
// served as one where lanes in pairs ask for the same address, n and n ^ 1 in all the warp or n and n ^ 2, or
// one of the pair for nothing (NVIDIA, forums.developer.nvidia.com/t/77228).
unsigned wavefronts(const uintptr_t* addresses, const unsigned* lanes, unsigned count, uintptr_t bytes) {
    unsigned part = kWarp;
    if (bytes > kWordBytes) {
        uintptr_t of_lane[kWarp] = {};
        for (unsigned i = 0; i < count; ++i) of_lane[lanes[i]] = addresses[i];
        const auto in_pairs = [&](unsigned distance) {
            return std::all_of(lanes, lanes + count, [&](unsigned lane) {
                const uintptr_t other = of_lane[lane ^ distance];
                return !other || other == of_lane[lane];
            });
        };
        part = kWarp * static_cast<unsigned>(kWordBytes) / static_cast<unsigned>(bytes);
        if (in_pairs(1) || in_pairs(2)) part *= 2;
    }
    unsigned sum = 0;
    for (unsigned first = 0, i = 0; first < kWarp; first += part) {
        Distinct words;
        for (; i < count && lanes[i] < first + part; ++i) {
            for (uintptr_t at = 0; at < bytes; at += kWordBytes) words.add((addresses[i] + at) / kWordBytes);
        }
        sum += conflicts(words);
    }
    return sum;
}

Distinct sectors(const uintptr_t* addresses, unsigned count, uintptr_t bytes) {
    Distinct touched;
    for (unsigned i = 0; i < count; ++i) {
        touched.add(addresses[i] / kSectorBytes);
        touched.add((addresses[i] + bytes - 1) / kSectorBytes);
    }
    return touched;
}

unsigned at_least(const uintptr_t* addresses, unsigned count, uintptr_t bytes, uintptr_t unit) {
    Distinct starts;
    for (unsigned i = 0; i < count; ++i) starts.add(addresses[i]);
    return static_cast<unsigned>((starts.size * bytes + unit - 1) / unit);
}

// Keeps a request whole, or not at all.
void log_request(const Event& event, const uintptr_t* addresses, const unsigned* lanes, unsigned count,
                 uint64_t bytes, unsigned first_thread) {
    if (traffic::left_out || traffic::accesses.size() + count > kMostLogged) {
        traffic::left_out += count;
        return;
    }
    for (unsigned i = 0; i < count; ++i) {
        const tracer::Array array = tracer::array_at(addresses[i]);
        traffic::accesses.push_back({event.site(), event.shared(), bytes, array, addresses[i] - array.begin,
                                     emulator::index_of(first_thread + lanes[i]), lanes[i], requests,
                                     interval});
    }
    ++requests;
}

void touch(const Distinct& sectors, tracer::Op op) {
    traffic::Touched& launch = traffic::touched.back();
    for (size_t i = 0; i < sectors.size; ++i) {
        if (op != tracer::Op::kWrite) launch.read += tracer::first_touch(sectors.values[i], false);
        if (op != tracer::Op::kRead) launch.written += tracer::first_touch(sectors.values[i], true);
    }
}

void count_request(const Event& event, uintptr_t* addresses, const unsigned* lanes, unsigned count,
                   unsigned first_thread) {
    const bool shared = event.shared();
    Count& total = counts[shared][event.site()];
    for (uintptr_t done = 0; done < total.asked; done += total.bytes) {
        ++total.requests;
        total.lanes += count;
        if (logging) log_request(event, addresses, lanes, count, total.bytes, first_thread);
        if (shared) {
            total.units += wavefronts(addresses, lanes, count, total.bytes);
        } else {
            const Distinct touched = sectors(addresses, count, total.bytes);
            total.units += touched.size;
            touch(touched, total.op);
        }
        total.ideal += at_least(addresses, count, total.bytes, shared ? kBanks * kWordBytes : kSectorBytes);
        for (unsigned i = 0; i < count; ++i) addresses[i] += total.bytes;
    }
}

void merge_warp(unsigned first_thread) {
    std::vector<Event>* log = logs + first_thread;
    const Event *at[kWarp], *end[kWarp];
    uintptr_t codes[kWarp];
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        at[lane] = log[lane].data();
        end[lane] = at[lane] + log[lane].size();
        codes[lane] = at[lane] != end[lane] ? at[lane]->code : kDone;
    }
    for (;;) {
        const uintptr_t code = *std::min_element(codes, codes + kWarp);
        if (code == kDone) break;
        const Event* event = nullptr;
        uintptr_t addresses[kWarp];
        unsigned lanes[kWarp], count = 0;
        for (unsigned lane = 0; lane < kWarp; ++lane) {
            // Lanes at the same instruction may be in different spaces, or ask for other sizes: the others
            // wait.
            if (codes[lane] != code || (event && !event->joins(*at[lane]))) continue;
            event = at[lane]++;
            codes[lane] = at[lane] != end[lane] ? at[lane]->code : kDone;
            lanes[count] = lane;
            addresses[count++] = event->address();
        }
        if (event->packed) count_request(*event, addresses, lanes, count, first_thread);
    }
    for (unsigned lane = 0; lane < kWarp; ++lane) log[lane].clear();
}

}  // namespace

namespace traffic {

bool counting = false, given_up = false;
std::vector<Logged> accesses;
uint64_t left_out = 0;
std::vector<Touched> touched;

void begin(bool count) {
    counting = count;
    given_up = false;
    for (unsigned i = 0; i < logged_threads; ++i) logs[i] = {};
    logged = logged_threads = 0;
    for (auto& of_space : counts) of_space.clear();
    accesses.clear();
    touched.clear();
    requests = left_out = 0;
}

void begin_launch(const char* kernel) {
    const auto same = [=](const Touched& launch) { return std::string(launch.kernel) == kernel; };
    if (!counting) return;
    logs_next = std::none_of(touched.begin(), touched.end(), same);
    touched.push_back({kernel, 0, 0});
}

void begin_block() {
    merge();
    logging = std::exchange(logs_next, false);
    interval = 0;
}

void barrier() {
    merge();
    ++interval;
}

void mark(const void* code) {
    logs[emulator::current].push_back({reinterpret_cast<uintptr_t>(code), 0});
    logged_threads = std::max(logged_threads, emulator::current + 1);
    if (++logged < kMostEvents) return;
    drop();
    given_up = true;
}

void log(const void* code, uintptr_t address, size_t bytes, uint16_t site, tracer::Op op, bool shared) {
    std::vector<Count>& of_space = counts[shared];
    if (of_space.size() <= site) of_space.resize(site + 1u);
    if (!of_space[site].asked) {
        // What no load of the hardware holds, a struct, is loaded word by word.
        const bool in_words = bytes > 16 || (bytes & (bytes - 1)) != 0;
        of_space[site].op = op;
        of_space[site].asked = bytes;
        of_space[site].bytes = !in_words ? bytes : bytes % kWordBytes ? 1 : kWordBytes;
    }
    mark(code);
    if (!counting) return;
    logs[emulator::current].back().packed =
        address | uintptr_t{shared} << Event::kSharedBit | uintptr_t{site} << Event::kSiteBit;
}

void merge() {
    for (unsigned first = 0; first < logged_threads; first += kWarp) merge_warp(first);
    logged = logged_threads = 0;
}

void drop() { begin(false); }

const Count* count_of(uint16_t site, bool shared) {
    return site < counts[shared].size() && counts[shared][site].requests ? &counts[shared][site] : nullptr;
}

}  // namespace traffic
