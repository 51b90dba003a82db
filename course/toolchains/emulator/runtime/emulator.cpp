// The emulator: runs a CUDA grid on one CPU thread.
//
// The threads of a block are fibers. A fiber runs one thread after another until a thread must wait (at a
// barrier or a warp operation); then another fiber goes on. So a kernel without barriers runs as a plain
// loop, on one stack.
//
// What goes wrong in a kernel (a wild pointer, an endless loop, too deep a recursion, a barrier that some
// threads never reach) ends the launch and becomes a hazard that Python reads after the call.
#define EMULATOR_RUNTIME
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "course/aoti.h"
#include "cuda_runtime_api.h"
#include "internal.h"

// Written here whenever the scheduler changes threads; constants to a translated source, which sees them as
// `const`.
emulator::Index threadIdx, blockIdx, blockDim, gridDim;
const int warpSize = 32;

namespace {

using emulator::current;
using emulator::current_kernel;
using emulator::element_bytes;
using emulator::in_kernel;
using emulator::Index;
using emulator::kMaxThreads;
using emulator::kRedZoneBytes;
using emulator::kStackBytes;
using emulator::kWarp;
using emulator::Place;
using emulator::report;
using emulator::stop;
using emulator::three;
using emulator::WarpOp;

constexpr size_t kPage = 4096;
constexpr size_t kDefaultSharedBytes = 48 * 1024;
constexpr size_t kMaxSharedBytes = 227 * 1024;  // what a block may opt in to on an H200
constexpr unsigned char kRedZone = 0xA5;  // each tensor's zones hold a byte of their own, from here on: a
                                          // kernel that copies past both ends would else write what was there

// ---------------------------------------------------------------------------------------------------------------
// Hazards of the current call.

struct Hazard {
    std::string kind, kernel, detail;
    std::vector<Place> places;
};
std::vector<Hazard> hazards;
cudaError_t last_error = cudaSuccess;
int64_t launches = 0;  // that ran, in all calls

Place here(int line) { return {blockIdx, threadIdx, line, nullptr}; }
void report(const char* kind, const std::string& detail) { report(kind, detail, {}); }

// Thrown through the student's host code when a launch had to be ended.
struct Stopped : std::logic_error {  // whose `what` is the C++ library's, which a module may call
    Stopped() : std::logic_error("the emulator stopped the kernel") {}
};

// ---------------------------------------------------------------------------------------------------------------
// Fibers.

// Saves the callee-saved registers on this stack and goes on with the other one.
extern "C" void emulator_switch(void** save_stack, void* load_stack);
asm(R"(
.text
.type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emulator_switch, .-emulator_switch
)");
struct Context {
    void* stack = nullptr;
    void start(char* top, void (*entry)()) {
        // As if `entry` had been called: the return address lies 8 bytes off a multiple of 16.
        void** frame = reinterpret_cast<void**>(top) - 1;
        *--frame = reinterpret_cast<void*>(entry);
        for (int saved = 0; saved < 6; ++saved) *--frame = nullptr;
        stack = frame;
    }
};
void switch_context(Context& from, Context& to) { emulator_switch(&from.stack, to.stack); }

struct Fiber {
    Context context;
    char* memory = nullptr;  // a guard page, then the stack
    bool started = false;

    char* top() const { return memory + kPage + kStackBytes; }
    bool guards(const void* address) const { return memory && address >= memory && address < memory + kPage; }
};

enum class State : unsigned char { kRunning, kAtBarrier, kAtWarpOp };

struct Copy {  // an asynchronous one, on its way
    char* to;
    const void* from;
    size_t bytes, zeros;
    size_t batch;
    const void* code;
};

struct Thread {
    Index index;
    Fiber* fiber;
    State state;
    bool returned;
    int line;  // of the barrier or warp operation it waits at
    int predicate;
    // Of a warp operation.
    WarpOp op;
    unsigned mask;
    uint64_t value;
    int argument, width;
    std::vector<Copy> copies;
    size_t batches;  // of copies, that were committed
};

struct Block {
    unsigned size = 0;
    unsigned next = 0;  // first thread that has not started
    unsigned finished = 0;
    unsigned at_barrier = 0;
    unsigned at_warp_op = 0;
    int barrier_result[3];        // count, and, or of the last barrier's predicates
    unsigned ready[kMaxThreads];  // ring of threads that can go on
    unsigned ready_head = 0, ready_tail = 0;
    Thread threads[kMaxThreads];

    void push_ready(unsigned thread) { ready[ready_tail++ % kMaxThreads] = thread; }
    bool has_ready() const { return ready_head != ready_tail; }
    unsigned pop_ready() { return ready[ready_head++ % kMaxThreads]; }
};

Block block;
std::vector<Fiber*> all_fibers;
std::vector<Fiber*> free_fibers;
Context scheduler;
void (*kernel_body)(void*) = nullptr;
void* kernel_closure = nullptr;
bool stopped = false;  // a thread of this launch found a hazard that ends it
alignas(1024) char shared_memory[kMaxSharedBytes + kPage];

void fiber_main();

Fiber* take_fiber() {
    if (free_fibers.empty()) {
        auto* fiber = new Fiber;
        void* memory = mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        fiber->memory = static_cast<char*>(memory);
        mprotect(fiber->memory, kPage, PROT_NONE);
        all_fibers.push_back(fiber);
        free_fibers.push_back(fiber);
    }
    Fiber* fiber = free_fibers.back();
    free_fibers.pop_back();
    if (!fiber->started) {
        fiber->started = true;
        fiber->context.start(fiber->top(), fiber_main);
    }
    return fiber;
}

// After a launch that was ended midway every stack starts anew.
void reset_fibers() {
    free_fibers = all_fibers;
    for (Fiber* fiber : all_fibers) fiber->started = false;
}

Fiber* running_fiber = nullptr;

void resume(Fiber* to, Context& from) {
    running_fiber = to;
    emulator::current_stack = reinterpret_cast<uintptr_t>(to->memory) + kPage;
    switch_context(from, to->context);
}

void release_active_lanes();

// Goes on with whatever can run: a thread that waited and may go on, else a fiber that starts the next
// threads, else the scheduler. Returns when `self` is resumed.
void run_others(Fiber* self) {
    if (!stopped && !block.has_ready() && block.next == block.size) release_active_lanes();
    if (!stopped && block.has_ready()) {
        current = block.pop_ready();
        Fiber* next = block.threads[current].fiber;
        if (next == self) return;
        threadIdx = block.threads[current].index;
        resume(next, self->context);
    } else if (!stopped && block.next < block.size) {
        resume(take_fiber(), self->context);
    } else {
        switch_context(self->context, scheduler);
    }
}

void wait(State state, int line) {
    const unsigned self = current;
    Thread& thread = block.threads[self];
    thread.state = state;
    thread.line = line;
    run_others(thread.fiber);
    thread.state = State::kRunning;
    current = self;
    threadIdx = thread.index;
}

}  // namespace

