// Regions: tensors and memory from cudaMalloc, between red zones.
//
// The part of a red zone that is next to the region is painted, so that the call ends with a list of what was
// written there. The rest of the zone cannot be accessed, which costs nothing: a fault there ends the kernel.
//
// On a GPU, a kernel that gets a view can access all of its storage. So an argument's region has room for the
// whole storage, and arguments that share memory share a region. But only the views themselves are copied
// before the call; a page of the rest is copied when it is first accessed.
//
// Host code cannot use the device's memory. So it is closed while a wrapper runs. A region is opened when a
// launch, a copy or an operation of PyTorch first touches it, and closed at its end.
#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>

#include "scheduler.h"
#include "view.h"

namespace emulator {

bool blank = false;

namespace {

using tracer::Owner;
using tracer::View;

// CUDA's allocators align memory to this.
constexpr uintptr_t kAlignment = 512;
constexpr int64_t kLeastPainted = 16 * 1024;
// A smaller storage is copied as a whole, and up to as much of a larger one at a time.
constexpr uintptr_t kChunk = 64 * 1024;
// Each guarded region takes several of the 65,530 mappings that Linux gives a process.
constexpr size_t kMostGuarded = 4096;
constexpr size_t kMostFreed = 256;  // that are remembered

struct Argument {
    AtenTensorHandle tensor;
    View view;
};

struct Region {
    AtenTensorHandle storage = nullptr;  // keeps the memory alive until the call is over
    void* base = nullptr;                // of the memory with both red zones
    char* data = nullptr;                // first byte between the red zones
    int64_t bytes = 0;
    bool closable = false;  // to host code
    bool for_host = false;  // too: memory of cudaMallocHost and the like
    bool closed = false;
    bool guarded = false;    // whether what is not open is inaccessible
    int64_t painted = 0;     // bytes of each red zone
    unsigned char zone = 0;  // what these bytes hold
    std::vector<Owner> owners;
    std::vector<Argument> arguments;  // that were copied here; empty if the wrapper made this memory
    char* original = nullptr;         // what was copied
    int64_t tensors = 0;              // of the wrapper's that share this memory
    bool gone = false;                // the last of them no longer exists, or the memory was freed
    // The pages that may be accessed and hold what `original` does, as addresses.
    std::vector<Range> open = {};

