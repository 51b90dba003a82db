// What Python reads about a call: its reports, and tables of numbers.
//
// Each function makes a table for the last call, row after row, and returns how many numbers it has. Texts
// and code are addresses; op is 0 for load, 1 for store, 2 for atomic.
#include <type_traits>

#include "scheduler.h"
#include "tracer.h"

namespace emulator {
namespace {

std::vector<Report> reports;

}  // namespace

void report(Report found) {
    if (tracer::replaying) return;
    found.kernel = current_kernel;
    reports.push_back(std::move(found));
}

std::vector<Place> places() { return in_kernel ? std::vector<Place>{here(0)} : std::vector<Place>{}; }

void clear_reports() { reports.clear(); }

bool is_reported(Reason reason) {
    return std::any_of(reports.begin(), reports.end(),
                       [=](const Report& each) { return each.reason == reason; });
}

}  // namespace emulator

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

template <class MakeRows>
int64_t make_table(const int64_t** numbers, MakeRows make_rows) {
    table.clear();
    make_rows();
    *numbers = table.data();
    return static_cast<int64_t>(table.size());
}

}  // namespace

extern "C" {

// For each report: reason, kernel, subject's kind, subject's name. Then come, each after its length, the
// subject's sizes, the numbers, and the places: code, line, block (three), thread (three).
int64_t emulator_reports(const int64_t** numbers) {
    const auto add_list = [](const std::vector<int64_t>& list) {
        add_to_table(list.size());
        table.insert(table.end(), list.begin(), list.end());
    };
    return make_table(numbers, [&] {
        for (const Report& each : emulator::reports) {
            add_to_table(each.reason, each.kernel, each.subject.kind, each.subject.name.c_str());
            add_list(each.subject.sizes);
            add_list(each.numbers);
            add_to_table(8 * each.places.size());
            for (const auto& [block, thread, line, code] : each.places)
                add_to_table(code, line, block.x, block.y, block.z, thread.x, thread.y, thread.z);
        }
    });
}

// For each site and space with traffic: its number, code, kernel, op, whether it is shared memory, bytes per
// thread, requests, units, ideal, lanes, cycles, lines.
int64_t emulator_traffic(const int64_t** numbers) {
    return make_table(numbers, [] {
        for (size_t number = 0; number < sites.size(); ++number) {
            const Site& site = sites[number];
            for (const bool shared : {false, true}) {
                const traffic::Count* count = traffic::count_of(static_cast<uint16_t>(number), shared);
                if (!count) continue;
                add_to_table(traffic::key_of(static_cast<uint16_t>(number), shared), site.code, site.kernel,
                             site.op, shared, count->bytes, count->requests, count->units, count->ideal,
                             count->lanes, count->cycles, count->lines);
            }
        }
    });
}

// For each array in the log: kernel, address, label, parameter.
int64_t emulator_arrays(const int64_t** numbers) {
    return make_table(numbers, [] {
        for (const Array& each : arrays)
            add_to_table(each.kernel, each.begin, each.label.c_str(), each.parameter);
    });
}

// For each access in the log: the numbers of its site and its array, offset, thread (three), lane, request,
// interval, warp. `left_out` is the number of accesses that are not in the log.
int64_t emulator_accesses(const int64_t** numbers, int64_t* left_out) {
    *left_out = static_cast<int64_t>(traffic::left_out);
    return make_table(numbers, [] {
        for (const traffic::Logged& each : traffic::accesses) {
            add_to_table(each.key, each.spot.array, each.spot.offset, each.thread.x, each.thread.y,
                         each.thread.z, each.lane, each.request, each.interval, each.warp);
        }
    });
}

// For each dimension of each tensor: its memory's address, bytes per element, the first element, size,
// stride.
int64_t emulator_layouts(const int64_t** numbers) {
    return make_table(numbers, [] {
        for (const auto& area : areas) {
            const tracer::Layout& layout = area->owners[0].layout;
            for (size_t i = 0; i < layout.sizes.size(); ++i)
                add_to_table(area->begin, area->element, layout.offset, layout.sizes[i], layout.strides[i]);
        }
    });
}

// For each launch: kernel, grid (three), block (three), and the numbers of work::Launch.
int64_t emulator_launched(const int64_t** numbers) {
    return make_table(numbers, [] {
        for (const work::Launch& each : work::launches) {
            add_to_table(each.kernel, each.grid.x, each.grid.y, each.grid.z, each.block.x, each.block.y,
                         each.block.z, each.run, each.read, each.written, each.working, each.storing,
                         each.last_storing, each.stored, each.most_stored, each.elements, each.repeated,
                         each.writers, each.busiest_warp, each.busiest_block, each.contended, each.copied,
                         each.unoverlapped, each.tensor_sums, each.barriers, each.label.c_str(),
                         each.parameter, each.element);
        }
    });
}

// Whether the traffic of the last call was counted to its end.
bool emulator_counted_all() { return !traffic::given_up; }

}  // extern "C"

}  // namespace tracer