namespace emulator {

bool in_kernel = false;
const char* current_kernel = "";
unsigned current = 0;
uintptr_t current_stack = 0;

void report(const char* kind, const std::string& detail, std::vector<Place> places) {
    if (!tracer::is_replaying()) hazards.push_back({kind, current_kernel, detail, std::move(places)});
}

void stop() {
    stopped = true;
    switch_context(running_fiber->context, scheduler);
    abort();  // never resumed
}

Index index_of(unsigned thread) {
    return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / (blockDim.x * blockDim.y)};
}

std::string three(Index v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace emulator

namespace {

void release_barrier() {
    tracer::barrier();
    const Thread* first = nullptr;
    int count = 0, all = 1, any = 0;
    for (unsigned i = 0; i < block.size; ++i) {
        Thread& thread = block.threads[i];
        if (thread.returned) continue;
        if (!first) first = &thread;
        if (thread.line != first->line) {
            report("divergent-barrier",
                   "threads of one block wait at different __syncthreads(): some in line " +
                       std::to_string(first->line) + ", some in line " + std::to_string(thread.line) +
                       "; every thread must reach the same barrier",
                   {here(thread.line)});
            stop();
        }
        count += thread.predicate;
        all &= thread.predicate;
        any |= thread.predicate;
    }
    block.barrier_result[0] = count;
    block.barrier_result[1] = all;
    block.barrier_result[2] = any;
    block.at_barrier = 0;
    for (unsigned i = 0; i < block.size; ++i) {
        if (!block.threads[i].returned && i != current) block.push_ready(i);
    }
}

void barrier(int line, int predicate) {
    Thread& thread = block.threads[current];
    thread.predicate = predicate != 0;
    thread.line = line;
    traffic::arrived();
    ++block.at_barrier;
    if (block.at_barrier == block.size && block.finished == 0) {
        release_barrier();
        return;
    }
    wait(State::kAtBarrier, line);
}

unsigned warp_of(unsigned thread) { return thread / kWarp * kWarp; }
void finish_ops_of_others(unsigned first);

void fiber_main() {
    for (;;) {
        Fiber* self = running_fiber;
        while (!stopped && block.next < block.size) {
            current = block.next++;
            Thread& thread = block.threads[current];
            thread.fiber = self;
            threadIdx = thread.index;
            kernel_body(kernel_closure);
            traffic::arrived();
            block.threads[current].returned = true;
            ++block.finished;
            if (block.at_warp_op) finish_ops_of_others(warp_of(current));
        }
        free_fibers.push_back(self);
        run_others(self);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Warp operations.

unsigned live_lanes(unsigned first) {
    unsigned live = 0;
    for (unsigned lane = 0; lane < kWarp && first + lane < block.size; ++lane) {
        if (!block.threads[first + lane].returned) live |= 1u << lane;
    }
    return live;
}

constexpr uint64_t kUndefined =
    ~uint64_t{0};  // what a lane reads from one that is not there: NaN in every type

uint64_t warp_result(const Thread& self, unsigned lane, unsigned first, unsigned lanes) {
    const auto value_of = [&](unsigned source) {
        return (lanes >> source) & 1u ? block.threads[first + source].value : kUndefined;
    };
    const unsigned width = static_cast<unsigned>(self.width);
    const unsigned segment = lane & ~(width - 1);
    const int argument = self.argument;
    switch (self.op) {
        case WarpOp::kActive:
            return lanes;
        case WarpOp::kSync:
            return 0;
        case WarpOp::kIndex:
            return value_of(segment + (static_cast<unsigned>(argument) & (width - 1)));
        case WarpOp::kUp: {
            const int source = static_cast<int>(lane) - argument;
            return source < static_cast<int>(segment) ? self.value : value_of(static_cast<unsigned>(source));
        }
        case WarpOp::kDown: {
            const unsigned source = lane + static_cast<unsigned>(argument);
            return source >= segment + width ? self.value : value_of(source);
        }
        case WarpOp::kXor: {
            const unsigned source = lane ^ static_cast<unsigned>(argument);
            return source >= segment + width ? self.value : value_of(source);
        }
        default:
            break;
    }
    uint64_t result = 0;
    bool first_value = true;
    for (unsigned source = 0; source < kWarp; ++source) {
        if (!((lanes >> source) & 1u)) continue;
        const uint64_t value = block.threads[first + source].value;
        const auto as_signed = static_cast<int64_t>(value), result_signed = static_cast<int64_t>(result);
        switch (self.op) {
            case WarpOp::kBallot:
                result |= (value & 1u) << source;
                break;
            case WarpOp::kMatchAny:
                result |= static_cast<uint64_t>(value == self.value) << source;
                break;
            case WarpOp::kMatchAll:
                if (value != self.value) return 0;
                result |= uint64_t{1} << source;
                break;
            case WarpOp::kAdd:
                result += value;
                break;
            case WarpOp::kMin:
                result = first_value || as_signed < result_signed ? value : result;
                break;
            case WarpOp::kMax:
                result = first_value || as_signed > result_signed ? value : result;
                break;
            case WarpOp::kAnd:
                result = first_value ? value : result & value;
                break;
            case WarpOp::kOr:
                result |= value;
                break;
            default:
                result ^= value;
                break;
        }
        first_value = false;
    }
    return result;
}

// Whether every lane of `lanes` waits at the same operation as `self`.
bool all_here(const Thread& self, unsigned first, unsigned lanes) {
    for (unsigned i = 0; i < kWarp; ++i) {
        if (!((lanes >> i) & 1u)) continue;
        const Thread& other = block.threads[first + i];
        if (first + i >= block.next || other.state != State::kAtWarpOp || other.op != self.op ||
            other.mask != self.mask || other.line != self.line) {
            return false;
        }
    }
    return true;
}

// Gives every lane of `lanes` its result; all but the running thread wait for their turn to go on.
void finish_warp_op(unsigned first, unsigned lanes) {
    if (block.threads[first + static_cast<unsigned>(__builtin_ctz(lanes))].op == WarpOp::kSync) {
        tracer::sync_warp(first, lanes);
    }
    uint64_t results[kWarp];
    for (unsigned i = 0; i < kWarp; ++i) {
        if ((lanes >> i) & 1u) results[i] = warp_result(block.threads[first + i], i, first, lanes);
    }
    for (unsigned i = 0; i < kWarp; ++i) {
        if (!((lanes >> i) & 1u)) continue;
        block.threads[first + i].value = results[i];
        block.threads[first + i].state = State::kRunning;
        --block.at_warp_op;
        if (first + i != current) block.push_ready(first + i);
    }
}

// A thread has returned: the lanes of its warp that waited for it alone go on.
void finish_ops_of_others(unsigned first) {
    const unsigned live = live_lanes(first);
    for (unsigned i = 0; i < kWarp; ++i) {
        const Thread& thread = block.threads[first + i];
        if (!((live >> i) & 1u) || first + i >= block.next || thread.state != State::kAtWarpOp ||
            thread.op == WarpOp::kActive) {
            continue;
        }
        if (all_here(thread, first, thread.mask & live)) finish_warp_op(first, thread.mask & live);
    }
}

// Nothing else can run: the lanes of one warp that wait in one line for __activemask() are those it names.
void release_active_lanes() {
    if (!block.at_warp_op) return;
    for (unsigned i = 0; i < block.size; ++i) {
        const Thread& one = block.threads[i];
        if (one.returned || one.state != State::kAtWarpOp || one.op != WarpOp::kActive) continue;
        const unsigned first = warp_of(i);
        unsigned lanes = 0;
        for (unsigned lane = 0; lane < kWarp && first + lane < block.size; ++lane) {
            const Thread& other = block.threads[first + lane];
            const bool here =
                !other.returned && other.state == State::kAtWarpOp && other.op == WarpOp::kActive;
            if (here && other.line == one.line) lanes |= 1u << lane;
        }
        current = kMaxThreads;  // nobody runs: all of them wait for their turn
        finish_warp_op(first, lanes);
        return;
    }
}

std::vector<Place> places() { return in_kernel ? std::vector<Place>{here(0)} : std::vector<Place>{}; }

std::string hex(unsigned value) {
    char text[16];
    snprintf(text, sizeof text, "0x%08X", value);
    return text;
}

// ---------------------------------------------------------------------------------------------------------------
// Signals: a fault or a timeout jumps out of the kernel (or of the wrapper) back to where the call began.

struct Jump {
    sigjmp_buf target;
    bool armed = false;
};
Jump kernel_jump, call_jump;
timer_t timer;
double time_limit = 0;
pid_t calling_thread = 0;
constexpr double kTick = 1e-3;  // s between attempts to leave once the time is up
constexpr int kMaxAttempts = 2000;
int attempts = 0;

// Where the code of the called module lies. Only from there is it safe to jump away: in the middle of a
// library a lock, malloc's for one, would stay taken for ever.
struct Code {
    uintptr_t begin = 0, end = 0;
} module_code;

void find_code(const void* function) {
    module_code = {};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* address) {
            const auto wanted = reinterpret_cast<uintptr_t>(address);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
                if (segment.p_type != PT_LOAD || wanted < begin || wanted >= begin + segment.p_memsz)
                    continue;
                module_code = {begin, begin + segment.p_memsz};
                return 1;
            }
            return 0;
        },
        const_cast<void*>(function));
}

uintptr_t register_in(const void* context, int which) {
    return static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[which]);
}

