// The emulator's runtime in one unit. If its sources were compiled separately, this would take twice the
// time, and no call between them would be inlined. Files that are not named here, perhaps from an older
// version of the course, are not part of it.
#define EMULATOR_RUNTIME
#include "calls.cpp"
#include "cuda_api.cpp"
#include "fibers.cpp"
#include "findings.cpp"
#include "hooks.cpp"
#include "host.cpp"
#include "launch.cpp"
#include "races.cpp"
#include "regions.cpp"
#include "replay.cpp"
#include "shadow.cpp"
#include "signals.cpp"
#include "streams.cpp"
#include "tables.cpp"
#include "tracer.cpp"
#include "traffic.cpp"
#include "warp_ops.cpp"
#include "work.cpp"
#include "wraps.cpp"
