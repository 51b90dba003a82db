// Signals: a fault or a timeout jumps out of the kernel (or of the wrapper) back to where the call began.
#include <cxxabi.h>
#include <link.h>
#include <ucontext.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include "scheduler.h"
#include "tracer.h"

namespace emulator {

Jump kernel_jump, call_jump;
Range module_code;

namespace {

timer_t timer;
double time_limit = 0;
// The call may use `time_limit` seconds of its thread's processor time, whatever else the machine does. Time
// in which it waits counts a tenth, as in course/toolchains/time_limit.py.
constexpr double kPatience = 10;
double passed_before, processor_before;
bool interrupted = false;
// Threads of the kernels that had ended when half of the time was over; -1 before.
int64_t ended_at_half;
pid_t calling_thread = 0;
constexpr double kTick = 1e-3;  // s between attempts to leave once the time is up
constexpr int kMaxAttempts = 2000;
int attempts = 0;

// The running thread's instruction and stack when a signal came.
struct Registers {
    explicit Registers(const void* context) {
        const mcontext_t& saved = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
        instruction = saved.pc;
        stack = saved.sp;
#else
        instruction = static_cast<uintptr_t>(saved.gregs[REG_RIP]);
        stack = static_cast<uintptr_t>(saved.gregs[REG_RSP]);
#endif
    }
    uintptr_t instruction, stack;
};

// Only from the called module's code is it safe to jump away: in the middle of a library, a lock such as
// malloc's would never be released.
bool in_module_code(const void* context) { return holds(module_code, Registers(context).instruction); }
stack_t alternate_stack{}, former_stack{};
constexpr int kTimeoutSignal = SIGVTALRM;
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr int kSignals = sizeof kFaults / sizeof kFaults[0] + 1;
struct sigaction saved_actions[kSignals], saved_interrupt;

// Whether a trap is clang's for an integer division by zero (-fsanitize=integer-divide-by-zero). ARM itself
// has no fault for it.
bool is_division_check([[maybe_unused]] const void* context) {
#if defined(__aarch64__)
    constexpr uint32_t kBreak = 0xD4200000, kDivision = 0x5503;  // brk #0x5503
    return *reinterpret_cast<const uint32_t*>(Registers(context).instruction) == (kBreak | kDivision << 5);
#else
    return false;
#endif
}

Report fault(int signal, const siginfo_t* info, const void* context) {
    const auto because = [](Reason reason) { return Report{reason, {in_kernel}, places()}; };
    if (signal == SIGFPE) return because(Reason::kDivisionByZero);
    if (signal == SIGTRAP && is_division_check(context)) return because(Reason::kDivisionByZero);
    // What stands for undefined code: ud2 of x86, and brk of ARM.
    if (signal == SIGILL || signal == SIGTRAP) return because(Reason::kMeaninglessCode);
    if (signal == SIGABRT) return because(Reason::kAborted);
    // x86 tells no address for a 16-byte access that is not aligned, or an impossible address. ARM demands
    // alignment only of atomic operations.
    const bool is_misaligned = signal == SIGBUS && info->si_code == BUS_ADRALN;
    if (is_misaligned || info->si_code == SI_KERNEL) return because(Reason::kMisalignedOrUnset);
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    // The page below the running thread's stack. An address below another thread's stack comes from a wild
    // pointer.
    if (in_kernel && current_stack - address - 1 < kPage) return {Reason::kThreadStackOverflow, {}, places()};
    const uintptr_t stack = Registers(context).stack;
    if (std::max(address, stack) - std::min(address, stack) < kPage) return because(Reason::kStackOverflow);
    if (address < kPage) return because(Reason::kNullPointer);
    if (Report found{}; is_outside(address, found)) return found;
    return {Reason::kWildPointer, {in_kernel, static_cast<int64_t>(address)}, places()};
}

void set_timer(double seconds) {
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(seconds);
    spec.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(spec.it_value.tv_sec)) * 1e9);
    spec.it_interval.tv_nsec = static_cast<long>(kTick * 1e9);
    attempts = 0;
    timer_settime(timer, 0, &spec, nullptr);
}

double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double time_spent() {
    return std::max(now(CLOCK_THREAD_CPUTIME_ID) - processor_before,
                    (now(CLOCK_MONOTONIC) - passed_before) / kPatience);
}

void start_clock() {
    passed_before = now(CLOCK_MONOTONIC);
    processor_before = now(CLOCK_THREAD_CPUTIME_ID);
    ended_at_half = -1;
    set_timer(time_limit / 2);
}

// Whether the call must end now. If not, the timer is set for the next look.
bool time_is_up() {
    if (interrupted) return true;
    const double spent = time_spent();
    if (spent >= time_limit) return true;
    if (spent >= time_limit / 2 && ended_at_half < 0) ended_at_half = threads_ended;
    set_timer((ended_at_half < 0 ? time_limit / 2 : time_limit) - spent);
    return false;
}