bool in_module_code(const void* context) {
    const uintptr_t place = register_in(context, REG_RIP);
    return place >= module_code.begin && place < module_code.end;
}
stack_t alternate_stack{}, former_stack{};
constexpr int kTimeoutSignal = SIGVTALRM;
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kSignals = sizeof kFaults / sizeof kFaults[0] + 1;
struct sigaction saved_actions[kSignals];

std::string describe_fault(int signal, const siginfo_t* info, const void* context, std::string& kind) {
    kind = "crash";
    const std::string who = in_kernel ? "the kernel" : "the wrapper";
    if (signal == SIGFPE) return who + " divided an integer by zero";
    if (signal == SIGILL)
        return who + " ran into code that has no meaning: a function without a return statement?";
    if (signal == SIGABRT) return who + " called abort()";
    for (const Fiber* fiber : all_fibers) {
        if (fiber->guards(info->si_addr)) {
            return "a thread used more stack than it has (256 KB): recursion without an end, or a very large "
                   "local array";
        }
    }
    if (info->si_code ==
        SI_KERNEL) {  // no address: a 16-byte access that is not aligned, or an impossible address
        kind = "misaligned";
        return who +
               " made a vector access to an address that is no multiple of its size (a float4 needs 16 "
               "bytes), or "
               "used a pointer that was never set";
    }
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const uintptr_t stack = register_in(context, REG_RSP);
    if (std::max(address, stack) - std::min(address, stack) < kPage)
        return who + " used more stack than there is: recursion without an end, or a very large local array";
    char text[160];
    if (address < kPage) {
        snprintf(text, sizeof text, "%s used a null pointer", who.c_str());
    } else {
        snprintf(text, sizeof text,
                 "%s touched address %p, which belongs to no tensor: an index far out of bounds, or a "
                 "pointer that was never set",
                 who.c_str(), info->si_addr);
    }
    kind = "out-of-bounds";
    return text;
}

