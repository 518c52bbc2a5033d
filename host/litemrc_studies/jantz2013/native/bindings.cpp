// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "rank_visits.hpp"
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

namespace {

using ClockArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LineArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void visit_all(RankVisits &ranks, const ClockArray &gap, const ClockArray &busy, const LineArray &rank,
               const LineArray &reads, const LineArray &writes) {
    const size_t visits = gap.size();
    if (busy.size() != visits || rank.size() != visits || reads.size() != visits || writes.size() != visits)
        throw nb::value_error("arrays of different lengths");
    for (size_t i = 0; i < visits; i++)
        if (rank.data()[i] >= ranks.ranks() || reads.data()[i] + writes.data()[i] == 0)
            throw nb::value_error("a rank that is not there, or a visit without lines");
    nb::gil_scoped_release released;
    for (size_t i = 0; i < visits; i++)
        ranks.visit(gap.data()[i], busy.data()[i], rank.data()[i], reads.data()[i], writes.data()[i]);
}

Array<uint64_t> counter_rows(const RankVisits &ranks) {
    static_assert(sizeof(RankCounts) % sizeof(uint64_t) == 0);
    const auto *first = reinterpret_cast<const uint64_t *>(ranks.counts().data());
    return to_array(std::vector<uint64_t>(first, first + ranks.counts().size() * sizeof(RankCounts) / 8));
}

} // namespace

void bind_rank_visits(nb::module_ &module) {
    nb::class_<RankVisits>(module, "RankVisits")
        .def(
            "__init__",
            [](RankVisits *self, uint32_t ranks, uint64_t power_down_after, uint64_t self_refresh_after,
               uint64_t power_down_exit, uint64_t self_refresh_exit, uint64_t sample, bool interleaved,
               uint64_t background_gap, uint64_t background_busy, uint64_t background_seed) {
                new (self) RankVisits(
                    ranks, {power_down_after, self_refresh_after, power_down_exit, self_refresh_exit, sample},
                    interleaved, {background_gap, background_busy, background_seed});
            },
            nb::arg("ranks"), nb::arg("power_down_after"), nb::arg("self_refresh_after"),
            nb::arg("power_down_exit"), nb::arg("self_refresh_exit"), nb::arg("sample"), nb::arg("interleaved"),
            nb::arg("background_gap"), nb::arg("background_busy"), nb::arg("background_seed"))
        .def("visit_all", &visit_all, nb::arg("gap").noconvert(), nb::arg("busy").noconvert(),
             nb::arg("rank").noconvert(), nb::arg("reads").noconvert(), nb::arg("writes").noconvert())
        .def("pause", &RankVisits::pause, nb::arg("clocks"))
        .def("finish", &RankVisits::finish)
        .def("idle", &RankVisits::idle, nb::arg("rank"))
        .def("counters", &counter_rows)
        .def_prop_ro("now", &RankVisits::now);
}

} // namespace litemrc_native
