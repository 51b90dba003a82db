// Launches: runs the blocks of a grid one after another.
//
// An error in a kernel (a wild pointer, an endless loop, too deep a recursion, a barrier that some threads
// never reach) ends the launch and becomes a hazard that Python reads after the call.
#include <stdexcept>

#include "scheduler.h"
#include "tracer.h"

namespace emulator {

int64_t order = 0;
bool in_kernel = false;
const char* current_kernel = "";
alignas(1024) char shared_memory[kMaxSharedBytes + kSharedZone];
// The most since CUDA 12.1 (CUDA C++ Programming Guide, "Function Parameters").
constexpr size_t kMaxParameterBytes = 32'764;
alignas(256) char kernel_parameters[kMaxParameterBytes];

namespace {

int64_t launches = 0;  // that ran, in all calls

bool refuse(cudaError_t error, Reason reason, std::vector<int64_t> numbers) {
    last_error = error;
    report({reason, std::move(numbers)});
    return false;
}

std::unordered_map<const void*, size_t>& shared_limits() {
    static std::unordered_map<const void*, size_t> limits;
    return limits;
}

// Bytes of dynamic shared memory that the kernel may have.
size_t shared_limit(const void* function) {
    size_t limit = kDefaultSharedBytes;
    for (const auto& [opted_in, bytes] : shared_limits()) {
        if (opted_in == function || function == any_kernel()) limit = std::max(limit, bytes);
    }
    return limit;
}

// The limits of compute capability 5.0 and later (CUDA C++ Programming Guide, "Compute Capabilities").
bool launchable(const void* function, const Config& config) {
    const Index grid{config.grid.x, config.grid.y, config.grid.z};
    const Index threads{config.block.x, config.block.y, config.block.z};
    const uint64_t size = uint64_t{threads.x} * threads.y * threads.z;
    const auto invalid = [](Reason reason, Index index) {
        return refuse(cudaErrorInvalidConfiguration, reason, {index.x, index.y, index.z});
    };
    if (threads.x == 0 || threads.y == 0 || threads.z == 0) return invalid(Reason::kNoThreads, threads);
    if (threads.x > kMaxThreads || threads.y > kMaxThreads || size > kMaxThreads)
        return invalid(Reason::kTooManyThreads, threads);
    if (threads.z > 64) return invalid(Reason::kBlockTooDeep, threads);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return invalid(Reason::kNoBlocks, grid);
    if (grid.x > 2147483647u || grid.y > 65535u || grid.z > 65535u)
        return invalid(Reason::kTooManyBlocks, grid);
    const size_t allowed = shared_limit(function);
    if (config.shared_bytes > allowed) {
        return refuse(cudaErrorInvalidValue, Reason::kTooMuchSharedMemory,
                      {static_cast<int64_t>(config.shared_bytes), static_cast<int64_t>(allowed)});
    }
    return true;
}

void report_deadlock() {
    const Thread* waiting = nullptr;
    const Thread* lane = nullptr;
    for (unsigned i = 0; i < block.size; ++i) {
        const Thread& thread = block.threads[i];
        if (thread.returned) continue;
        if (thread.state == State::kAtWarpOp && !lane) lane = &thread;
        if (thread.state == State::kAtBarrier && !waiting) waiting = &thread;
    }
    if (lane) {
        threadIdx = lane->index;
        report({Reason::kWarpOpNotReached, {lane->mask}, {here(lane->line)}});
    } else {
        threadIdx = waiting->index;
        report({Reason::kBarrierNotReached, {block.at_barrier, block.size}, {here(waiting->line)}});
    }
}

void run_threads() {
    block.next = block.finished = block.at_barrier = block.at_warp_op = 0;
    block.ready_head = block.ready_tail = 0;
    for (unsigned i = 0; i < block.size; ++i) {
        block.threads[i].returned = false;
        block.threads[i].copies.clear();  // left by a launch that was stopped
        block.threads[i].batches = 0;
    }
    run_fibers();
    if (!stopped && block.finished < block.size) {
        report_deadlock();
        stopped = true;
    }
    for (unsigned i = 0; i < block.size; ++i) {
        for (const Copy& copy : block.threads[i].copies) tracer::forget_copy(copy.to, copy.bytes);
        block.threads[i].copies.clear();
    }
}

Index block_index(const Config& config, uint64_t number) {
    const uint64_t wide = config.grid.x, high = config.grid.y;
    return {static_cast<unsigned>(number % wide), static_cast<unsigned>(number / wide % high),
            static_cast<unsigned>(number / wide / high)};
}

void run_block(const Config& config, Index index) {
    blockIdx = index;
    if (config.shared_bytes) memset(shared_memory, 0xFF, config.shared_bytes);
    tracer::begin_block();
    run_threads();
}

// Number i of `count` numbers of a range of `size`. They are spread evenly, but not with a regular step,
// which the width of an array might share. 0 <= i < count <= size.
uint64_t spread(uint64_t i, uint64_t count, uint64_t size) {
    const auto at = [=](uint64_t part) {
        return static_cast<uint64_t>(static_cast<unsigned __int128>(part) * size / count);
    };
    return at(i) + (i + 1) * 0x9E3779B97F4A7C15u % (at(i + 1) - at(i));
}

// Runs some of the blocks from number `begin` on, in x, y and z order. The first and the last blocks along
// each axis are sampled separately from the blocks in between, since blocks at the edges differ. For each
// part of the grid, the tracer gets the number of blocks that a sampled block stands for.
void run_sample(const Config& config, uint64_t begin, uint64_t wanted) {
    constexpr uint64_t kLeast = 2;  // blocks of each part
    const Index grid{config.grid.x, config.grid.y, config.grid.z};
    const uint64_t left = uint64_t{grid.x} * grid.y * grid.z - begin;
    const auto range = [](unsigned size, int part) {  // the first, those in between, or the last
        const unsigned edges[] = {0, 1, std::max(size, 2u) - 1, size};
        return std::pair<unsigned, unsigned>{std::min(edges[part], size), std::min(edges[part + 1], size)};
    };
    for (int part = 0; part < 27; ++part) {
        const auto [x, x_end] = range(grid.x, part % 3);
        const auto [y, y_end] = range(grid.y, part / 3 % 3);
        const auto [z, z_end] = range(grid.z, part / 9);
        const uint64_t wide = x_end - x, high = y_end - y, size = wide * high * (z_end - z);
        const auto block_at = [=, x = x, y = y, z = z](uint64_t i) {
            return Index{x + static_cast<unsigned>(i % wide), y + static_cast<unsigned>(i / wide % high),
                         z + static_cast<unsigned>(i / wide / high)};
        };
        // The blocks that have already run are the first in the part, as in the grid.
        uint64_t low = 0, high_end = size;
        while (low < high_end) {
            const uint64_t middle = low + (high_end - low) / 2;
            const Index block = block_at(middle);
            const uint64_t number = (uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
            if (number < begin)
                low = middle + 1;
            else
                high_end = middle;
        }
        const uint64_t here = size - low;
        const double share =
            static_cast<double>(wanted) * static_cast<double>(here) / static_cast<double>(left);
        const uint64_t count = std::min(here, std::max(kLeast, static_cast<uint64_t>(share)));
        for (uint64_t i = 0; i < count && !stopped; ++i)
            run_block(config, block_at(low + spread(i, count, here)));
        if (stopped) return;
        if (count) tracer::end_part(static_cast<double>(here) / static_cast<double>(count));
    }
}

void run_grid(const Config& config) {
    const uint64_t count = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    for (uint64_t run = 0; run < count && !stopped; ++run) {
        if (const uint64_t wanted = tracer::begin_sample(run)) return run_sample(config, run, wanted);
        run_block(config, block_index(config, in_order(run, count)));
    }
}

void check_shared_overrun(const Config& config) {
    for (size_t i = config.shared_bytes; i < config.shared_bytes + kSharedZone; ++i) {
        if (static_cast<unsigned char>(shared_memory[i]) == kRedZone) continue;
        report({Reason::kSharedOverrun,
                {static_cast<int64_t>(config.shared_bytes), static_cast<int64_t>(i)},
                {},
                {}});
        stopped = true;
        return;
    }
}

}  // namespace

uint64_t in_order(uint64_t i, uint64_t count) {
    if (order == 0) return i;
    if (order == 1) return count - 1 - i;
    constexpr uint64_t kPrime =
        1'000'000'007;  // divides no number of blocks or threads, so no place comes twice
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * kPrime + static_cast<uint64_t>(order)) %
                                 count);
}

