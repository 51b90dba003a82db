// Block replay: runs a block again with other values in shared memory (see replay.h).
#define EMULATOR_RUNTIME
#include "replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tracer.h"

namespace tracer {

using emulator::Reason;
using emulator::report;

Replay replay;

namespace {

constexpr unsigned char kEverywhere[] = {0xFF, 0x00, 0x7F,
                                         0xFE};    // in each byte; the block runs with NaN first
constexpr size_t kFills = sizeof kEverywhere + 1;  // plus noise

void fill_shared(size_t fill) {
    for (const auto& area : areas) {
        if (!area->shared) continue;
        auto* const bytes = reinterpret_cast<unsigned char*>(area->begin);
        const size_t size = area->end - area->begin;
        if (fill < sizeof kEverywhere) {
            memset(bytes, kEverywhere[fill], size);
        } else {
            for (size_t i = 0; i < size; ++i)
                bytes[i] = static_cast<unsigned char>((i + 1) * 0x9E3779B97F4A7C15u >> 56);
        }
    }
}

}  // namespace

void Journal::close() {
    for (const Store& store : stores_)
        after_.append(reinterpret_cast<const char*>(store.address), store.bytes);
}

void Journal::undo() const {
    size_t from = before_.size();
    for (size_t i = stores_.size(); i-- > 0;) {
        from -= stores_[i].bytes;
        memcpy(reinterpret_cast<void*>(stores_[i].address), &before_[from], stores_[i].bytes);
    }
}

void Journal::redo() const {
    size_t from = 0;
    for (const Store& store : stores_) {
        memcpy(reinterpret_cast<void*>(store.address), &after_[from], store.bytes);
        from += store.bytes;
    }
}

bool Journal::is_as_left() const {
    size_t from = 0;
    return std::all_of(stores_.begin(), stores_.end(), [&](const Store& store) {
        return !memcmp(reinterpret_cast<const void*>(store.address),
                       &after_[std::exchange(from, from + store.bytes)], store.bytes);
    });
}

void Journal::clear() {
    stores_.clear();
    before_.clear();
    after_.clear();
}

void Replay::begin_launch() {
    journaling_ = std::any_of(areas.begin(), areas.end(), [](const auto& area) { return area->shared; });
}

void Replay::begin_block() {
    depends_ = false;
    fill_shared(fill_ = 0);
}

bool Replay::begin() {
    if (doubts_.empty()) {
        journal_.clear();
        return false;
    }
    if (!running_) {
        settle();
        journal_.close();
        std::swap(journal_, first_run_);
        counted_ = std::exchange(traffic::counting, false);
        tracing = false;
        running_ = true;
    }
    if (depends_ || ++fill_ == kFills) {
        finish();
        return false;
    }
    first_run_.undo();
    fill_shared(fill_);
    return true;
}

void Replay::end(bool whole) {
    journal_.close();
    depends_ |= !whole || !first_run_.is_as_left();
    journal_.undo();
    first_run_.redo();
    depends_ |= !journal_.is_as_left();
    journal_.clear();
}

void Replay::give_up() {
    depends_ = true;
    finish();
}

void Replay::finish() {
    if (std::exchange(running_, false)) {
        tracing = true;
        traffic::counting = counted_;
    }
    for (Doubt& each : doubts_) {
        each.read.reason = depends_ ? Reason::kUnwrittenRead : Reason::kUnusedRead;
        if (is_new(each.read.reason, each.site)) report(std::move(each.read));
    }
    doubts_.clear();
    journal_.clear();
    first_run_.clear();
}

void Replay::access(uintptr_t address, size_t bytes, Op op) {
    const Area* area = area_of(address, bytes);
    if (!area && !is_ignored(address) && !is_kept(address, bytes)) emulator::stop();
    if (op == Op::kRead || (area && area->shared)) return;
    note(address, bytes);
    if (depends_) emulator::stop();
}

void Replay::doubt(uint16_t site, emulator::Report read) {
    const bool known =
        was_reported(Reason::kUnwrittenRead, site) ||
        std::any_of(doubts_.begin(), doubts_.end(), [=](const Doubt& each) { return each.site == site; });
    if (!known) doubts_.push_back({site, std::move(read)});
}

bool begin_replay() { return replay.begin(); }
void end_replay(bool whole) { replay.end(whole); }
bool is_replaying() { return replay.running(); }

}  // namespace tracer
