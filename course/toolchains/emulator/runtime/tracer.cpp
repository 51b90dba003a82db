// The tracer: checks every access to global and shared memory before it is made.
//
// A traced module calls hooks (course/toolchains/emulator/instrument.py), and hooks.cpp has the functions
// that the instrumentation calls. So each load and store arrives with its address, its size and its place in
// the code. This file follows the call: its launches, blocks and barriers, as the scheduler goes through
// them.
#include "tracer.h"

#include <cstdio>

namespace tracer {

bool tracing = false;
bool sampled_launch = false, sampled_call = false;
bool read_unknown = false;
std::vector<Array> arrays;

namespace {

uint64_t most_accesses = 0;           // a launch with more is traced on a sample of its blocks; 0: no limit
constexpr uint64_t kSampleShare = 8;  // a sample makes about 1 / kSampleShare of these

}  // namespace

void begin_launch(const void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters,
                  const void* shared, size_t shared_bytes, cudaStream_t stream) {
    if (!tracing) return;
    for (const auto& area : areas) area->parameter = area->number = -1;
    for (const auto& [begin, area] : heap) area->parameter = area->number = -1;
    for (size_t i = parameters; i-- > 0;) {
        Area* area = area_of(reinterpret_cast<uintptr_t>(pointers[i]), 1);
        if (area) area->parameter = static_cast<int64_t>(i);
    }
    closure_begin = reinterpret_cast<uintptr_t>(closure);
    closure_end = closure_begin + closure_bytes;
    forget(shared);
    const Subject dynamic{Subject::Kind::kDynamicShared, "shared", {static_cast<int64_t>(shared_bytes)}};
    areas.push_back(std::make_unique<Area>(dynamic, shared, shared_bytes, true, false));
    traffic::begin_launch(current_kernel, blockDim.x * blockDim.y * blockDim.z);
    prepare_replay();
    launch_time = begin_operation(stream, true);
    settled_time = all_before ? launch_time : kNever;
    block_times.clear();
    block_indices.clear();
    sampled_launch = false;
    fence_times.clear();
}

void name_dynamic_shared(const char* name) {
    if (tracing && areas.back()->shared && !areas.back()->is_variable)
        areas.back()->owners[0].subject.name = name;
}

void end_launch(bool whole) {
    settle_doubts(whole);
    if (!tracing) return;
    settle();
    if (whole) {
        traffic::merge();
        traffic::end_part(1);
        work::end_launch();
    } else {
        traffic::drop();
    }
    if (traffic::given_up && is_new(Reason::kNotCounted)) report({Reason::kNotCounted});
    if (read_unknown && !blank && is_new(Reason::kUnsampledRead)) {
        traffic::drop();
        report({Reason::kUnsampledRead});
    }
    report_atomic_races();
    fill_shared();  // which the wrapper must not read
}

void hide_variables() {
    for (const auto& area : areas) {
        const bool is_left = area->shared || area->side == Side::kBoth || !area->hidden.empty();
        if (!area->written || !area->is_variable || is_left) continue;
        auto* const data = reinterpret_cast<char*>(area->begin);
        area->hidden.assign(data, data + (area->end - area->begin));
        memset(data, 0xFF, area->hidden.size());
    }
}
void show_variables() {
    for (const auto& area : areas) {
        memcpy(reinterpret_cast<char*>(area->begin), area->hidden.data(), area->hidden.size());
        area->hidden.clear();
    }
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
    if (tracing || replaying) fill_shared();
    if (!tracing) return;
    settle();
    traffic::begin_block();
    block_time = barrier_time = ++now;
    block_times.push_back(now);
    block_indices.push_back(blockIdx);
    acquired = copying = false;
}

void barrier() {
    if (!tracing) return;
    settle();
    traffic::barrier();
    barrier_time = ++now;
}

namespace {

// The shadow of shared memory for what an asynchronous copy stores; null outside of shared memory.
Cell* cells_of_copy(const void* to, size_t stored, size_t& count) {
    const auto address = reinterpret_cast<uintptr_t>(to);
    const Area* area = area_of(address, stored);
    if (!area || !area->shared) return nullptr;
    count = stored >> area->shift;
    return area->cell(address);
}

}  // namespace

void begin_copy(const void* to, size_t stored, const void* from, size_t loaded, const void* code) {
    if (!tracing) return;
    // Two accesses of one call. Each needs its own place in the code.
    if (loaded) access(reinterpret_cast<uintptr_t>(from), loaded, Op::kRead, true, other_place(code));
    if (in_kernel) sites[site_number(code, stored, Op::kWrite, false)].asynchronous = true;
    copying = true;
    access(reinterpret_cast<uintptr_t>(to), stored, Op::kWrite, true, code);
    copying = false;
    const Area* source = loaded ? area_of(reinterpret_cast<uintptr_t>(from), loaded) : nullptr;
    size_t count = 0;
    Cell* cell = cells_of_copy(to, stored, count);
    if (!cell || (source && source->shared) ||
        (loaded && is_local(reinterpret_cast<uintptr_t>(from), loaded))) {
        crash(Reason::kCopyBetweenOthers);
    }
    for (Cell* const end = cell + count; cell != end; ++cell) cell->write.time = kInFlight;
}

void end_copy(const void* to, size_t stored, const void* code) {
    if (!tracing) return;
    const bool counting = std::exchange(traffic::counting, false);  // it was counted when the copy began
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
    // All of these lanes have now waited for everything that one of them had waited for.
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

void add_global(const std::vector<Owner>& owners, const void* data, int64_t bytes, bool filled) {
    if (!tracing || bytes == 0) return;
    areas.push_back(std::make_unique<Area>(owners, data, static_cast<size_t>(bytes), false, filled));
    if (filled) areas.back()->host_time = time_at(kCopied);
    if (owners[0].element) areas.back()->views = {owners[0].begin, owners[0].end};
    for (const Owner& owner : owners) widen(owner.begin, owner.end);
    if (is_for_host(areas.back()->begin)) areas.back()->side = Side::kBoth;
    not_kept(areas.back()->begin, areas.back()->end);
}

void retire(uintptr_t begin) {
    if (Area* area = tracing ? area_of(begin, 1) : nullptr) area->views = {};
}

void widen(uintptr_t begin, uintptr_t end) {
    Area* area = tracing && begin ? area_of(begin, 1) : nullptr;
    if (area) area->views = {std::min(area->views.first, begin), std::max(area->views.second, end)};
}

void forget(const void* data) {
    const auto gone = [=](const auto& area) { return area->begin == reinterpret_cast<uintptr_t>(data); };
    areas.erase(std::remove_if(areas.begin(), areas.end(), gone), areas.end());
    forget_sites_areas();
}

void finish() {
    tracing = blank = traffic::counting = false;
    for (const auto& area : areas) {
        if (!area->shared && !area->is_variable && !area->element) keep(area->begin, area->end);
    }
    for (const auto& [begin, area] : heap) keep(begin, area->end);
    areas.clear();
    heap.clear();
    arrays.clear();
    clear_sites();
}
Spot spot_of(uintptr_t address) {
    Area* area = area_of(address, 1);
    if (area->number < 0) {
        area->number = static_cast<int64_t>(arrays.size());
        arrays.push_back({current_kernel, area->begin, area->owners[0].subject.name, area->parameter});
    }
    return {area->number, static_cast<int64_t>(address - area->begin)};
}

extern "C" {

// The next call is of the traced module that `code` belongs to. For each of its writable variables, the
// arguments give the place in its file, and whether the variable is a shared array or __constant__, and
// who can use it. `has_shuffles` says whether its source has any. If `most` is not 0, a launch with more than
// `most` accesses is counted on a sample of its blocks. `blank` is emulator::blank.
void emulator_trace(const void* code, int64_t count, const char** names, const int64_t* offsets,
                    const int64_t* sizes, const bool* shared, const bool* constant, const Side* sides,
                    bool has_shuffles, bool counting, int64_t most, bool blank) {
    tracing = true;
    fflush(stdout);
    setvbuf(stdout, nullptr, _IONBF, 0);  // the wrapper could read there what a kernel prints
    traffic::begin(counting);
    begin_host_counts();
    begin_streams();
    shuffles = has_shuffles;
    most_accesses = static_cast<uint64_t>(most);
    emulator::blank = blank;
    sampled_call = read_unknown = false;
    begin_findings();
    ignored.clear();
    const Index* const indices[kIndices] = {&threadIdx, &blockIdx, &blockDim, &gridDim};
    for (const Index* index : indices) {
        const auto begin = reinterpret_cast<uintptr_t>(index);
        ignored.emplace_back(begin, begin + sizeof *index);
    }
    const Loaded module = library_of(code);
    ignored.insert(ignored.end(), module.constants.begin(), module.constants.end());
    for (int64_t i = 0; i < count; ++i) {
        const uintptr_t address = module.base + static_cast<uintptr_t>(offsets[i]);
        const auto* begin = reinterpret_cast<const void*>(address);
        const auto kind = shared[i] ? Subject::Kind::kSharedArray : Subject::Kind::kVariable;
        areas.push_back(std::make_unique<Area>(Subject{kind, names[i], {}}, begin,
                                               static_cast<size_t>(sizes[i]), shared[i], true));
        areas.back()->is_variable = true;
        areas.back()->is_constant = constant[i];
        areas.back()->side = sides[i];
    }
}

}  // extern "C"

}  // namespace tracer
