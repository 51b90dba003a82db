// Reports of the current call, until Python has read them.
#define EMULATOR_RUNTIME
#include "reports.h"

#include <utility>
#include <vector>

#include "scheduler.h"

namespace emulator {
namespace {

std::vector<Report> reports;
std::vector<int64_t> table;

void add_to_table(const std::vector<int64_t>& numbers) {
    table.push_back(static_cast<int64_t>(numbers.size()));
    table.insert(table.end(), numbers.begin(), numbers.end());
}

int64_t address_of(const void* pointer) { return reinterpret_cast<int64_t>(pointer); }

}  // namespace

void report(Report found) {
    if (tracer::is_replaying()) return;
    found.kernel = current_kernel;
    reports.push_back(std::move(found));
}

std::vector<Place> places() { return in_kernel ? std::vector<Place>{here(0)} : std::vector<Place>{}; }

void clear_reports() { reports.clear(); }

// For each report: reason, kernel, subject's kind, subject's name. Then come, each after its length, the
// subject's sizes, the numbers, and the places: code, line, block (three), thread (three). Kernel, name and
// code are addresses. Returns how many numbers there are.
extern "C" int64_t emulator_reports(const int64_t** numbers) {
    table.clear();
    for (const Report& each : reports) {
        table.insert(table.end(),
                     {static_cast<int64_t>(each.reason), address_of(each.kernel),
                      static_cast<int64_t>(each.subject.kind), address_of(each.subject.name.c_str())});
        add_to_table(each.subject.sizes);
        add_to_table(each.numbers);
        std::vector<int64_t> places;
        for (const Place& place : each.places) {
            places.insert(places.end(), {address_of(place.code), place.line});
            for (const Index& index : {place.block, place.thread})
                places.insert(places.end(), {index.x, index.y, index.z});
        }
        add_to_table(places);
    }
    *numbers = table.data();
    return static_cast<int64_t>(table.size());
}

}  // namespace emulator
