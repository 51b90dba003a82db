// Traffic: what the accesses of single threads cost a warp, which makes one request from the accesses that
// its lanes make together.
//
// A warp keeps a log of the accesses of its lanes, and of the basic blocks of code that they ran through.
// Usually all lanes do the same. So the log has the steps of the first lane, and only the addresses of the
// lanes that follow it. When all lanes are at a barrier, or have returned, the log is merged in the order of
// the hardware: the lanes with the lowest code address go first, all together. So lanes that took another
// branch, or left a loop early, wait where the paths meet again.
#include "internal.h"

namespace traffic {

using tracer::Op;

namespace {

constexpr unsigned kBanks = 32;
constexpr uintptr_t kLineSectors = 4;  // of a line of the L1 cache, 128 bytes
constexpr uintptr_t kWordBytes = 4;

constexpr size_t kMostLogBytes = size_t{1} << 28;
size_t log_bytes = 0;
unsigned block_threads = 0;
// For each site in global and in shared memory: the counts of the blocks with the current weight, and all
// counts.
std::vector<Count> counts[2], totals[2];

bool logs_next = false;  // whether the accesses of the next block are kept
constexpr size_t kMostLogged = 100'000;
uint64_t requests = 0;

// The distinct values among at most this many values.
constexpr size_t kMostWords = kWarp * 4;
struct Distinct {
    uintptr_t values[kMostWords];
    size_t size = 0;
    uintptr_t firsts[kBanks] =
        {};  // the first value for each remainder: usually the value that is looked for
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

// How many different words are requested from the fullest bank.
unsigned conflicts(const Distinct& words) {
    unsigned asked[kBanks] = {}, most = 0;
    for (size_t i = 0; i < words.size; ++i) most = std::max(most, ++asked[words.values[i] % kBanks]);
    return most;
}

// A wavefront serves 128 bytes: with 4 bytes per lane the whole warp, with 8 or 16 bytes a half or a quarter
// of the warp, each with its own conflicts (NVIDIA, forums.developer.nvidia.com/t/260900). Two such parts are
// served as one if lanes in pairs request the same address, or one lane of the pair requests nothing. In the
// whole warp, the pairs are n and n ^ 1, or n and n ^ 2 (NVIDIA, forums.developer.nvidia.com/t/77228).
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

// nvcc merges a thread's loads, or stores, of neighbouring elements into one of 8 or 16 bytes if it can prove
// that the first address is a multiple of that, and makes a load once if a loop repeats it. Here, requests
// count as merged if the addresses allow it in all lanes and no barrier is between them, and repeated loads
// count once. So nvcc may merge less than what is counted here, and the cycles stay a lower bound. In global
// memory, it can prove this for the members of a struct, but not for a loop over an array of unknown place.
constexpr uintptr_t kWidest = 16;  // bytes of a merged access
struct Recent {
    Op op;
    uint32_t key;                          // of the last request
    uintptr_t first[kWarp], bytes, width;  // bytes of an access, and of a merged one
    unsigned lanes = 0, requests;
    std::pair<uint32_t, unsigned> taken[kWidest];  // for each request: its key, and its wavefronts