    uintptr_t begin() const { return reinterpret_cast<uintptr_t>(data); }
    uintptr_t end() const { return begin() + static_cast<uintptr_t>(bytes); }
    size_t total() const { return total_bytes(bytes); }
    static size_t total_bytes(int64_t bytes) {
        return static_cast<size_t>(bytes + 2 * kRedZoneBytes) + kAlignment;
    }
    bool is_open_at(uintptr_t address) const {
        return !guarded || std::any_of(open.begin(), open.end(),
                                       [=](const Range& range) { return holds(range, address); });
    }
    bool contains(uintptr_t address) const { return address >= begin() && address < end(); }
    bool is_near(uintptr_t address) const {
        return address + kRedZoneBytes >= begin() && address < end() + kRedZoneBytes;
    }
};
std::vector<Region> regions;
std::vector<Region> allocations;  // from cudaMalloc; they may outlive a call
// Those that were freed in this call. Their pages take no memory and stay closed, so that no other memory is
// mistaken for them.
std::vector<Region> freed;
bool device_open = true;

uintptr_t page_down(uintptr_t address) { return address / kPage * kPage; }
uintptr_t page_up(uintptr_t address) { return page_down(address + kPage - 1); }

bool protect(uintptr_t from, uintptr_t to, int protection) {
    return mprotect(reinterpret_cast<void*>(from), to - from, protection) == 0;
}
bool protect_all(const Region& region, int protection) {
    const auto begin = reinterpret_cast<uintptr_t>(region.base);
    return protect(page_up(begin), page_down(begin + region.total()), protection);
}

// The part of the region from one address to another, and the same part of the original.
struct Part {
    char *here, *original;
    size_t bytes;
};
Part part(const Region& region, uintptr_t from, uintptr_t to) {
    from = std::max(from, region.begin());
    to = std::max(from, std::min(to, region.end()));
    return {reinterpret_cast<char*>(from), region.original + (from - region.begin()), to - from};
}

void open(Region& region, uintptr_t from, uintptr_t to) {
    from = page_down(from), to = page_up(to);
    if (region.guarded) protect(from, to, PROT_READ | PROT_WRITE);
    region.open.emplace_back(from, to);
    const auto [here, original, bytes] = part(region, from, to);
    if (region.original && bytes) memcpy(here, original, bytes);
}

// Gives the original what was written here.
void copy_back(const Region& region) {
    for (const auto& [from, to] : region.open) {
        const auto [here, original, bytes] = part(region, from, to);
        if (memcmp(original, here, bytes) != 0) memcpy(original, here, bytes);
    }
}

void close(Region& region) {
    if (region.closable && !std::exchange(region.closed, true)) protect_all(region, PROT_NONE);
}
void reopen(Region& region) {
    if (!std::exchange(region.closed, false)) return;
    if (!region.guarded) {
        protect_all(region, PROT_READ | PROT_WRITE);
        return;
    }
    for (const auto& [from, to] : region.open) protect(from, to, PROT_READ | PROT_WRITE);
}
void for_each_region(void (*change)(Region&)) {
    for (auto* all : {&regions, &allocations}) std::for_each(all->begin(), all->end(), change);
}

void paint_zones(const Region& region) {
    memset(region.data - region.painted, region.zone, static_cast<size_t>(region.painted));
    memset(region.data + region.bytes, region.zone, static_cast<size_t>(region.painted));
}

// Finds the region's place in the memory from `base` on.
void place(Region& region, void* base, int64_t bytes) {
    region.base = base;
    const uintptr_t least = reinterpret_cast<uintptr_t>(base) + kRedZoneBytes + kAlignment - 1;
    region.data = reinterpret_cast<char*>(least / kAlignment * kAlignment);
    region.bytes = bytes;
    region.zone = static_cast<unsigned char>(kRedZone + regions.size() + allocations.size());
}

// Opens the region from one address to another, and as much of each red zone.
void begin_use(Region& region, uintptr_t from, uintptr_t to) {
    region.painted = std::clamp(static_cast<int64_t>(to - from), kLeastPainted, kRedZoneBytes);
    const auto painted = static_cast<uintptr_t>(region.painted);
    const bool is_all = from == region.begin() && to == region.end() && region.painted == kRedZoneBytes;
    region.closable = regions.size() + allocations.size() < kMostGuarded;
    region.guarded = !is_all && region.closable && protect_all(region, PROT_NONE);
    if (!region.guarded) from = region.begin(), to = region.end();
    open(region, region.begin() - painted, region.begin());
    open(region, region.end(), region.end() + painted);
    open(region, from, to);
    paint_zones(region);
}

void end_use(const Region& region) {
    if (region.guarded) protect_all(region, PROT_READ | PROT_WRITE);
}

// Gives the region's pages back to the system, so that they are zeros when they are touched.
void clear(const Region& region) {
    const auto begin = reinterpret_cast<uintptr_t>(region.base), from = page_up(begin);
    madvise(reinterpret_cast<void*>(from), page_down(begin + region.total()) - from, MADV_DONTNEED);
}

// A region that the wrapper has asked for, which begins as 0xFF bytes: NaN in every floating type.
void fill_new(Region& region) {
    if (blank) clear(region);
    begin_use(region, region.begin(), region.end());
    if (!blank) memset(region.data, 0xFF, static_cast<size_t>(region.bytes));
}

// A new region of the call with memory for `bytes`, as a one-dimensional tensor that contains the red zones
// as well; null if there is not enough memory.
Region* make_region(int64_t bytes, int32_t dtype) {
    constexpr int64_t kLargestElement = 16;  // which every size of an element divides
    const int64_t count = (static_cast<int64_t>(Region::total_bytes(bytes)) + kLargestElement - 1) /
                          kLargestElement * kLargestElement / element_bytes(dtype);
    const int64_t stride = 1;
    AtenTensorHandle storage = nullptr;
    if (aoti_torch_empty_strided(1, &count, &stride, dtype, 0, -1, &storage)) return nullptr;
    void* base = nullptr;
    aoti_torch_get_data_ptr(storage, &base);
    Region& region = regions.emplace_back();
    region.storage = storage;
    place(region, base, bytes);
    return &region;
}

// A tensor like `like` in the storage of `storage`, `byte` bytes from its start.
int32_t view_in(AtenTensorHandle storage, const View& like, int64_t byte, AtenTensorHandle* out) {
    const View whole(storage);
    if (byte % like.element) return 1;
    const auto view = [&](AtenTensorHandle of, int64_t offset) {
        return aoti_torch__reinterpret_tensor(of, static_cast<int64_t>(like.sizes.size()), like.sizes.data(),
                                              like.strides.data(), offset, out);
    };
    if (whole.dtype == like.dtype) return view(storage, byte / like.element - whole.offset);
    AtenTensorHandle flat = nullptr, typed = nullptr;
    const int64_t count = whole.storage_bytes / like.element * like.element / whole.element, stride = 1;
    int32_t failed = aoti_torch__reinterpret_tensor(storage, 1, &count, &stride, -whole.offset, &flat);
    if (failed) return failed;
    failed = aoti_torch_view_dtype(flat, like.dtype, &typed);
    aoti_torch_delete_tensor_object(flat);
    if (failed) return failed;
    failed = view(typed, byte / like.element);
    aoti_torch_delete_tensor_object(typed);
    return failed;
}

// The place of an address, in elements of the tensor that is there, or nearest.
Report placed(Reason reason, std::vector<int64_t> numbers, const Region& region, uintptr_t address) {
    const Owner& owner = tracer::owner_of(region.owners, address);
    const int64_t size = std::max(owner.element, int64_t{1});
    const auto offset = static_cast<int64_t>(address - region.begin());
    numbers.push_back(offset >= 0 ? offset / size : -((size - 1 - offset) / size));
    numbers.push_back(region.bytes / size);
    return {reason, std::move(numbers), places(), owner.subject};
}

// Reports what was written to the painted parts of the red zones.
void check_region(const Region& region) {
    for (const bool before : {false, true}) {
        const char* zone = before ? region.data - region.painted : region.data + region.bytes;
        const auto is_whole = [&](char byte) { return static_cast<unsigned char>(byte) == region.zone; };
        const auto painted = static_cast<size_t>(region.painted);
        if (is_whole(*zone) && memcmp(zone, zone + 1, painted - 1) == 0) continue;  // nearly always
        const int64_t size = std::max(
            tracer::owner_of(region.owners, before ? region.begin() : region.end() - 1).element, int64_t{1});
        int64_t count = 0;
        uintptr_t first = 0;
        for (int64_t i = 0; i < region.painted; ++i) {
            const int64_t at = before ? region.painted - 1 - i : i;  // nearest to the tensor first
            if (is_whole(zone[at])) continue;
            if (!count++) first = reinterpret_cast<uintptr_t>(zone + at);
            i = (i / size + 1) * size - 1;  // this element is counted
        }
        report(placed(Reason::kWrittenOutside, {count}, region, first));
    }
}

// The arguments whose storages overlap with that of argument `i`, directly or through others, in order, and
// the memory that these storages take.
struct Sharing {
    std::vector<size_t> members;
    uintptr_t begin, end;
};
Sharing sharing(const std::vector<View>& views, size_t i, std::vector<bool>& done) {
    Sharing found{{i}, views[i].storage_begin(), views[i].storage_end()};
    done[i] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t j = i + 1; j < views.size(); ++j) {
            const uintptr_t begin = views[j].storage_begin(), end = views[j].storage_end();
            if (done[j] || begin >= found.end || found.begin >= end) continue;
            found.begin = std::min(found.begin, begin);
            found.end = std::max(found.end, end);
            found.members.push_back(j);
            done[j] = grown = true;
        }
    }
    std::sort(found.members.begin(), found.members.end());
    return found;
}

