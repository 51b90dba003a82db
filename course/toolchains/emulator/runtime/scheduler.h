// What the files of the scheduler share: fibers, the threads of the block that runs, the launch and the call.
#pragma once
#include <unistd.h>

#include <csetjmp>

#include "cuda_runtime_api.h"
#include "internal.h"

#pragma GCC visibility push(hidden)

namespace emulator {

inline const auto kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));  // up to 64 KiB on ARM
constexpr size_t kDefaultSharedBytes = 48 * 1024;
// The first of the bytes that fill red zones. The zones of each tensor have another byte. Otherwise a kernel
// that copies past the ends of two tensors would write the same bytes that were already there.
constexpr unsigned char kRedZone = 0xA5;
constexpr size_t kSharedZone = 4096;  // bytes after a block's shared memory

// Reports of the current call (tables.cpp).
inline Place here(int line) { return {blockIdx, threadIdx, line, nullptr}; }
std::vector<Place> places();  // of the running thread; empty outside of kernels
void clear_reports();
bool is_reported(Reason reason);

extern cudaError_t last_error;

// Fibers (fibers.cpp).
struct Context {
    void* stack = nullptr;
    void start(char* top, void (*entry)()) {
        // What emulator_switch loads: registers, one of which has the address where it continues.
#if defined(__aarch64__)
        constexpr size_t kWords = 20, kContinue = 1;
#else
        // The last word is in place of a return address: as after a call, the stack is 8 off a multiple
        // of 16.
        constexpr size_t kWords = 8, kContinue = 6;
#endif
        void** frame = reinterpret_cast<void**>(top) - kWords;
        std::fill_n(frame, kWords, nullptr);
        frame[kContinue] = reinterpret_cast<void*>(entry);
        stack = frame;
    }
};

struct Fiber {
    Context context;
    char* memory = nullptr;  // a guard page, then the stack
    bool started = false;

    char* top() const { return memory + kPage + kStackBytes; }
};

enum class State : unsigned char { kRunning, kAtBarrier, kAtWarpOp };

struct Copy {  // an asynchronous copy that has not arrived
    char* to;
    const void* from;
    size_t bytes, zeros;
    size_t batch;
    const void* code;
    uint64_t shared_loads;  // of the thread before
};

struct Thread {
    Index index;
    Fiber* fiber;
    State state;
    bool returned;
    int line;  // of the barrier or warp operation at which it waits
    int predicate;
    // For a warp operation.
    WarpOp op;
    unsigned mask;
    uint64_t value;
    int argument, width;
    std::vector<Copy> copies;
    size_t batches;  // batches of copies that were committed
};

struct Block {
    unsigned size = 0;
    unsigned next = 0;  // first thread that has not started
    unsigned finished = 0;
    unsigned at_barrier = 0;
    unsigned at_warp_op = 0;
    int barrier_result[3];        // `count`, `and` and `or` of the last barrier's predicates
    unsigned ready[kMaxThreads];  // a ring of the threads that can go on
    unsigned ready_head = 0, ready_tail = 0;
    Thread threads[kMaxThreads];

    void push_ready(unsigned thread) { ready[ready_tail++ % kMaxThreads] = thread; }
    bool has_ready() const { return ready_head != ready_tail; }
    unsigned pop_ready() { return ready[ready_head++ % kMaxThreads]; }
};

extern Block block;
extern void (*kernel_body)(void*);
extern void* kernel_closure;
extern int64_t threads_ended;  // in all launches
extern bool stopped;           // a thread of this launch found a hazard that ends it
// 0: blocks and threads run as they are counted, 1: reversed, or else a seed, which mixes them.
extern int64_t order;
// The place of number `i` of `count` blocks or threads in the order of this call: as they are counted,
// reversed, or mixed.
uint64_t in_order(uint64_t i, uint64_t count);
void run_fibers();    // until every thread has returned or waits, or the launch is stopped
void reset_fibers();  // every stack starts anew, and empty
// Lets the running thread wait in `line`, for what `state` says.
void wait(State state, int line);
// Before an atomic or volatile access in a call of another order: all other threads of the block that can
// come before it go first, up to such an access of their own.
void give_way();

// Warp operations (warp_ops.cpp).
inline unsigned warp_of(unsigned thread) { return thread / kWarp * kWarp; }
void finish_ops_of_others(unsigned first);
void release_active_lanes();

// Signals (signals.cpp): where a fault, a timeout or a trap jumps to.
struct Jump {
    sigjmp_buf target;
    bool armed = false;
};
extern Jump kernel_jump, call_jump;
extern Range module_code;  // of the module that is called
extern "C" [[noreturn]] void emulator_host_function(const char* mangled);

// The device's memory, red zones and memory that is not copied yet (regions.cpp). While a wrapper runs, it
// can access the device's memory only as long as a DeviceMemory exists.
void open_device();
void close_device();
class DeviceMemory {
  public:
    DeviceMemory();
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

  private:
    bool was_open_;
};
void check_regions();  // reports what was written to red zones
// Whether an address that caused a fault is in a red zone, on the device while the host runs, or freed.
bool is_outside(uintptr_t address, Report& found);
// On which side an address is, as far as cudaMemcpy can know.
enum class Side : char { kHost, kDevice, kEither };
Side side_of(const void* address);
bool open_page(uintptr_t address);  // whether the fault is over, since the page is now open

}  // namespace emulator

#pragma GCC visibility pop