// Blocks of the running launch that come after the running block.
int64_t blocks_left() {
    const int64_t number = (int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return int64_t{gridDim.x} * gridDim.y * gridDim.z - 1 - number;
}

void on_signal(int signal, siginfo_t* info, void* context) {
    const bool is_protected = signal == SIGSEGV && info->si_code == SEGV_ACCERR;
    if (is_protected && open_page(reinterpret_cast<uintptr_t>(info->si_addr))) return;
    if (!call_jump.armed || gettid() != calling_thread) {
        // Not from this call: a late timer means nothing, and a fault ends the process as without the
        // emulator.
        if (signal != kTimeoutSignal) std::signal(signal, SIG_DFL);
        return;
    }
    if (signal == kTimeoutSignal) {
        if (attempts == 0 && !time_is_up()) return;
        if (!in_module_code(context) && ++attempts < kMaxAttempts) return;  // the next tick tries again
        const int64_t ended = ended_at_half < 0 ? 0 : threads_ended - ended_at_half;
        report({Reason::kTimeout,
                {in_kernel, std::lround(time_limit * 1000), ended, in_kernel ? blocks_left() : 0},
                places()});
        interrupted = false;
        start_clock();  // a wrapper that catches the exception cannot loop forever either
    } else {
        Report found = fault(signal, info, context);
        // The tracer may have reported it already, with its line.
        if (found.reason != Reason::kHostAccess || !is_reported(Reason::kHostAccess))
            report(std::move(found));
    }
    siglongjmp(kernel_jump.armed ? kernel_jump.target : call_jump.target, 1);
}

// Python's handler notes the interrupt and raises it after the call has returned, so the next tick ends the
// call. Python raises it in the main thread, so a call in another thread goes on.
void on_interrupt(int signal, siginfo_t*, void*) {
    saved_interrupt.sa_handler(signal);
    if (!call_jump.armed || gettid() != calling_thread) return;
    interrupted = true;
    set_timer(kTick);
}

bool has_handler(const struct sigaction& action) {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && !(action.sa_flags & SA_SIGINFO);
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
    sigaction(SIGINT, nullptr, &saved_interrupt);
    action.sa_sigaction = on_interrupt;
    if (has_handler(saved_interrupt)) sigaction(SIGINT, &action, nullptr);
}

void restore_handlers() {
    sigaltstack(&former_stack, nullptr);
    int saved = 0;
    for (const int signal : kFaults) sigaction(signal, &saved_actions[saved++], nullptr);
    sigaction(kTimeoutSignal, &saved_actions[saved], nullptr);
    if (has_handler(saved_interrupt)) sigaction(SIGINT, &saved_interrupt, nullptr);
}

void make_timer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kTimeoutSignal;
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
}
}  // namespace

Loaded library_of(const void* code) {
    std::pair<uintptr_t, Loaded> wanted{reinterpret_cast<uintptr_t>(code), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* argument) {
            auto& [address, found] = *static_cast<std::pair<uintptr_t, Loaded>*>(argument);
            found = {info->dlpi_addr, {}, {}};
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
                const Range range{begin, begin + segment.p_memsz};
                const bool loaded = segment.p_type == PT_LOAD;
                if (loaded && holds(range, address)) found.code = range;
                if (segment.p_type == PT_GNU_RELRO || (loaded && !(segment.p_flags & PF_W)))
                    found.constants.push_back(range);
            }
            return static_cast<int>(found.code.second != 0);
        },
        &wanted);
    return wanted.second;
}

void crash(Reason reason, std::vector<int64_t> numbers, const std::string& name) {
    if (!call_jump.armed) abort();  // for example while the module is loaded
    report({reason, std::move(numbers), places(), {Subject::Kind::kName, name, {}}});
    if (!in_kernel) siglongjmp(call_jump.target, 1);
    stop();
}
void trap() { crash(Reason::kTrapped); }
void assertion_failed(const char* condition) {
    // As the C library prints it.
    if (!call_jump.armed) fprintf(stderr, "Assertion `%s` failed\n", condition);
    crash(Reason::kAssertionFailed, {}, condition);
}

extern "C" {

[[noreturn]] void emulator_host_function(const char* mangled) {
    int status;
    char* plain = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    const std::string name = plain ? plain : mangled;
    free(plain);
    crash(Reason::kHostFunction, {}, name);
}

// Runs a module's `course_invoke` for at most `seconds`. An error in it becomes a hazard. If the call had to
// be stopped midway, the status is -1.
int32_t emulator_call(int32_t (*invoke)(int64_t, const void*, bool, void**, void*, const char**),
                      int64_t function, const void* arguments, void** result, void* value, const char** error,
                      double seconds) {
    time_limit = seconds;
    last_error = cudaSuccess;
    current_kernel = "";
    calling_thread = gettid();
    module_code = library_of(reinterpret_cast<const void*>(invoke)).code;
    install_handlers();
    make_timer();
    interrupted = false;
    start_clock();
    int32_t status = -1;
    if (sigsetjmp(call_jump.target, 1) == 0) {
        call_jump.armed = true;
        close_device();
        status = invoke(function, arguments, true, result, value, error);
        if (status == 0) tracer::check_joined();
    }
    call_jump.armed = false;
    open_device();
    timer_delete(timer);
    restore_handlers();
    current_kernel = "";
    check_regions();
    return status;
}

}  // extern "C"

}  // namespace emulator
