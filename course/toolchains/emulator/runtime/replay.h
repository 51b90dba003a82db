// Block replay: decides whether a read of shared memory that no thread has written is a hazard.
//
// A right kernel may make such a read and not use the value: threads past the edge of the matrix sum up the
// padding of a tile, and do not store the sum. The tracer does not follow values. So a block that has made
// such a read runs again, from the same global memory and with other values in its shared arrays. If it
// leaves global memory bit for bit the same each time, the value had no effect, and the read is a remark.
// Otherwise it is a hazard.
//
// Zeros are among the values, since a kernel may be right by luck only with zeros. The others are NaN (which
// fmaxf ignores), the largest and the smallest numbers, since a maximum or a minimum ignores one of these,
// and noise, since equal values compare equal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "internal.h"

#pragma GCC visibility push(hidden)

namespace tracer {

// The stores of a block to global memory, recorded so that they can be undone and repeated.
class Journal {
  public:
    bool is_full() const { return stores_.size() == kMostStores; }
    void note(uintptr_t address, size_t bytes) {
        stores_.push_back({address, bytes});
        before_.append(reinterpret_cast<const char*>(address), bytes);
    }
    void close();  // the block has ended
    void undo() const;
    void redo() const;
    bool is_as_left() const;  // whether all places where the block stored still have the values that it left
    void clear();

  private:
    static constexpr size_t kMostStores = size_t{1} << 20;  // of a block that can be undone
    struct Store {
        uintptr_t address;
        size_t bytes;
    };
    std::vector<Store> stores_;
    std::string before_, after_;
};

class Replay {
  public:
    void begin_launch();
    void begin_block();
    bool begin();  // see begin_replay() and end_replay() in internal.h
    void end(bool whole);
    void give_up();  // the launch was stopped, perhaps in a block that still has doubts

    // Whether the block runs again. Nothing is traced or reported meanwhile.
    bool running() const { return running_; }
    // Whether this launch's blocks have shared memory, so that each store to global memory must be noted.
    bool journaling() const { return journaling_; }
    void note(uintptr_t address, size_t bytes) {
        if (journal_.is_full()) depends_ = true;
        if (!depends_) journal_.note(address, bytes);
    }
    void cannot_undo() { depends_ = true; }  // the block did something that is not in the journal
    void access(uintptr_t address, size_t bytes, Op op);  // an access that the running block repeats
    void doubt(uint16_t site, emulator::Report read);     // a read of something that was not written

  private:
    void finish();

    struct Doubt {
        uint16_t site;
        emulator::Report read;
    };
    bool running_ = false;
    bool journaling_ = false;
    bool depends_ = false;  // whether other values in shared memory may change what the block does
    bool counted_ = false;  // traffic::counting outside of replays
    size_t fill_ = 0;
    Journal journal_;            // of the block that runs
    Journal first_run_;          // of the same block with the first fill
    std::vector<Doubt> doubts_;  // of the block that runs; one for each site
};
extern Replay replay;

}  // namespace tracer

#pragma GCC visibility pop