void launch(const char* kernel, const void* function, const Config& config, void (*body)(void*),
            void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters) {
    if (in_kernel) crash(Reason::kLaunchInKernel);
    current_kernel = kernel;
    if (!launchable(function, config)) return;
    if (closure_bytes > kMaxParameterBytes) {
        refuse(cudaErrorInvalidValue, Reason::kParametersTooLarge,
               {static_cast<int64_t>(closure_bytes), static_cast<int64_t>(kMaxParameterBytes)});
        return;
    }
    closure = memcpy(kernel_parameters, closure, closure_bytes);
    const DeviceMemory open;
    ++launches;
    gridDim = {config.grid.x, config.grid.y, config.grid.z};
    blockDim = {config.block.x, config.block.y, config.block.z};
    block.size = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned i = 0; i < block.size; ++i) {
        block.threads[i].index = index_of(i);
        block.threads[i].state = State::kRunning;
    }
    kernel_body = body;
    kernel_closure = closure;
    stopped = false;
    memset(shared_memory + config.shared_bytes, kRedZone, kSharedZone);
    tracer::begin_launch(closure, closure_bytes, pointers, parameters, shared_memory, config.shared_bytes,
                         config.stream);
    if (sigsetjmp(kernel_jump.target, 1) == 0) {
        kernel_jump.armed = true;
        in_kernel = true;
        run_grid(config);
        while (!stopped && tracer::begin_replay()) {
            for (const Index& index : tracer::block_indices) {
                if (!stopped) run_block(config, index);
            }
            if (stopped) reset_fibers();
            tracer::end_replay(!std::exchange(stopped, false));
        }
    } else {
        stopped = true;
    }
    kernel_jump.armed = false;
    in_kernel = false;
    tracer::end_launch(!stopped);
    if (!stopped) check_shared_overrun(config);
    // The wrapper must not find on the threads' stacks what they have left.
    if (stopped || tracer::tracing) reset_fibers();
    if (stopped) {
        last_error = cudaErrorLaunchFailure;
        throw Stopped();
    }
}

void* dynamic_shared(const char* name) {
    tracer::name_dynamic_shared(name);
    return shared_memory;
}

long long ticks() {
    static long long count = 0;
    return ++count;
}
bool is_local(const void* address) {
    return reinterpret_cast<uintptr_t>(address) - current_stack < kStackBytes;
}

cudaError_t set_shared_limit(const void* function, int bytes) {
    if (bytes < 0 || static_cast<size_t>(bytes) > kMaxSharedBytes) return last_error = cudaErrorInvalidValue;
    shared_limits()[function] = static_cast<size_t>(bytes);
    return cudaSuccess;
}

extern "C" {

int64_t emulator_launches() { return launches; }
// The order of the next calls' blocks, and of threads between barriers: 0 is as they are counted, 1 is
// reversed, and any other number mixes them.
void emulator_order(int64_t of_calls) { order = of_calls; }

}  // extern "C"

}  // namespace emulator