void forget_freed(size_t most) {
    for (; freed.size() > most; freed.erase(freed.begin())) {
        protect_all(freed.front(), PROT_READ | PROT_WRITE);
        free(freed.front().base);
    }
}

// The region that has an address in it or in its red zones; null if there is none.
const Region* region_near(uintptr_t address) {
    for (const auto* all : {&regions, &allocations}) {
        for (const Region& region : *all) {
            if (region.is_near(address)) return &region;
        }
    }
    return nullptr;
}

}  // namespace

void check_regions() {
    for (const Region& region : regions) check_region(region);
    for (const Region& region : allocations) {
        check_region(region);
        paint_zones(region);  // reported once
    }
}

void open_device() {
    device_open = true;
    tracer::show_variables();
    for_each_region(reopen);
}
void close_device() {
    device_open = false;
    tracer::hide_variables();
    for_each_region(close);
}
DeviceMemory::DeviceMemory() : was_open_(std::exchange(device_open, true)) {
    if (!was_open_) tracer::show_variables();
}
DeviceMemory::~DeviceMemory() {
    if (!was_open_) close_device();
}

bool is_for_host(uintptr_t address) {
    return std::any_of(allocations.begin(), allocations.end(),
                       [=](const Region& region) { return region.contains(address) && region.for_host; });
}

