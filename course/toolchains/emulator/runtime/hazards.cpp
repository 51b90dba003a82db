// Hazards: what went wrong in the current call, until Python has read it.
#define EMULATOR_RUNTIME
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "scheduler.h"

namespace emulator {
namespace {

struct Hazard {
    std::string kind, kernel, detail;
    std::vector<Place> places;
};
std::vector<Hazard> hazards;

}  // namespace

void report(const char* kind, const std::string& detail, std::vector<Place> places) {
    if (!tracer::is_replaying()) hazards.push_back({kind, current_kernel, detail, std::move(places)});
}

std::vector<Place> places() { return in_kernel ? std::vector<Place>{here(0)} : std::vector<Place>{}; }

std::string hex(unsigned value) {
    char text[16];
    snprintf(text, sizeof text, "0x%08X", value);
    return text;
}

void clear_hazards() { hazards.clear(); }

std::string three(Index v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

extern "C" {

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

}  // namespace emulator
