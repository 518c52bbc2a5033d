#include "bindings/bindings.hpp"
#include "tray.hpp"

#include <nanobind/stl/vector.h>

namespace litemrc_native {

namespace {

using FrameArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Frames for single pages, fewer if there is no room for all.
Array<uint32_t> allocate_pages(Allocator &allocator, size_t count, bool movable, uint32_t node, uint32_t hint) {
    Request request;
    request.movable = movable;
    request.node = node;
    request.hint = hint;
    std::vector<uint32_t> frames;
    frames.reserve(count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t frame = allocator.allocate(request);
        if (frame == NO_FRAME)
            break;
        frames.push_back(frame);
    }
    return to_array(std::move(frames));
}

void free_pages(Allocator &allocator, const FrameArray &frames) {
    for (size_t i = 0; i < frames.size(); i++) {
        const uint32_t frame = frames.data()[i];
        if (frame >= allocator.memory().frames() || !allocator.memory().is_used(frame))
            throw nb::value_error("a frame that is not in use");
        allocator.free(frame);
    }
}

} // namespace

void bind_tray(nb::module_ &module) {
    nb::class_<Tray, Allocator>(module, "Tray")
        .def(
            "__init__",
            [](Tray *self, PhysicalMemory &memory) {
                if (!memory.blocks_in_units())
                    throw nb::value_error("trays need blocks that lie in one unit each");
                new (self) Tray(memory);
            },
            nb::arg("memory"), nb::keep_alive<1, 2>())
        .def(
            "guide",
            [](Tray &tray, uint32_t hint, std::vector<uint32_t> order, bool bound) {
                for (const uint32_t unit : order)
                    if (unit >= tray.memory().units())
                        throw nb::value_error("no such unit");
                if (hint >= Tray::MOST_HINTS)
                    throw nb::value_error("too many hints");
                tray.guide(hint, std::move(order), bound);
            },
            nb::arg("hint"), nb::arg("order"), nb::arg("bound"))
        .def("furnished", &Tray::furnished, nb::arg("hint"), nb::arg("unit"))
        .def("free_in", &Tray::free_in, nb::arg("unit"));
    module.def("allocate_pages", &allocate_pages, nb::arg("allocator"), nb::arg("count"), nb::arg("movable") = true,
               nb::arg("node") = 0, nb::arg("hint") = 0);
    module.def("free_pages", &free_pages, nb::arg("allocator"), nb::arg("frames").noconvert());
}

} // namespace litemrc_native