Side side_of(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const Region* region = region_near(address);
    if (region && region->contains(address)) return region->for_host ? Side::kEither : Side::kDevice;
    if (freed_at(address)) return Side::kDevice;
    Dl_info variable;  // of the host, or __device__
    return tracer::is_kept(address, 1) || dladdr(pointer, &variable) ? Side::kEither : Side::kHost;
}

const Subject* freed_at(uintptr_t address) {
    for (const auto* all : {&regions, &freed}) {
        for (const Region& region : *all) {
            if (region.gone && region.contains(address)) return &region.owners[0].subject;
        }
    }
    return nullptr;
}

bool is_outside(uintptr_t address, Report& found) {
    if (const Subject* memory = freed_at(address)) {
        found = {Reason::kFreedAccess, {0, in_kernel}, places(), *memory};
        return true;
    }
    const Region* region = region_near(address);
    if (!region) return false;
    if (device_open) {
        found = placed(Reason::kTouchedOutside, {in_kernel}, *region, address);
    } else {
        found = {Reason::kHostAccess, {0}, {}, tracer::owner_of(region->owners, address).subject};
    }
    return true;
}

// Runs in the handler of a signal: of a kernel, or of one of PyTorch's threads. These must not see the pages
// before their contents, so the pages are prepared elsewhere and moved here. For a kernel this would be
// wasteful, since pages that were moved stay separate mappings.
bool open_page(uintptr_t address) {
    if (!device_open) return false;
    for (auto* all : {&regions, &allocations}) {
        for (Region& region : *all) {
            if (!region.is_near(address) || !region.is_open_at(address) || region.gone) continue;
            reopen(region);  // unless another thread is about to
            return true;
        }
    }
    static std::atomic_flag busy = ATOMIC_FLAG_INIT;
    const auto found = std::find_if(regions.begin(), regions.end(), [=](const Region& region) {
        return region.original && region.contains(address);
    });
    if (found == regions.end()) return false;
    while (busy.test_and_set(std::memory_order_acquire)) continue;
    const uintptr_t from = page_down(address);
    uintptr_t to = std::min(from + kChunk, page_up(found->end()));
    std::pair<uintptr_t, uintptr_t>* before = nullptr;
    for (auto& range : found->open) {
        if (range.first > from) to = std::min(to, range.first);
        if (range.first < from && range.second >= from) before = &range;
        if (range.first <= from && range.second > from) to = from;  // another thread was here first
    }
    if (from < to) {
        auto* pages = reinterpret_cast<char*>(from);
        const size_t size = to - from;
        if (in_kernel) {
            protect(from, to, PROT_READ | PROT_WRITE);
        } else {
            pages = static_cast<char*>(
                mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        }
        const auto [here, original, bytes] = part(*found, from, to);
        memcpy(pages + (reinterpret_cast<uintptr_t>(here) - from), original, bytes);
        if (!in_kernel)
            mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(from));
        if (before) {
            before->second = to;
        } else {
            found->open.emplace_back(from, to);
        }
    }
    busy.clear(std::memory_order_release);
    return true;
}

int64_t element_bytes(int32_t dtype) {
    constexpr int64_t kSizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                                  2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};
    return dtype >= 0 && dtype < 30 ? kSizes[dtype] : 1;
}

