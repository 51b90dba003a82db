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

#include "internal.h"

namespace {

using emulator::kMaxThreads;
using emulator::kWarp;
using traffic::Count;

constexpr uintptr_t kSectorBytes = 32;
constexpr unsigned kBanks = 32;
constexpr uintptr_t kWordBytes = 4;

struct Event {
    const void* code;
    uintptr_t address;  // 0 for a mark
    uint32_t bytes;
    uint16_t site;
    bool shared;
};
std::vector<Event> logs[kMaxThreads];
unsigned logged_threads = 0;  // those from 0 on may have logs
std::vector<Count> counts[2];

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

// Words of 8 and of 16 bytes are served to a half and to a quarter of the warp at a time, unless no bank is
// asked twice.
unsigned wavefronts(const uintptr_t* addresses, const unsigned* lanes, unsigned count, uintptr_t bytes) {
    Distinct all;
    for (unsigned i = 0; i < count; ++i) {
        for (uintptr_t at = 0; at < bytes; at += kWordBytes) all.add((addresses[i] + at) / kWordBytes);
    }
    const unsigned at_once = conflicts(all);
    if (bytes <= kWordBytes || at_once == 1) return at_once;
    const unsigned part = kWarp * static_cast<unsigned>(kWordBytes) / static_cast<unsigned>(bytes);
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

unsigned sectors(const uintptr_t* addresses, unsigned count, uintptr_t bytes) {
    Distinct touched;
    for (unsigned i = 0; i < count; ++i) {
        touched.add(addresses[i] / kSectorBytes);
        touched.add((addresses[i] + bytes - 1) / kSectorBytes);
    }
    return static_cast<unsigned>(touched.size);
}

unsigned at_least(const uintptr_t* addresses, unsigned count, uintptr_t bytes, uintptr_t unit) {
    Distinct starts;
    for (unsigned i = 0; i < count; ++i) starts.add(addresses[i]);
    return static_cast<unsigned>((starts.size * bytes + unit - 1) / unit);
}

void count_request(const Event& event, uintptr_t* addresses, const unsigned* lanes, unsigned count) {
    std::vector<Count>& of_space = counts[event.shared];
    if (of_space.size() <= event.site) of_space.resize(event.site + 1u);
    Count& total = of_space[event.site];
    // What no load of the hardware holds, a struct, is loaded word by word.
    const bool in_words = event.bytes > 16 || (event.bytes & (event.bytes - 1)) != 0;
    const uintptr_t bytes = !in_words ? event.bytes : event.bytes % kWordBytes ? 1 : kWordBytes;
    total.bytes = bytes;
    for (uintptr_t done = 0; done < event.bytes; done += bytes) {
        ++total.requests;
        total.units +=
            event.shared ? wavefronts(addresses, lanes, count, bytes) : sectors(addresses, count, bytes);
        total.ideal += at_least(addresses, count, bytes, event.shared ? kBanks * kWordBytes : kSectorBytes);
        for (unsigned i = 0; i < count; ++i) addresses[i] += bytes;
    }
}

void merge_warp(std::vector<Event>* log) {
    const Event *at[kWarp], *end[kWarp];
    unsigned running[kWarp], lanes[kWarp], still = 0;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        at[lane] = log[lane].data();
        end[lane] = at[lane] + log[lane].size();
        if (at[lane] != end[lane]) running[still++] = lane;
    }
    while (still) {
        const void* code = at[running[0]]->code;
        for (unsigned i = 1; i < still; ++i) code = std::min(code, at[running[i]]->code);
        const Event* event = nullptr;
        uintptr_t addresses[kWarp];
        unsigned count = 0, left = 0;
        for (unsigned i = 0; i < still; ++i) {
            const unsigned lane = running[i];
            if (at[lane]->code == code) {
                event = at[lane]++;
                lanes[count] = lane;
                addresses[count++] = event->address;
            }
            if (at[lane] != end[lane]) running[left++] = lane;
        }
        still = left;
        if (event->address) count_request(*event, addresses, lanes, count);
    }
    for (unsigned lane = 0; lane < kWarp; ++lane) log[lane].clear();
}

}  // namespace

namespace traffic {

bool counting = false;

void begin(bool count) {
    counting = count;
    forget();
    for (auto& of_space : counts) of_space.clear();
}

void log(const void* code, uintptr_t address, size_t bytes, uint16_t site, bool shared) {
    logs[emulator::current].push_back({code, address, static_cast<uint32_t>(bytes), site, shared});
    logged_threads = std::max(logged_threads, emulator::current + 1);
}

void merge() {
    for (unsigned first = 0; first < logged_threads; first += kWarp) merge_warp(logs + first);
    logged_threads = 0;
}

void forget() {
    for (unsigned i = 0; i < logged_threads; ++i) logs[i].clear();
    logged_threads = 0;
}

const Count* count_of(uint16_t site, bool shared) {
    return site < counts[shared].size() && counts[shared][site].requests ? &counts[shared][site] : nullptr;
}

}  // namespace traffic