void set_timer(double seconds) {
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(seconds);
    spec.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(spec.it_value.tv_sec)) * 1e9);
    spec.it_interval.tv_nsec = static_cast<long>(kTick * 1e9);
    attempts = 0;
    timer_settime(timer, 0, &spec, nullptr);
}

void on_signal(int signal, siginfo_t* info, void* context) {
    if (!call_jump.armed || gettid() != calling_thread) {
        // Not of this call: a late timer is nothing, a fault ends the process as it would have without the
        // emulator.
        if (signal != kTimeoutSignal) std::signal(signal, SIG_DFL);
        return;
    }
    if (signal == kTimeoutSignal) {
        if (!in_module_code(context) && ++attempts < kMaxAttempts) return;  // the next tick tries again
        set_timer(time_limit);  // a wrapper that catches what ends the kernel is not left to loop either
        char text[160];
        snprintf(text, sizeof text,
                 "%s ran for more than %g s: an endless loop, or too large an input for the emulator",
                 in_kernel ? "the kernel" : "the wrapper", time_limit);
        report("timeout", text, places());
    } else {
        std::string kind;
        const std::string detail = describe_fault(signal, info, context, kind);
        report(kind.c_str(), detail, places());
    }
    siglongjmp(kernel_jump.armed ? kernel_jump.target : call_jump.target, 1);
}

void install_handlers() {
    if (!alternate_stack.ss_sp) {
        alternate_stack.ss_size = 64 * 1024;
        alternate_stack.ss_sp = malloc(alternate_stack.ss_size);
    }
    sigaltstack(&alternate_stack, &former_stack);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    int saved = 0;
    for (const int signal : kFaults) sigaction(signal, &action, &saved_actions[saved++]);
    sigaction(kTimeoutSignal, &action, &saved_actions[saved]);
}

void restore_handlers() {
    sigaltstack(&former_stack, nullptr);
    int saved = 0;
    for (const int signal : kFaults) sigaction(signal, &saved_actions[saved++], nullptr);
    sigaction(kTimeoutSignal, &saved_actions[saved], nullptr);
}

void start_timer(double seconds) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTimeoutSignal;
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    set_timer(seconds);
}

// ---------------------------------------------------------------------------------------------------------------
// Launches.

cudaError_t refuse(cudaError_t error, const std::string& why) {
    last_error = error;
    report("bad-launch", why);
    return error;
}

std::unordered_map<const void*, size_t>& shared_limits() {
    static std::unordered_map<const void*, size_t> limits;
    return limits;
}

// Bytes of dynamic shared memory that the kernel may have.
size_t shared_limit(const void* function) {
    size_t limit = kDefaultSharedBytes;
    for (const auto& [opted_in, bytes] : shared_limits()) {
        if (opted_in == function || function == emulator::any_kernel()) limit = std::max(limit, bytes);
    }
    return limit;
}

// The limits of compute capability 5.0 and later (CUDA C++ Programming Guide, "Compute Capabilities").
bool launchable(const void* function, const emulator::Config& config) {
    const Index grid{config.grid.x, config.grid.y, config.grid.z};
    const Index threads{config.block.x, config.block.y, config.block.z};
    const uint64_t size = uint64_t{threads.x} * threads.y * threads.z;
    std::string why;
    cudaError_t error = cudaErrorInvalidConfiguration;
    if (threads.x == 0 || threads.y == 0 || threads.z == 0) {
        why = "a block of " + three(threads) + " has no threads";
    } else if (threads.x > kMaxThreads || threads.y > kMaxThreads || size > kMaxThreads) {
        why = "a block of " + three(threads) + " has " + std::to_string(size) +
              " threads; at most 1024 are allowed";
    } else if (threads.z > 64) {
        why = "a block of " + three(threads) + " is deeper than 64 in z";
    } else if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
        why = "a grid of " + three(grid) +
              " has no blocks: return early when there is nothing to do, and round their number up";
    } else if (grid.x > 2147483647u || grid.y > 65535u || grid.z > 65535u) {
        why = "a grid of " + three(grid) +
              " is too large: at most (2147483647, 65535, 65535) blocks are allowed";
    } else if (config.shared_bytes > kDefaultSharedBytes) {
        const size_t allowed = shared_limit(function);
        if (config.shared_bytes > allowed) {
            error = cudaErrorInvalidValue;
            why = std::to_string(config.shared_bytes) +
                  " bytes of dynamic shared memory were asked for; more than " + std::to_string(allowed) +
                  " need cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) "
                  "first";
        }
    }
    if (why.empty()) return true;
    refuse(error, why);
    return false;
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
        report("divergent-warp",
               "a warp operation in line " + std::to_string(lane->line) + " names lanes in its mask (" +
                   hex(lane->mask) + ") that never reach it",
               {here(lane->line)});
    } else {
        threadIdx = waiting->index;
        report("divergent-barrier",
               "the __syncthreads() in line " + std::to_string(waiting->line) + " is reached by " +
                   std::to_string(block.at_barrier) + " of the block's " + std::to_string(block.size) +
                   " threads; the others have returned: every thread must reach it",
               {here(waiting->line)});
    }
}

