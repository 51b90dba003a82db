// What the host does to memory: a wrapper's own accesses, and PyTorch's copies and fills.
#include "scheduler.h"
#include "tracer.h"
#include "view.h"

namespace tracer {

int64_t to_host = 0;

namespace {

int64_t copied = 0;  // bytes of tensors that the host wrote in this call

// What a word contains, or all of its area.
uint32_t level_at(const Area& area, const Cell& cell) {
    return std::max(
        {level_of(cell.write.time), level_of(area.host_time), area.filled ? uint32_t{kCopied} : kNever});
}
void set_last_write(const Area& area, uintptr_t begin, size_t bytes, const Access& write) {
    Cell* const last = area.cell(begin + bytes - 1);
    for (Cell* cell = area.cell(begin); cell <= last; ++cell) cell->write = cell->plain = write;
}

}  // namespace

void begin_host_counts() { copied = 0; }

// The wrapper uses an address. On a GPU, the host could not access an address of a tensor.
void look_at_host(uintptr_t address, size_t bytes, Op op, const void* code) {
    Area* area = area_of(address, bytes);
    if (area && !area->element) {
        if (op == Op::kRead && area->side == Side::kDevice) to_host += static_cast<int64_t>(bytes);
        if (op == Op::kWrite) set_last_write(*area, address, bytes, {kCopied, 0, 0});
    }
    if (!area || !area->element) return;
    const uint16_t site = site_number(code, bytes, op, false);
    if (!is_new(Reason::kHostAccess, site)) return;
    report({Reason::kHostAccess, {operation(site)}, {{{}, {}, 0, code}}, area->owner(address).subject});
}

extern "C" {

// The bytes of tensors that the host copied in the last call.
int64_t emulator_copied_bytes() { return copied; }
// The bytes that traced wrappers have copied to the host, or read in memory that both can use.
int64_t emulator_to_host_bytes() { return to_host; }

// Reports the elements of a result that no kernel wrote. Elements that the host set to one value are not
// reported, and elements that the host copied are not reported if a kernel has accessed the tensor. The
// tensor is number `result` of the call's `results`, counted from 1.
void emulator_check_written(AtenTensorHandle tensor, int64_t result, int64_t results) {
    const View view(tensor);
    const Area* area = area_of(view.begin, 1);
    if (sampled_call || !area || area->filled) return;
    std::vector<int64_t> first;
    const uint32_t written = area->touched ? kCopied : kFilled;
    int64_t unwritten = 0, all = 0;
    view.for_each([&](const std::vector<int64_t>& index) {
        const uintptr_t address = view.address(index);
        if (!area->holds(address, static_cast<size_t>(view.element))) return;  // reported with the result
        if (level_at(*area, *area->cell(address)) < written && unwritten++ == 0) first = index;
        ++all;
    });
    if (!unwritten) return;
    report({Reason::kUnwrittenOutput,
            {result, results, unwritten, all},
            {},
            {Subject::Kind::kElement, "", first}});
}

}  // extern "C"

namespace {

// The area got a copy of what the device has, which the host can read in memory that is not only the
// device's.
void copied_from_device(Area& area, int64_t bytes) {
    if (area.side == Side::kDevice) {
        area.written = true;
    } else {
        to_host += bytes;
    }
}

}  // namespace

void host_wrote(const void* data, const void* source, int64_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(data), end = begin + static_cast<uintptr_t>(bytes);
    if (!tracing || bytes <= 0) return;
    Area* area = area_of(begin, static_cast<size_t>(bytes));
    const auto address = reinterpret_cast<uintptr_t>(source);
    if (source) check_order_of_copy(address, static_cast<size_t>(bytes), Op::kRead);
    const Area* from = source ? area_of(address, 1) : nullptr;
    const bool from_device = from ? from->side != Side::kBoth : source && is_kept(address, 1);
    if (!area) {
        const bool is_host = !is_kept(begin, static_cast<size_t>(bytes)) || is_for_host(begin);
        if (from_device && is_host) to_host += bytes;
        return;
    }
    if (source) copied += bytes;
    if (from_device) copied_from_device(*area, bytes);
    check_order_of_copy(begin, static_cast<size_t>(bytes), Op::kWrite);
    if (from && from->touched && from->holds(address, static_cast<size_t>(bytes)) && !sampled_call) {
        area->touched = true;
        const size_t step = size_t{1} << std::min(area->shift, from->shift);
        for (size_t at = 0; at < end - begin; at += step)
            set_last_write(*area, begin + at, step,
                           {time_at(level_at(*from, *from->cell(address + at))), 0, 0});
        return;
    }
    const uint32_t level = source ? kCopied : kFilled;
    if (begin == area->begin && end == area->end && !area->touched) {
        area->host_time = time_at(std::max(level_of(area->host_time), level));
    } else {
        set_last_write(*area, begin, end - begin, {time_at(level), 0, 0});
    }
}

namespace {

// The same for a copy between tensors, where the source is broadcast.
void host_copied(const View& to, const View& from) {
    const int64_t span = to.span();
    if (!tracing || !span) return;
    Area* area = area_of(to.begin, static_cast<size_t>(span));
    const Area* origin = area_of(from.begin, 1);
    if (!area || !origin || !origin->touched || sampled_call)
        return host_wrote(reinterpret_cast<const void*>(to.begin), reinterpret_cast<const void*>(from.begin),
                          span);
    check_order_of_copy(from.begin, static_cast<size_t>(from.span()), Op::kRead);
    check_order_of_copy(to.begin, static_cast<size_t>(span), Op::kWrite);
    copied += span;
    copied_from_device(*area, span);
    area->touched = true;
    const size_t outer = to.sizes.size() - from.sizes.size();  // dimensions that the source lacks
    std::vector<int64_t> element(from.sizes.size());
    to.for_each([&](const std::vector<int64_t>& index) {
        for (size_t d = 0; d < element.size(); ++d) element[d] = from.sizes[d] == 1 ? 0 : index[outer + d];
        set_last_write(*area, to.address(index), static_cast<size_t>(to.element),
                       {time_at(level_at(*origin, *origin->cell(from.address(element)))), 0, 0});
    });
}

void host_filled(AtenTensorHandle tensor) {
    const View view(tensor);
    begin_operation(nullptr, false);
    host_wrote(reinterpret_cast<const void*>(view.begin), nullptr, view.span());
}

template <class Value>
int32_t item(int32_t (*operation)(AtenTensorHandle, Value*), AtenTensorHandle tensor, Value* value) {
    const DeviceMemory open;
    begin_operation(nullptr, false);
    const View view(tensor);
    check_order_of_copy(view.begin, static_cast<size_t>(view.element), Op::kRead);
    cudaStreamSynchronize(nullptr);
    if (tracing) to_host += static_cast<int64_t>(sizeof *value);
    return operation(tensor, value);
}

}  // namespace

extern "C" {

// PyTorch's operations on tensors of the device, as the shim uses them. Each returns 0, or else failed.
int32_t emulator_copy(AtenTensorHandle to, AtenTensorHandle from, int32_t non_blocking) {
    if (blank) return 0;
    const DeviceMemory open;
    begin_operation(nullptr, false);
    const View target(to), source(from);
    host_copied(target, source);
    if (!non_blocking && !(area_of(target.begin, 1) && area_of(source.begin, 1)))
        cudaStreamSynchronize(nullptr);
    return aoti_torch_copy_(to, from, non_blocking);
}
int32_t emulator_zero(AtenTensorHandle tensor) {
    if (blank) return 0;
    const DeviceMemory open;
    host_filled(tensor);
    return aoti_torch_zero_(tensor);
}
int32_t emulator_fill(AtenTensorHandle tensor, double value) {
    if (blank) return 0;
    const DeviceMemory open;
    host_filled(tensor);
    return aoti_torch_aten_fill__Scalar(tensor, value);
}
int32_t emulator_item_float64(AtenTensorHandle tensor, double* value) {
    return item(aoti_torch_item_float64, tensor, value);
}
int32_t emulator_item_int64(AtenTensorHandle tensor, int64_t* value) {
    return item(aoti_torch_item_int64, tensor, value);
}

}  // extern "C"

}  // namespace tracer