cudaError_t allocate(void** pointer, size_t bytes, bool for_host, const void* code) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    void* base = bytes < size_t{1} << 40 ? malloc(Region::total_bytes(static_cast<int64_t>(bytes))) : nullptr;
    if (!base) return recorded(cudaErrorMemoryAllocation);
    Region& region = allocations.emplace_back();
    place(region, base, static_cast<int64_t>(bytes));
    fill_new(region);
    region.for_host = for_host;
    if (for_host) region.closable = false;
    region.owners = {{{Subject::Kind::kAllocation, "", {region.bytes, tracer::line_of(code)}},
                      0,
                      region.begin(),
                      region.end()}};
    tracer::add_global(region.owners, region.data, region.bytes, false);
    if (!device_open) close(region);
    *pointer = region.data;
    return cudaSuccess;
}

cudaError_t release(void* pointer, const void* code) {
    if (!pointer) return cudaSuccess;
    for (size_t i = 0; i < allocations.size(); ++i) {
        if (allocations[i].data != pointer) continue;
        reopen(allocations[i]);
        check_region(allocations[i]);
        tracer::forget(allocations[i].data);
        Region& region = freed.emplace_back(std::move(allocations[i]));
        allocations.erase(allocations.begin() + static_cast<std::ptrdiff_t>(i));
        region.gone = true;
        region.owners[0].subject.sizes.push_back(tracer::line_of(code));
        protect_all(region, PROT_NONE);
        clear(region);
        forget_freed(kMostFreed);
        return cudaSuccess;
    }
    if (const Subject* memory = freed_at(reinterpret_cast<uintptr_t>(pointer)))
        report({Reason::kFreedAgain, {}, {{{}, {}, 0, code}}, *memory});
    return recorded(cudaErrorInvalidValue);
}

extern "C" {

// The shim's `empty` calls this for a CUDA tensor.
int32_t emulator_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                               AtenTensorHandle* out) {
    const int64_t element = element_bytes(dtype);
    Region* const made =
        make_region(tracer::span(static_cast<size_t>(ndim), sizes, strides) * element, dtype);
    if (!made) return 1;
    Region& region = *made;
    fill_new(region);
    region.owners = {{{Subject::Kind::kNewTensor, "", {sizes, sizes + ndim}},
                      element,
                      region.begin(),
                      region.end(),
                      {{sizes, sizes + ndim}, {strides, strides + ndim}}}};
    tracer::add_global(region.owners, region.data, region.bytes, false);
    if (!device_open) close(region);
    const int64_t offset = (region.data - static_cast<char*>(region.base)) / element;
    return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides, offset, out);
}

// The wrapper has one tensor more, or less, at this handle.
void emulator_hold(AtenTensorHandle tensor, int64_t change) {
    if (!call_jump.armed) return;
    const View view(tensor);
    for (Region& region : regions) {
        if (!view.begin || view.storage_begin() != reinterpret_cast<uintptr_t>(region.base)) continue;
        region.tensors += change;
        if (change > 0) tracer::widen(view.begin, view.end());
        if (region.tensors > 0 || !region.arguments.empty()) return;
        region.gone = true;
        tracer::retire(region.begin());
        return;
    }
}

// Copies of all arguments between red zones, with the same sizes, strides and offsets. The names say which
// argument is which. Returns 0, or the number of an argument that could not be copied, counted from 1.
int64_t emulator_guard(int64_t count, const AtenTensorHandle* tensors, const char* const* names,
                       AtenTensorHandle* out) {
    const std::vector<View> views(tensors, tensors + count);
    std::vector<bool> done(views.size());
    for (size_t i = 0; i < views.size(); ++i) {
        if (done[i]) continue;
        const auto [members, begin, end] = sharing(views, i, done);
        Region* const made = make_region(static_cast<int64_t>(end - begin), views[i].dtype);
        if (!made) return static_cast<int64_t>(i + 1);
        Region& region = *made;
        if (blank)
            clear(region);
        else
            region.original = reinterpret_cast<char*>(begin);
        const bool is_small = end - begin <= kChunk;
        if (is_small) begin_use(region, region.begin(), region.end());
        for (const size_t j : members) {
            const View& view = views[j];
            const uintptr_t first = view.begin ? region.begin() + (view.begin - begin) : region.begin();
            const uintptr_t last = first + static_cast<uintptr_t>(view.span());
            if (!is_small && region.owners.empty()) begin_use(region, first, last);
            if (!is_small && j != i) open(region, first, last);
            region.owners.push_back({{Subject::Kind::kArgument, names[j], view.sizes},
                                     view.element,
                                     first,
                                     last,
                                     {view.sizes, view.strides, view.offset}});
            const auto byte = static_cast<int64_t>(first - reinterpret_cast<uintptr_t>(region.base));
            if (view_in(region.storage, view, byte, out + j)) return static_cast<int64_t>(j + 1);
            region.arguments.push_back({nullptr, view});
            aoti_torch_new_tensor_handle(tensors[j], &region.arguments.back().tensor);
        }
        tracer::add_global(region.owners, region.data, region.bytes, true);
    }
    return 0;
}