    void begin(const uintptr_t* addresses, unsigned alone) {
        std::copy_n(addresses, lanes, first);
        requests = 1;
        taken[0] = {key, alone};
        uintptr_t bits = 0;
        for (unsigned i = 0; i < lanes; ++i) bits |= addresses[i];
        width = bits % kWidest == 0 ? kWidest : bits % 8 == 0 ? 8 : 0;
    }
};
constexpr size_t kInterleaved = 16;  // arrays, or rows, that a loop may access in turns
Recent recent[kInterleaved];
size_t oldest = 0;

void forget_recent() {
    for (Recent& each : recent) each.lanes = 0;
}

// The wavefronts that a request takes less than alone, since it is merged with requests before it. The last
// of the merged requests takes the wavefronts of all, so that the site of none takes less than 0.
unsigned saved(uint32_t key, Op op, const uintptr_t* addresses, const unsigned* lanes, unsigned count,
               uintptr_t bytes, unsigned alone) {
    const bool shared = is_shared(key);
    for (Recent& each : recent) {
        if (each.lanes != count || each.op != op || is_shared(each.key) != shared || each.bytes != bytes)
            continue;
        const uintptr_t distance = addresses[0] - each.first[0];
        const bool again = op == Op::kRead && distance == (each.requests - 1) * bytes;
        if (!again && distance != each.requests * bytes) continue;
        const auto same = [&](unsigned i) { return addresses[i] - each.first[i] == distance; };
        unsigned i = 1;
        while (i < count && same(i)) ++i;
        if (i < count) continue;
        if (again) return alone;
        const bool in_loop = std::exchange(each.key, key) == key;
        if (each.width <= bytes || (in_loop && !shared)) {
            each.begin(addresses, alone);
            return 0;
        }
        each.taken[each.requests] = {key, alone};
        if (++each.requests * bytes < each.width) return 0;
        const unsigned merged = wavefronts(each.first, lanes, count, each.width);
        unsigned apart = 0;
        for (unsigned i = 0; i < each.requests; ++i) {
            const auto [from, taken] = each.taken[i];
            apart += taken;
            counts[shared][site_of(from)].cycles -= taken;
            counts[shared][site_of(key)].cycles += taken;
        }
        each.begin(addresses, 0);
        each.width = 0;  // the next request begins anew
        return apart - std::min(apart, merged);
    }
    Recent& each = recent[oldest++ % kInterleaved];
    each.op = op;
    each.key = key;
    each.bytes = bytes;
    each.lanes = count;
    each.begin(addresses, alone);
    return 0;
}

unsigned lines(const Distinct& sectors) {
    Distinct found;
    for (size_t i = 0; i < sectors.size; ++i) found.add(sectors.values[i] / kLineSectors);
    return static_cast<unsigned>(found.size);
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

// Keeps a whole request, or nothing of it.
void log_request(uint32_t key, const uintptr_t* addresses, const unsigned* lanes, unsigned count,
                 unsigned first_thread) {
    if (left_out || accesses.size() + count > kMostLogged) {
        left_out += count;
        return;
    }
    for (unsigned i = 0; i < count; ++i) {
        accesses.push_back({key, tracer::spot_of(addresses[i]), index_of(first_thread + lanes[i]), lanes[i],
                            requests, interval, first_thread / kWarp});
    }
    ++requests;
}

void touch(const Distinct& sectors, Op op) {
    work::Launch& launch = work::launches.back();
    for (size_t i = 0; i < sectors.size; ++i) {
        if (op != Op::kWrite) launch.read += tracer::first_touch(sectors.values[i], false);
        if (op != Op::kRead) launch.written += tracer::first_touch(sectors.values[i], true);
    }
}

void count_request(uint32_t key, uintptr_t* addresses, const unsigned* lanes, unsigned count,
                   unsigned first_thread) {
    const bool shared = is_shared(key);
    Count& total = counts[shared][site_of(key)];
    asked += count;
    if (total.op == Op::kAtomic) work::contend(addresses, count, shared);
    for (uintptr_t done = 0; done < total.asked; done += total.bytes) {
        ++total.requests;
        total.lanes += count;
        if (logging) log_request(key, addresses, lanes, count, first_thread);
        unsigned alone;
        if (shared) {
            alone = wavefronts(addresses, lanes, count, total.bytes);
            total.units += alone;
        } else {
            const Distinct touched = sectors(addresses, count, total.bytes);
            const unsigned touched_lines = lines(touched);
            total.units += touched.size;
            total.lines += touched_lines;
            touch(touched, total.op);
            work::count(site_of(key), addresses, lanes, count, total.bytes, first_thread);
            const bool in_one = touched_lines == 1 && total.bytes <= kWordBytes;
            alone = in_one ? 1 : wavefronts(addresses, lanes, count, total.bytes);
        }
        int64_t cycles = alone;
        if (total.op != Op::kAtomic && total.bytes == total.asked) {
            cycles -= saved(key, total.op, addresses, lanes, count, total.bytes, alone);
        }
        total.cycles += static_cast<uint64_t>(cycles);
        work::count_request(first_thread / kWarp, cycles);
        total.ideal += at_least(addresses, count, total.bytes, shared ? kBanks * kWordBytes : kSectorBytes);
        for (unsigned i = 0; i < count; ++i) addresses[i] += total.bytes;
    }
}

// The place of a lane among the warp's steps, and after that among its own steps.
struct Cursor {
    const Warp* warp;
    unsigned lane;
    uint32_t at, followed;

    const Step* step() const {
        if (at < followed) return &warp->steps[at];
        const auto& own = warp->own[lane];
        return at - followed < own.size() ? &own[at - followed] : nullptr;
    }
    uintptr_t address() const {
        return at < followed ? warp->addresses[warp->steps[at].row + lane]
                             : warp->own_addresses[lane][at - followed];
    }
};

void merge_warp(Warp& warp) {
    const auto first_thread = static_cast<unsigned>(&warp - warps) * kWarp;
    warp.arrived = 0;
    if (warp.steps.empty()) return;
    forget_recent();
    // The steps that all lanes made, except lanes that made no steps at all.
    unsigned active[kWarp], count = 0;
    uint32_t together = kAstray;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        if (warp.next[lane] == 0) continue;
        if (warp.next[lane] != kAstray) warp.followed[lane] = warp.next[lane];
        active[count++] = lane;
        together = std::min(together, warp.followed[lane]);
    }
    uintptr_t addresses[kWarp];
    unsigned lanes[kWarp];
    for (uint32_t at = 0; at < together; ++at) {
        const Step& step = warp.steps[at];
        if (step.key == kMark) continue;
        for (unsigned i = 0; i < count; ++i) addresses[i] = warp.addresses[step.row + active[i]];
        count_request(step.key, addresses, active, count, first_thread);
    }
    Cursor cursors[kWarp];
    const Step* steps[kWarp];
    for (unsigned i = 0; i < count; ++i) {
        cursors[i] = {&warp, active[i], together, warp.followed[active[i]]};
        steps[i] = cursors[i].step();
    }
    for (;;) {
        const Step* next = nullptr;
        for (unsigned i = 0; i < count; ++i) {
            if (steps[i] && (!next || steps[i]->code < next->code)) next = steps[i];
        }
        if (!next) break;
        const Step step = *next;
        unsigned here = 0;
        for (unsigned i = 0; i < count; ++i) {
            // Lanes at the same instruction may access different spaces, or request other sizes. Lanes that
            // differ from `step` wait.
            if (!steps[i] || steps[i]->code != step.code || steps[i]->key != step.key) continue;
            if (step.key != kMark) addresses[here] = cursors[i].address();
            lanes[here++] = active[i];
            ++cursors[i].at;
            steps[i] = cursors[i].step();
        }
        if (step.key != kMark) count_request(step.key, addresses, lanes, here, first_thread);
    }
    log_bytes -= warp.steps.size() * sizeof(Step) + warp.addresses.size() * sizeof(uintptr_t);
    warp.steps.clear();
    warp.addresses.clear();
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        if (warp.next[lane] == kAstray) {
            log_bytes -= warp.own[lane].size() * (sizeof(Step) + sizeof(uintptr_t));
            warp.own[lane].clear();
            warp.own_addresses[lane].clear();
        }
        warp.next[lane] = 0;
    }
}

}  // namespace

bool counting = false, given_up = false, logging = false;
uint64_t interval = 0;
std::vector<Logged> accesses;
uint64_t left_out = 0;

uint64_t asked = 0;
Warp warps[kMaxThreads / kWarp];

void begin(bool count) {
    counting = count;
    given_up = false;
    for (Warp& warp : warps) warp = {};
    log_bytes = 0;
    for (auto* each : {counts, totals}) each[0].clear(), each[1].clear();
    accesses.clear();
    work::begin();
    requests = left_out = 0;
}

void begin_launch(const char* kernel, unsigned threads) {
    if (!counting) return;
    const auto same = [=](const work::Launch& launch) { return std::string(launch.kernel) == kernel; };
    logs_next = std::none_of(work::launches.begin(), work::launches.end(), same);
    work::begin_launch(kernel);
    block_threads = threads;
    asked = 0;
}

void begin_block() {
    merge();
    logging = std::exchange(logs_next, false);
    interval = 0;
    if (!counting) return;
    if (work::launches.back().run++) work::end_block();
}

void leave(Warp& warp, unsigned lane, uintptr_t code, uint32_t key, uintptr_t address) {
    uint32_t& next = warp.next[lane];
    if (next == warp.steps.size()) {
        ++next;
        warp.steps.push_back({code, key, static_cast<uint32_t>(warp.addresses.size())});
        log_bytes += sizeof(Step);
        if (key != kMark) {
            warp.addresses.resize(warp.addresses.size() + kWarp);
            warp.addresses[warp.steps.back().row + lane] = address;
            log_bytes += kWarp * sizeof(uintptr_t);
        }
    } else {
        if (next != kAstray) warp.followed[lane] = std::exchange(next, kAstray);
        warp.own[lane].push_back({code, key, 0});
        warp.own_addresses[lane].push_back(address);
        log_bytes += sizeof(Step) + sizeof(uintptr_t);
    }
    if (log_bytes < kMostLogBytes) return;
    drop();
    given_up = true;
}

void count_site(uint16_t site, size_t bytes, Op op, bool shared) {
    std::vector<Count>& of_space = counts[shared];
    if (of_space.size() <= site) of_space.resize(site + 1u);
    if (of_space[site].asked) return;
    // A struct that is too large for any load of the hardware is loaded word by word.
    const bool in_words = bytes > 16 || (bytes & (bytes - 1)) != 0;
    of_space[site].op = op;
    of_space[site].asked = bytes;
    of_space[site].bytes = !in_words ? bytes : bytes % kWordBytes ? 1 : kWordBytes;
}

void arrived() {
    if (!counting) return;
    Warp& warp = warps[current / kWarp];
    const unsigned first = current / kWarp * kWarp;
    if (++warp.arrived == std::min(kWarp, block_threads - first)) merge_warp(warp);
}

void merge() {
    for (Warp& warp : warps) merge_warp(warp);
}

void barrier() {
    merge();
    ++interval;
    if (counting) work::launches.back().barriers = std::max(work::launches.back().barriers, interval);
}

void end_part(double weight) {
    for (const bool shared : {false, true}) {
        totals[shared].resize(std::max(totals[shared].size(), counts[shared].size()));
        for (size_t site = 0; site < counts[shared].size(); ++site) {
            Count &part = counts[shared][site], &total = totals[shared][site];
            total.bytes = part.bytes;
            for (const auto number : {&Count::requests, &Count::units, &Count::ideal, &Count::lanes,
                                      &Count::cycles, &Count::lines}) {
                total.*number +=
                    static_cast<uint64_t>(std::llround(static_cast<double>(part.*number) * weight));
                part.*number = 0;
            }
        }
    }
}

void drop() { begin(false); }

const Count* count_of(uint16_t site, bool shared) {
    return site < totals[shared].size() && totals[shared][site].requests ? &totals[shared][site] : nullptr;
}

}  // namespace traffic