void run_threads() {
    block.next = block.finished = block.at_barrier = block.at_warp_op = 0;
    block.ready_head = block.ready_tail = 0;
    for (unsigned i = 0; i < block.size; ++i) {
        block.threads[i].returned = false;
        block.threads[i].copies.clear();  // of a launch that was stopped
        block.threads[i].batches = 0;
    }
    Fiber* fiber = take_fiber();
    resume(fiber, scheduler);
    if (!stopped && block.finished < block.size) {
        report_deadlock();
        stopped = true;
    }
    for (unsigned i = 0; i < block.size; ++i) {
        for (const Copy& copy : block.threads[i].copies) tracer::forget_copy(copy.to, copy.bytes);
        block.threads[i].copies.clear();
    }
}

void run_block(const emulator::Config& config, Index index) {
    blockIdx = index;
    if (config.shared_bytes) memset(shared_memory, 0xFF, config.shared_bytes);
    tracer::begin_block();
    run_threads();
    while (!stopped && tracer::begin_replay()) {
        run_threads();
        if (stopped) reset_fibers();
        tracer::end_replay(!std::exchange(stopped, false));
    }
}

// Of a range's `size` numbers as many as `count` says, spread evenly, but in no step that an array's width
// could share. 0 <= i < count <= size.
uint64_t spread(uint64_t i, uint64_t count, uint64_t size) {
    const auto at = [=](uint64_t part) {
        return static_cast<uint64_t>(static_cast<unsigned __int128>(part) * size / count);
    };
    return at(i) + (i + 1) * 0x9E3779B97F4A7C15u % (at(i + 1) - at(i));
}

// Runs some of the blocks from number `begin` on, in x, y and z order. The first and the last ones along each
// axis are sampled apart from those in between, since edges are where blocks differ. Each part of the grid is
// told to the tracer with the number of blocks that one of its sample stands for.
void run_sample(const emulator::Config& config, uint64_t begin, uint64_t wanted) {
    constexpr uint64_t kLeast = 2;  // blocks of each part
    const Index grid{config.grid.x, config.grid.y, config.grid.z};
    const uint64_t left = uint64_t{grid.x} * grid.y * grid.z - begin;
    const auto range = [](unsigned size, int part) {  // the first, those in between, the last
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
        // The blocks that ran already come first in the part, as they do in the grid.
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

void run_grid(const emulator::Config& config) {
    uint64_t run = 0;
    for (unsigned z = 0; z < config.grid.z; ++z) {
        for (unsigned y = 0; y < config.grid.y; ++y) {
            for (unsigned x = 0; x < config.grid.x; ++x) {
                if (const uint64_t wanted = tracer::begin_sample(run)) return run_sample(config, run, wanted);
                run_block(config, {x, y, z});
                if (stopped) return;
                ++run;
            }
        }
    }
}

void check_shared_overrun(const emulator::Config& config) {
    for (size_t i = config.shared_bytes; i < config.shared_bytes + kPage; ++i) {
        if (static_cast<unsigned char>(shared_memory[i]) == kRedZone) continue;
        report("out-of-bounds", "the kernel wrote past the end of its " +
                                    std::to_string(config.shared_bytes) +
                                    " bytes of dynamic shared memory (byte " + std::to_string(i) +
                                    "); the third value of <<<...>>> says how many there are");
        stopped = true;
        return;
    }
}

}  // namespace

namespace emulator {

void launch(const char* kernel, const void* function, const Config& config, void (*body)(void*),
            void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters) {
    if (in_kernel) trap("a kernel launched a kernel: the emulator does not run dynamic parallelism");
    current_kernel = kernel;
    if (!launchable(function, config)) return;
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
    memset(shared_memory + config.shared_bytes, kRedZone, kPage);
    tracer::begin_launch(closure, closure_bytes, pointers, parameters, shared_memory, config.shared_bytes);
    if (sigsetjmp(kernel_jump.target, 1) == 0) {
        kernel_jump.armed = true;
        in_kernel = true;
        run_grid(config);
    } else {
        stopped = true;
    }
    kernel_jump.armed = false;
    in_kernel = false;
    tracer::end_launch(!stopped);
    if (!stopped) check_shared_overrun(config);
    if (stopped) {
        reset_fibers();
        last_error = cudaErrorLaunchFailure;
        throw Stopped();
    }
}

void* dynamic_shared(const char* name) {
    tracer::name_dynamic_shared(name);
    return shared_memory;
}

void copy_async(void* to, const void* from, size_t bytes, size_t zeros) {
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes, and it was given another number");
    }
    if (zeros > bytes) trap("__pipeline_memcpy_async was given more zeros to fill in than bytes to copy");
    const void* code = __builtin_return_address(0);
    tracer::begin_copy(to, bytes, from, bytes - zeros, code);
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0) {
        const std::string many = std::to_string(bytes);
        report("misaligned",
               "__pipeline_memcpy_async copies " + many +
                   " bytes from or to an address that is no multiple of " + many,
               {});
        stop();
    }
    Thread& thread = block.threads[current];
    thread.copies.push_back({static_cast<char*>(to), from, bytes, zeros, thread.batches, code});
}
void commit_copies() { ++block.threads[current].batches; }
void wait_for_copies(size_t last) {
    Thread& thread = block.threads[current];
    auto copy = thread.copies.begin();
    for (; copy != thread.copies.end() && copy->batch + last < thread.batches; ++copy) {
        tracer::end_copy(copy->to, copy->bytes, copy->code);
        memcpy(copy->to, copy->from, copy->bytes - copy->zeros);
        memset(copy->to + copy->bytes - copy->zeros, 0, copy->zeros);
    }
    thread.copies.erase(thread.copies.begin(), copy);
}

