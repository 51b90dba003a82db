// Races: each access is compared with the last accesses to the same words.
#include "tracer.h"

namespace tracer {

Pending pending;

void settle() {
    if (!pending.area) return;
    const Area& area = *pending.area;
    pending.area = nullptr;
    const size_t bytes = pending.end - pending.begin;
    const bool same = bytes <= sizeof pending.bytes &&
                      memcmp(pending.bytes, reinterpret_cast<const void*>(pending.begin), bytes) == 0;
    if (!same) {
        report_race(area, pending.before, pending.site, pending.place, pending.begin, bytes);
    } else if (is_new(Reason::kSameValue, pending.site)) {
        report({Reason::kSameValue, {}, {pending.place}, area.owner(pending.begin).subject});
    }
}

namespace {

void note_pending(const Area& area, const Access& before, uint16_t site, uintptr_t begin, uintptr_t end) {
    if (pending.area) {
        pending.end = end;
        return;
    }
    pending = {&area, before, site, begin, end, here(site), {}};
    // As many bytes as are compared later, since the access may reach further than this cell.
    memcpy(pending.bytes, reinterpret_cast<const void*>(begin),
           std::min(sizeof pending.bytes, static_cast<size_t>(area.end - begin)));
}

// Whether a site is volatile or atomic for the thread that made `access` and the running one.
bool is_strong(const Access& access, uint16_t site) {
    return sites[site].strong || (sites[site].op == Op::kAtomic && access.time >= block_time);
}

// For a read and a write, or for two writes of which one is atomic: a flag that a thread waits for, or a
// lock.
bool both_strong(const Access& access, uint16_t site, const Area& area) {
    return !area.shared && is_strong(access, access.site) && is_strong(access, site);
}

// Whether any of the bytes were written. The padding of a struct that is copied as a whole is never written.
bool any_written(const Area& area, const Cell* cell, size_t bytes) {
    const size_t cells = std::max(bytes >> area.shift, size_t{1});
    return std::any_of(cell, cell + cells,
                       [&](const Cell& each) { return each.write.time >= written_since(area); });
}

void read(const Area& area, Cell& cell, uint16_t site, uintptr_t address, size_t bytes,
          bool must_be_written) {
    if (!ordered(cell.write, area) && !both_strong(cell.write, site, area)) {
        report_race(area, cell.write, site, here(site), address, bytes);
    }
    if (must_be_written && cell.write.time < written_since(area))
        report_unwritten(area, site, address, bytes);
    note_read(area, cell, {now, static_cast<uint16_t>(current), site});
}

void write(const Area& area, Cell& cell, uint16_t site, uintptr_t address, size_t bytes, bool uses_old) {
    const bool atomic = sites[site].op == Op::kAtomic;
    const auto both_atomic = [=](const Access& access) {
        return atomic && sites[access.site].op == Op::kAtomic && is_strong(access, access.site) &&
               is_strong(access, site);
    };
    const auto a_lock = [&](const Access& access) {
        return both_strong(access, site, area) && (atomic || sites[access.site].op == Op::kAtomic);
    };
    if (atomic && uses_old && cell.write.time < written_since(area)) {
        report_unwritten(area, site, address, bytes);
    }
    if (atomic && !ordered(cell.plain, area) && !a_lock(cell.plain)) {
        report_race(area, cell.plain, site, here(site), address, bytes);
    } else if (!ordered(cell.write, area) && !both_atomic(cell.write) && !a_lock(cell.write)) {
        const bool in_flight = cell.write.time == kInFlight && !copying;
        if (sites[site].op == Op::kWrite && sites[cell.write.site].op == Op::kWrite && !in_flight) {
            note_pending(area, cell.write, site, address, address + bytes);
        } else {
            report_race(area, cell.write, site, here(site), address, bytes);
        }
    }
    for (const Access& reader : cell.reads) {
        if (!ordered(reader, area) && !both_strong(reader, site, area)) {
            report_race(area, reader, site, here(site), address, bytes);
        }
        if (sites[site].op == Op::kAtomic && reader.thread == current && reader.time >= block_time) {
            sites[reader.site].before_atomic = true;
        }
    }
    cell.write = {now, static_cast<uint16_t>(current), site};
    if (!atomic) cell.plain = cell.write;
}

}  // namespace

void access(uintptr_t address, size_t bytes, Op op, bool aligned, const void* code, bool strong,
            bool uses_old) {
    if (!in_kernel) {
        look_at_host(address, bytes, op, code);
        return;
    }
    if (is_local(address, bytes)) return;
    if (replaying) {
        if (!area_of(address, bytes) && !is_ignored(address, op) && !is_kept(address, bytes)) stop();
        return;
    }
    settle();
    const uint16_t number = site_number(code, bytes, op, strong);
    Site& site = sites[number];
    if (!site.area || !site.area->holds(address, bytes)) {
        if (is_ignored(address, op)) return;
        site.area = area_of(address, bytes);
        if (!site.area) site.area = area_of_kept(address, bytes);
        if (!site.area) return report_outside(number, address, bytes);
    }
    if (aligned && address % bytes != 0) report_misaligned(number, address, bytes);
    Area& area = *site.area;
    if (!area.views_hold(address, bytes)) report_outside_views(area, number, address);
    if (area.shift && (address | bytes) % 4 != 0) area.narrow();
    area.touched = true;
    if (strong && !area.shared) acquired = true, thread_acquired[current] = now;
    if (op != Op::kRead) area.is_constant = false, area.written = true;  // now it is in global memory
    if (traffic::counting && !area.is_constant) {
        if (!site.counted[area.shared]) {
            site.counted[area.shared] = true;
            traffic::count_site(number, bytes, op, area.shared);
        }
        traffic::log(code, traffic::key_of(number, area.shared), address);
        if (op == Op::kRead && area.shared) ++work::block.threads[current].shared_loads;
    }
    const size_t step = size_t{1} << area.shift;
    Cell* cell = area.cell(address);
    const bool must_be_written =
        op == Op::kRead && ((aligned && area.element >= 4) || !any_written(area, cell, bytes));
    for (size_t done = 0; done < bytes; done += step, ++cell) {
        if (!all_before && !area.shared) check_order(area, address + done, op, &number);
        if (op == Op::kRead) {
            read(area, *cell, number, address + done, step, must_be_written);
        } else {
            if (area.side == Side::kBoth && cell->write.time < launch_time)
                to_host += static_cast<int64_t>(step);
            write(area, *cell, number, address + done, step, uses_old);
        }
    }
}

}  // namespace tracer
