// Tables of numbers for Python.
//
// Each function makes a table for the last call, row after row, and returns the number of rows. Code, kernel
// and label are addresses; op is 0 for load, 1 for store, 2 for atomic.
#define EMULATOR_RUNTIME
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tracer.h"

namespace tracer {
namespace {

std::vector<int64_t> table;

template <class... T>
void add_to_table(T... numbers) {
    const auto as_number = [](auto number) {
        if constexpr (std::is_pointer_v<decltype(number)>)
            return reinterpret_cast<int64_t>(number);
        else
            return static_cast<int64_t>(number);
    };
    (table.push_back(as_number(numbers)), ...);
}

}  // namespace

extern "C" {

// For each site and space with traffic: its number, code, kernel, op, whether it is shared memory, bytes per
// thread, requests, units, ideal, lanes.
int64_t emulator_traffic(const int64_t** numbers) {
    table.clear();
    int64_t rows = 0;
    for (size_t number = 0; number < sites.size(); ++number) {
        const Site& site = sites[number];
        for (const bool shared : {false, true}) {
            const traffic::Count* count = traffic::count_of(static_cast<uint16_t>(number), shared);
            if (!count) continue;
            add_to_table(traffic::key_of(static_cast<uint16_t>(number), shared), site.code, site.kernel,
                         static_cast<int64_t>(site.op), shared, count->bytes, count->requests, count->units,
                         count->ideal, count->lanes);
            ++rows;
        }
    }
    *numbers = table.data();
    return rows;
}

// For each array in the log: kernel, address, label, parameter.
int64_t emulator_arrays(const int64_t** numbers) {
    table.clear();
    for (const Array& each : arrays)
        add_to_table(each.kernel, each.begin, each.label.c_str(), each.parameter);
    *numbers = table.data();
    return static_cast<int64_t>(arrays.size());
}

// For each access in the log: the numbers of its site and its array, offset, thread (three), lane, request,
// interval, warp. `left_out` is the number of accesses that are not in the log.
int64_t emulator_accesses(const int64_t** numbers, int64_t* left_out) {
    table.clear();
    for (const traffic::Logged& each : traffic::accesses) {
        add_to_table(each.key, each.spot.array, each.spot.offset, each.thread.x, each.thread.y, each.thread.z,
                     each.lane, each.request, each.interval, each.warp);
    }
    *numbers = table.data();
    *left_out = static_cast<int64_t>(traffic::left_out);
    return static_cast<int64_t>(traffic::accesses.size());
}

// For each dimension of each tensor: its memory's address, bytes per element, the first element, size,
// stride.
int64_t emulator_layouts(const int64_t** numbers) {
    table.clear();
    int64_t rows = 0;
    for (const auto& area : areas) {
        const tracer::Layout& layout = area->owners[0].layout;
        for (size_t i = 0; i < layout.sizes.size(); ++i, ++rows)
            add_to_table(area->begin, area->element, layout.offset, layout.sizes[i], layout.strides[i]);
    }
    *numbers = table.data();
    return rows;
}

// For each launch: kernel, grid (three), block (three), and the numbers of work::Launch.
int64_t emulator_launched(const int64_t** numbers) {
    table.clear();
    for (const work::Launch& each : work::launches) {
        add_to_table(each.kernel, each.grid.x, each.grid.y, each.grid.z, each.block.x, each.block.y,
                     each.block.z, each.run, each.read, each.written, each.working, each.storing,
                     each.last_storing, each.stored, each.most_stored, each.elements, each.repeated,
                     each.writers, each.label.c_str(), each.parameter, each.element);
    }
    *numbers = table.data();
    return static_cast<int64_t>(work::launches.size());
}

// Whether the traffic of the last call was counted to its end.
bool emulator_counted_all() { return !traffic::given_up; }

}  // extern "C"

}  // namespace tracer