void sync_threads(int line) { barrier(line, 0); }
int sync_threads_count(int line, int predicate) { return barrier(line, predicate), block.barrier_result[0]; }
int sync_threads_and(int line, int predicate) { return barrier(line, predicate), block.barrier_result[1]; }
int sync_threads_or(int line, int predicate) { return barrier(line, predicate), block.barrier_result[2]; }

void trap(const char* what) {
    if (!call_jump.armed) {  // while the module is loaded, say
        fprintf(stderr, "%s\n", what);
        abort();
    }
    report("crash", what, places());
    if (!in_kernel) siglongjmp(call_jump.target, 1);
    stop();
    abort();
}

uint64_t warp(WarpOp op, int line, unsigned int mask, uint64_t value, int argument, int width) {
    const unsigned first = warp_of(current), lane = current % kWarp;
    Thread& self = block.threads[current];
    if (!((mask >> lane) & 1u)) {
        report("divergent-warp",
               "a lane calls a warp operation in line " + std::to_string(line) + " whose mask (" + hex(mask) +
                   ") does not name it",
               {here(line)});
        stop();
    }
    self.op = op;
    self.mask = mask;
    self.value = value;
    self.argument = argument;
    self.width = width;
    self.line = line;
    self.state = State::kAtWarpOp;
    ++block.at_warp_op;
    const unsigned lanes = mask & live_lanes(first);
    if (op != WarpOp::kActive && all_here(self, first, lanes)) {
        finish_warp_op(first, lanes);
    } else {
        wait(State::kAtWarpOp, line);
    }
    return self.value;
}
unsigned int active_mask(int line) { return static_cast<unsigned>(warp(WarpOp::kActive, line, ~0u, 0)); }

cudaError_t recorded(cudaError_t error) { return error == cudaSuccess ? error : last_error = error; }
cudaError_t set_shared_limit(const void* function, int bytes) {
    if (bytes < 0 || static_cast<size_t>(bytes) > kMaxSharedBytes) return last_error = cudaErrorInvalidValue;
    shared_limits()[function] = static_cast<size_t>(bytes);
    return cudaSuccess;
}

}  // namespace emulator

// ---------------------------------------------------------------------------------------------------------------
// The C side of cuda_runtime_api.h, and of the traced modules' stubs.

extern "C" {

extern __attribute__((visibility("default"), alias("_ZN8emulator9in_kernelE"))) bool emulator_in_kernel;
bool emulator_set_in_kernel(bool now) { return std::exchange(in_kernel, now); }
[[noreturn]] void emulator_host_function(const char* mangled) {
    int status;
    char* plain = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    const std::string name = plain ? plain : mangled;
    free(plain);
    emulator::trap(("a kernel called " + name +
                    ", which is a function of the host: what it does has to be written in the "
                    "kernel")
                       .c_str());
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorInvalidConfiguration:
            return "cudaErrorInvalidConfiguration";
        case cudaErrorInvalidPitchValue:
            return "cudaErrorInvalidPitchValue";
        case cudaErrorInvalidDevice:
            return "cudaErrorInvalidDevice";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        case cudaErrorLaunchFailure:
            return "cudaErrorLaunchFailure";
        default:
            return "cudaErrorUnknown";
    }
}
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorInvalidPitchValue:
            return "invalid pitch argument";
        case cudaErrorInvalidDevice:
            return "invalid device ordinal";
        case cudaErrorIllegalAddress:
            return "an illegal memory access was encountered";
        case cudaErrorLaunchFailure:
            return "unspecified launch failure";
        default:
            return "unknown error";
    }
}
cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device != 0) return last_error = cudaErrorInvalidDevice;
    *properties = {"CUDA emulator",
                   size_t{4} << 30,
                   kDefaultSharedBytes,
                   kMaxSharedBytes,
                   32,
                   1024,
                   {1024, 1024, 64},
                   {2147483647, 65535, 65535},
                   9,
                   0,
                   132,
                   50 << 20,
                   65536,
                   2048,
                   size_t{228} << 10,
                   size_t{64} << 10};
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = properties.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(properties.sharedMemPerBlock);
            break;
        case cudaDevAttrWarpSize:
            *value = properties.warpSize;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = properties.multiProcessorCount;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(properties.sharedMemPerBlockOptin);
            break;
        default:
            return last_error = cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

}  // extern "C"

// ---------------------------------------------------------------------------------------------------------------
// Tensors between red zones.