// The first element of a tensor's storage that is between red zones; 0 for a tensor that PyTorch made.
int64_t emulator_storage_start(AtenTensorHandle tensor) {
    const View view(tensor);
    for (const Region& region : regions) {
        const auto base = reinterpret_cast<uintptr_t>(region.base);
        if (view.storage_begin() == base) return static_cast<int64_t>(region.begin() - base) / view.element;
    }
    return 0;
}

// What Python gets for result number `result` of `results`, counted from 1. A result in an argument's copy
// becomes the argument itself, or the same view of the argument. Returns 1 after the report of a result that
// would not be valid.
int32_t emulator_unguard(AtenTensorHandle tensor, int64_t result, int64_t results, AtenTensorHandle* out) {
    const View view(tensor);
    const auto invalid = [&](Reason reason, const Subject& subject) {
        report({reason, {result, results}, {}, subject});
        return 1;
    };
    const Region* region = view.begin ? region_near(view.begin) : nullptr;
    if (!region) {
        constexpr uintptr_t kStack = 1 << 20;  // below the stack that is in use
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        if (here - view.begin < kStack) return invalid(Reason::kResultOnStack, {});
        return aoti_torch_new_tensor_handle(tensor, out);
    }
    const Owner& owner = tracer::owner_of(region->owners, view.begin);
    if (view.begin < region->begin() || view.end() > region->end())
        return invalid(Reason::kResultOutside, owner.subject);
    if (region->arguments.empty()) {
        const bool is_its_own =
            !region->storage || view.storage_begin() == reinterpret_cast<uintptr_t>(region->base);
        if (is_its_own) return aoti_torch_new_tensor_handle(tensor, out);
        const auto byte = static_cast<int64_t>(view.begin - reinterpret_cast<uintptr_t>(region->base));
        return view_in(region->storage, view, byte, out) ? invalid(Reason::kResultMisaligned, owner.subject)
                                                         : 0;
    }
    const uintptr_t begin = reinterpret_cast<uintptr_t>(region->original) + (view.begin - region->begin());
    const Argument* best = nullptr;
    for (const Argument& each : region->arguments) {
        const View& whole = each.view;
        const uintptr_t end = begin + static_cast<uintptr_t>(view.span());
        if (begin < whole.storage_begin() || end > whole.storage_end()) continue;
        const bool same_type = view.dtype == whole.dtype;
        if (same_type && begin == whole.begin && view.sizes == whole.sizes && view.strides == whole.strides)
            return aoti_torch_new_tensor_handle(each.tensor, out);
        if (!best || (same_type && best->view.dtype != view.dtype)) best = &each;
    }
    if (!best) return invalid(Reason::kResultOutside, owner.subject);
    const auto byte = static_cast<int64_t>(begin - best->view.storage_begin());
    return view_in(best->tensor, view, byte, out) ? invalid(Reason::kResultMisaligned, owner.subject) : 0;
}

// Ends a call: what kernels wrote to the arguments' copies is copied back to the arguments.
void emulator_finish() {
    for (Region& region : regions) {
        if (region.original) copy_back(region);
        for (const Argument& argument : region.arguments) aoti_torch_delete_tensor_object(argument.tensor);
        end_use(region);
        aoti_torch_delete_tensor_object(region.storage);
        if (!region.gone) tracer::keep(region.begin(), region.end());
    }
    regions.clear();
    forget_freed(0);
    clear_reports();
    tracer::finish();
}

}  // extern "C"

}  // namespace emulator
