// Fibers: the threads of a block.
//
// A fiber runs one thread after another until a thread must wait (at a barrier or a warp operation); then
// another fiber goes on. So a kernel without barriers runs as a plain loop, on one stack.
#include <sys/mman.h>

#include <new>

#include "scheduler.h"

// Written here whenever the scheduler changes threads. A translated source sees them as `const`.
emulator::Index threadIdx, blockIdx, blockDim, gridDim;
const int warpSize = 32;

// Saves the callee-saved registers on this stack and continues on the other stack.
extern "C" void emulator_switch(void** save_stack, void* load_stack);
#if defined(__aarch64__)
asm(R"(
.text
.type emulator_switch, @function
emulator_switch:
    stp x29, x30, [sp, #-160]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp d14, d15, [sp, #144]
    ldp d12, d13, [sp, #128]
    ldp d10, d11, [sp, #112]
    ldp d8, d9, [sp, #96]
    ldp x27, x28, [sp, #80]
    ldp x25, x26, [sp, #64]
    ldp x23, x24, [sp, #48]
    ldp x21, x22, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #160
    ret
.size emulator_switch, .-emulator_switch
)");
#else
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
#endif

namespace emulator {

unsigned current = 0;
uintptr_t current_stack = 0;
Block block;
void (*kernel_body)(void*) = nullptr;
void* kernel_closure = nullptr;
int64_t threads_ended = 0;
bool stopped = false;

namespace {

std::vector<Fiber*> all_fibers, idle_fibers;
Fiber* running_fiber = nullptr;
Context scheduler;

void switch_context(Context& from, Context& to) { emulator_switch(&from.stack, to.stack); }

void fiber_main();

Fiber* take_fiber() {
    if (idle_fibers.empty()) {
        auto* fiber = new Fiber;
        void* memory = mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        fiber->memory = static_cast<char*>(memory);
        mprotect(fiber->memory, kPage, PROT_NONE);
        all_fibers.push_back(fiber);
        idle_fibers.push_back(fiber);
    }
    Fiber* fiber = idle_fibers.back();
    idle_fibers.pop_back();
    if (!fiber->started) {
        fiber->started = true;
        fiber->context.start(fiber->top(), fiber_main);
    }
    return fiber;
}

void resume(Fiber* to, Context& from) {
    running_fiber = to;
    current_stack = reinterpret_cast<uintptr_t>(to->memory) + kPage;
    switch_context(from, to->context);
}

// Continues with whatever can run: a thread that waited and may go on, or else a fiber that starts the next
// threads, or else the scheduler. Returns when `self` is resumed.
void run_others(Fiber* self) {
    if (!stopped && !block.has_ready() && block.next == block.size) release_active_lanes();
    const bool starts_first = order != 0 && block.next < block.size;
    if (!stopped && block.has_ready() && !starts_first) {
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

void fiber_main() {
    for (;;) {
        Fiber* self = running_fiber;
        while (!stopped && block.next < block.size) {
            current = static_cast<unsigned>(in_order(block.next++, block.size));
            Thread& thread = block.threads[current];
            thread.fiber = self;
            threadIdx = thread.index;
            kernel_body(kernel_closure);
            traffic::arrived();
            block.threads[current].returned = true;
            ++block.finished;
            ++threads_ended;
            if (block.at_warp_op) finish_ops_of_others(warp_of(current));
        }
        idle_fibers.push_back(self);
        run_others(self);
    }
}

}  // namespace

void run_fibers() { resume(take_fiber(), scheduler); }

void reset_fibers() {
    idle_fibers = all_fibers;
    for (Fiber* fiber : all_fibers) {
        if (fiber->started) madvise(fiber->memory + kPage, kStackBytes, MADV_DONTNEED);
        fiber->started = false;
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

void give_way() {
    if (order == 0) return;
    block.push_ready(current);
    wait(State::kRunning, block.threads[current].line);
}

void stop() {
    stopped = true;
    switch_context(running_fiber->context, scheduler);
    abort();  // never resumed
}

Index index_of(unsigned thread) {
    return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / (blockDim.x * blockDim.y)};
}

// ---------------------------------------------------------------------------------------------------------------
// Barriers.

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
            report({Reason::kDifferentBarriers, {first->line}, {here(thread.line)}});
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
        const auto next = static_cast<unsigned>(in_order(i, block.size));
        if (!block.threads[next].returned && next != current) block.push_ready(next);
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

}  // namespace

void sync_threads(int line) { barrier(line, 0); }
int sync_threads_count(int line, int predicate) { return barrier(line, predicate), block.barrier_result[0]; }
int sync_threads_and(int line, int predicate) { return barrier(line, predicate), block.barrier_result[1]; }
int sync_threads_or(int line, int predicate) { return barrier(line, predicate), block.barrier_result[2]; }

// ---------------------------------------------------------------------------------------------------------------
// Asynchronous copies (__pipeline_memcpy_async). They are made when a thread waits for them.

void copy_async(void* to, const void* from, size_t bytes, size_t zeros, const void* code) {
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        crash(Reason::kCopyOfOtherSize);
    }
    if (zeros > bytes) crash(Reason::kCopyOfMoreZeros);
    tracer::begin_copy(to, bytes, from, bytes - zeros, code);
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0) {
        report({Reason::kCopyMisaligned, {static_cast<int64_t>(bytes)}});
        stop();
    }
    Thread& thread = block.threads[current];
    const uint64_t loads = traffic::counting ? work::block.threads[current].shared_loads : 0;
    thread.copies.push_back({static_cast<char*>(to), from, bytes, zeros, thread.batches, code, loads});
}
void commit_copies() { ++block.threads[current].batches; }
void wait_for_copies(size_t last) {
    Thread& thread = block.threads[current];
    auto copy = thread.copies.begin();
    for (; copy != thread.copies.end() && copy->batch + last < thread.batches; ++copy) {
        if (traffic::counting && (copy == thread.copies.begin() || copy[-1].batch < copy->batch)) {
            work::Thread& counted = work::block.threads[current];
            ++counted.copied;
            counted.unoverlapped += copy->shared_loads == counted.shared_loads;
        }
        tracer::end_copy(copy->to, copy->bytes, copy->code);
        memcpy(copy->to, copy->from, copy->bytes - copy->zeros);
        memset(copy->to + copy->bytes - copy->zeros, 0, copy->zeros);
    }
    thread.copies.erase(thread.copies.begin(), copy);
}

}  // namespace emulator