namespace {

struct Region {
    AtenTensorHandle storage;   // keeps the memory alive until the call is over
    AtenTensorHandle original;  // the argument that was copied here, null for a tensor made in the wrapper
    char* data;                 // first byte between the red zones
    int64_t bytes;
    int64_t offset;      // of `data` in the storage, in elements
    int64_t element;     // bytes
    unsigned char zone;  // what its red zones hold
    std::string name;
};
std::vector<Region> regions;
std::vector<Region> allocations;  // of cudaMalloc, which may outlive a call

std::string shape_text(int64_t ndim, const int64_t* sizes) {
    std::string text = "(";
    for (int64_t i = 0; i < ndim; ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
    return text + (ndim == 1 ? ",)" : ")");
}

void paint_zones(const Region& region) {
    memset(region.data - kRedZoneBytes, region.zone, kRedZoneBytes);
    memset(region.data + region.bytes, region.zone, kRedZoneBytes);
}

// Lays the region's `bytes` between two red zones, from `base` on.
void place(Region& region, void* base, int64_t bytes) {
    region.data = static_cast<char*>(base) + kRedZoneBytes;
    region.bytes = bytes;
    region.zone = static_cast<unsigned char>(kRedZone + regions.size() + allocations.size());
    paint_zones(region);
}

// Memory for `bytes` of elements of `dtype` between two red zones, as a one-dimensional tensor that holds
// them all.
bool make_region(int64_t bytes, int32_t dtype, int64_t element, Region& region) {
    const int64_t count = (bytes + 2 * kRedZoneBytes + element - 1) / element;
    const int64_t stride = 1;
    if (aoti_torch_empty_strided(1, &count, &stride, dtype, 0, -1, &region.storage)) return false;
    void* base = nullptr;
    aoti_torch_get_data_ptr(region.storage, &base);
    region.element = element;
    region.offset = kRedZoneBytes / element;
    place(region, base, bytes);
    return true;
}

// The elements of a red zone that were written, the first of them as its distance from the tensor.
struct Damage {
    int64_t first = -1, count = 0;
};

Damage damage(const Region& region, bool before) {
    const char* zone = before ? region.data - kRedZoneBytes : region.data + region.bytes;
    Damage found;
    const bool whole =
        static_cast<unsigned char>(*zone) == region.zone && memcmp(zone, zone + 1, kRedZoneBytes - 1) == 0;
    if (whole) return found;  // nearly always, and much quicker told so
    for (int64_t i = 0; i < kRedZoneBytes; ++i) {
        const int64_t at = before ? kRedZoneBytes - 1 - i : i;  // nearest to the tensor first
        if (static_cast<unsigned char>(zone[at]) == region.zone) continue;
        const int64_t element = i / region.element;
        if (found.first < 0) found.first = element;
        ++found.count;
        i = (element + 1) * region.element - 1;  // this element is counted
    }
    return found;
}

void check_region(const Region& region) {
    for (const bool before : {false, true}) {
        const auto [first, count] = damage(region, before);
        if (!count) continue;
        const int64_t length = region.bytes / region.element;
        const int64_t at = before ? -1 - first : length + first;
        std::string reason = count == 1 && at == length ? "does a guard have <= where < belongs"
                                                        : "is the guard missing, or the index wrong";
        if (at == length && count < 4 && (length + count) % 4 == 0)
            reason += ", or does the last float4 reach too far";
        report("out-of-bounds", "a kernel wrote " + std::string(count == 1 ? "one element " : "elements ") +
                                    (before ? "before the start of " : "past the end of ") + region.name +
                                    ": element " + std::to_string(at) + " of " + std::to_string(length) +
                                    ", counted from 0 through its memory; " + reason + "?");
    }
}

void check_regions() {
    for (const Region& region : regions) check_region(region);
    for (const Region& region : allocations) {
        check_region(region);
        paint_zones(region);  // told once
    }
}

tracer::Layout layout_of(AtenTensorHandle tensor) {
    int64_t ndim = 0, *sizes = nullptr, *strides = nullptr;
    tracer::Layout layout;
    aoti_torch_get_dim(tensor, &ndim);
    aoti_torch_get_sizes(tensor, &sizes);
    aoti_torch_get_strides(tensor, &strides);
    aoti_torch_get_storage_offset(tensor, &layout.offset);
    layout.sizes.assign(sizes, sizes + ndim);
    layout.strides.assign(strides, strides + ndim);
    return layout;
}

}  // namespace

namespace emulator {

int64_t element_bytes(int32_t dtype) {
    constexpr int64_t kSizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
    return dtype >= 0 && dtype < 16 ? kSizes[dtype] : 1;
}

cudaError_t allocate(void** pointer, size_t bytes) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    void* base =
        bytes < size_t{1} << 40 ? aligned_alloc(256, (bytes + 255) / 256 * 256 + 2 * kRedZoneBytes) : nullptr;
    if (!base) return recorded(cudaErrorMemoryAllocation);
    Region region{};
    region.element = 1;
    region.name = "the " + std::to_string(bytes) + " bytes of a cudaMalloc";
    place(region, base, static_cast<int64_t>(bytes));
    memset(region.data, 0xFF, bytes);
    allocations.push_back(region);
    tracer::add_global(region.name, "", region.data, region.bytes, 0, false, {});
    *pointer = region.data;
    return cudaSuccess;
}

cudaError_t release(void* pointer) {
    if (!pointer) return cudaSuccess;
    for (size_t i = 0; i < allocations.size(); ++i) {
        if (allocations[i].data != pointer) continue;
        check_region(allocations[i]);
        tracer::forget(allocations[i].data);
        free(allocations[i].data - kRedZoneBytes);
        allocations.erase(allocations.begin() + static_cast<std::ptrdiff_t>(i));
        return cudaSuccess;
    }
    return recorded(cudaErrorInvalidValue);
}

}  // namespace emulator

extern "C" {

// What the stand-in's `empty` calls for a CUDA tensor.
int32_t emulator_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                               AtenTensorHandle* out) {
    const int64_t element = element_bytes(dtype);
    int64_t span = 1;
    for (int64_t i = 0; i < ndim; ++i)
        span = sizes[i] == 0 ? 0 : span ? span + (sizes[i] - 1) * strides[i] : 0;
    Region region{};
    if (!make_region(span * element, dtype, element, region)) return 1;
    memset(region.data, 0xFF, static_cast<size_t>(region.bytes));
    region.name = "the new tensor of shape " + shape_text(ndim, sizes);
    regions.push_back(region);
    tracer::add_global(region.name, "", region.data, region.bytes, element, false,
                       {{sizes, sizes + ndim}, {strides, strides + ndim}});
    return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides, region.offset, out);
}

// An argument's copy between red zones, with the same sizes, strides and offset. Arguments that share storage
// share the copy. `name` says which argument it is.
int32_t emulator_guard(AtenTensorHandle tensor, const char* name, AtenTensorHandle* out) {
    int64_t ndim = 0, offset = 0, bytes = 0;
    int64_t *sizes = nullptr, *strides = nullptr;
    int32_t dtype = 0;
    void* data = nullptr;
    aoti_torch_get_dim(tensor, &ndim);
    aoti_torch_get_sizes(tensor, &sizes);
    aoti_torch_get_strides(tensor, &strides);
    aoti_torch_get_dtype(tensor, &dtype);
    aoti_torch_get_storage_offset(tensor, &offset);
    aoti_torch_get_storage_size(tensor, &bytes);
    aoti_torch_get_data_ptr(tensor, &data);
    if (!data) bytes = 0;  // an empty view of a tensor has a storage with bytes, but PyTorch gives no address
    const int64_t element = element_bytes(dtype);
    const char* base = data ? static_cast<char*>(data) - offset * element : nullptr;
    for (const Region& region : regions) {
        if (!region.original) continue;
        void* other = nullptr;
        int64_t other_offset = 0;
        int32_t other_dtype = 0;
        aoti_torch_get_data_ptr(region.original, &other);
        aoti_torch_get_storage_offset(region.original, &other_offset);
        aoti_torch_get_dtype(region.original, &other_dtype);
        if (base && other_dtype == dtype && static_cast<char*>(other) - other_offset * element == base) {
            return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides,
                                                  region.offset + offset, out);
        }
    }
    Region region{};
    if (!make_region(bytes, dtype, element, region)) return 1;
    if (bytes) memcpy(region.data, base, static_cast<size_t>(bytes));
    region.name = std::string(name) + " of shape " + shape_text(ndim, sizes);
    aoti_torch_new_tensor_handle(tensor, &region.original);
    regions.push_back(region);
    tracer::add_global(region.name, name, region.data, region.bytes, element, true, layout_of(tensor));
    return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides, region.offset + offset, out);
}

// The first element of a tensor's storage that lies between red zones; 0 for a tensor of PyTorch's own.
int64_t emulator_storage_start(AtenTensorHandle tensor) {
    void* data = nullptr;
    aoti_torch_get_data_ptr(tensor, &data);
    const char* first = static_cast<const char*>(data);
    for (const Region& region : regions) {
        if (first >= region.data && first < region.data + region.bytes) return region.offset;
    }
    return 0;
}

// A result that lies in an argument's copy becomes the argument itself, or the same view of it.
int32_t emulator_unguard(AtenTensorHandle tensor, AtenTensorHandle* out) {
    void* data = nullptr;
    aoti_torch_get_data_ptr(tensor, &data);
    for (const Region& region : regions) {
        if (!region.original || data < region.data - kRedZoneBytes ||
            data > region.data + region.bytes + kRedZoneBytes) {
            continue;
        }
        tracer::Layout layout = layout_of(tensor);
        const tracer::Layout original = layout_of(region.original);
        layout.offset -= region.offset;
        if (layout == original) return aoti_torch_new_tensor_handle(region.original, out);
        return aoti_torch__reinterpret_tensor(region.original, static_cast<int64_t>(layout.sizes.size()),
                                              layout.sizes.data(), layout.strides.data(),
                                              layout.offset - original.offset, out);
    }
    return aoti_torch_new_tensor_handle(tensor, out);
}

// Runs a module's `course_invoke`, at most `seconds` long. What goes wrong in it becomes a hazard; where it
// had to be left midway the status is -1.
int32_t emulator_call(int32_t (*invoke)(int64_t, const void*, bool, void**, void*, const char**),
                      int64_t function, const void* arguments, void** result, void* value, const char** error,
                      double seconds) {
    time_limit = seconds;
    last_error = cudaSuccess;
    current_kernel = "";
    calling_thread = gettid();
    find_code(reinterpret_cast<const void*>(invoke));
    install_handlers();
    start_timer(seconds);
    int32_t status = -1;
    if (sigsetjmp(call_jump.target, 1) == 0) {
        call_jump.armed = true;
        status = invoke(function, arguments, true, result, value, error);
    }
    call_jump.armed = false;
    timer_delete(timer);
    restore_handlers();
    current_kernel = "";
    check_regions();
    return status;
}

// Ends a call: what kernels wrote to the arguments' copies goes back to the arguments.
void emulator_finish() {
    for (Region& region : regions) {
        if (region.original) {
            void* data = nullptr;
            int64_t offset = 0;
            int32_t dtype = 0;
            aoti_torch_get_data_ptr(region.original, &data);
            aoti_torch_get_storage_offset(region.original, &offset);
            aoti_torch_get_dtype(region.original, &dtype);
            char* base = static_cast<char*>(data) - offset * element_bytes(dtype);
            if (region.bytes && memcmp(base, region.data, static_cast<size_t>(region.bytes)) != 0) {
                memcpy(base, region.data, static_cast<size_t>(region.bytes));
            }
            aoti_torch_delete_tensor_object(region.original);
        }
        aoti_torch_delete_tensor_object(region.storage);
    }
    regions.clear();
    hazards.clear();
    tracer::finish();
}

int64_t emulator_launches() { return launches; }
int64_t emulator_hazard_count() { return static_cast<int64_t>(hazards.size()); }
// Returns how many places the hazard has.
int64_t emulator_hazard(int64_t index, const char** kind, const char** kernel, const char** detail) {
    const Hazard& hazard = hazards[static_cast<size_t>(index)];
    *kind = hazard.kind.c_str();
    *kernel = hazard.kernel.c_str();
    *detail = hazard.detail.c_str();
    return static_cast<int64_t>(hazard.places.size());
}
// `numbers` takes the line (0 where not known), then block and thread, three each; returns the address of the
// code, null where that is not known.
const void* emulator_hazard_place(int64_t index, int64_t which, int32_t* numbers) {
    const Place& place = hazards[static_cast<size_t>(index)].places[static_cast<size_t>(which)];
    numbers[0] = place.line;
    const Index both[] = {place.block, place.thread};
    for (int i = 0; i < 2; ++i) {
        numbers[1 + 3 * i] = static_cast<int32_t>(both[i].x);
        numbers[2 + 3 * i] = static_cast<int32_t>(both[i].y);
        numbers[3 + 3 * i] = static_cast<int32_t>(both[i].z);
    }
    return place.code;
}

}  // extern "C"
