// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "clock_frames.hpp"
#include "lru_frames.hpp"
#include "machine.hpp"
#include "mrc_frames.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace litemrc_native {

namespace {

using NumberArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TickArray = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CountArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void bind_policies(nb::module_ &module) {
    nb::class_<FramePolicy>(module, "FramePolicy");
    nb::class_<Reclaim>(module, "Reclaim").def(nb::init<uint64_t, uint64_t>(), nb::arg("below"), nb::arg("to"));
    nb::class_<ClockFrames, FramePolicy>(module, "ClockFrames")
        .def(nb::init<uint64_t, Reclaim>(), nb::arg("frames"), nb::arg("reclaim"));
    nb::class_<GlobalLruFrames, FramePolicy>(module, "GlobalLruFrames")
        .def(nb::init<uint64_t, size_t, Reclaim>(), nb::arg("frames"), nb::arg("processes"), nb::arg("reclaim"));
    nb::class_<PartitionFrames, FramePolicy>(module, "PartitionFrames")
        .def(nb::init<std::vector<uint64_t>>(), nb::arg("shares"));
    nb::class_<MrcFrames, FramePolicy>(module, "MrcFrames")
        .def(
            "__init__",
            [](MrcFrames *self, uint64_t frames, std::vector<uint64_t> minimums, std::vector<double> weights,
               uint64_t group_pages, uint64_t groups, double decay, uint64_t delta_pages, bool convex,
               bool end_performance, Reclaim reclaim) {
                new (self) MrcFrames({frames, group_pages, groups, delta_pages, decay, convex, end_performance},
                                     std::move(minimums), std::move(weights), reclaim);
            },
            nb::arg("frames"), nb::arg("minimums"), nb::arg("weights"), nb::kw_only(), nb::arg("group_pages"),
            nb::arg("groups"), nb::arg("decay"), nb::arg("delta_pages"), nb::arg("convex"), nb::arg("end_performance"),
            nb::arg("reclaim"));
}

} // namespace

void bind_multiprogram(nb::module_ &module) {
    bind_policies(module);
    nb::class_<ProcessSettings>(module, "ProcessSettings")
        .def(nb::init<>())
        .def_rw("touch", &ProcessSettings::touch)
        .def_rw("request_touches", &ProcessSettings::request_touches)
        .def_rw("clients", &ProcessSettings::clients)
        .def_rw("requests", &ProcessSettings::requests)
        .def_rw("start", &ProcessSettings::start)
        .def_rw("file", &ProcessSettings::file)
        .def_rw("epoch", &ProcessSettings::epoch)
        .def_rw("pauses", &ProcessSettings::pauses);
    nb::class_<MachineSettings>(module, "MachineSettings")
        .def(nb::init<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>(),
             nb::kw_only(), nb::arg("time_slice"), nb::arg("page_read"), nb::arg("write_out"), nb::arg("fault"),
             nb::arg("zero_fill"), nb::arg("duration"), nb::arg("measure_from"), nb::arg("sample"));
    nb::class_<Process>(module, "Process")
        .def_ro("touches", &Process::touches)
        .def_ro("faults", &Process::faults)
        .def_ro("zero_fills", &Process::zero_fills)
        .def_ro("write_outs", &Process::write_outs)
        .def_prop_ro("ended",
                     [](const Process &self) {
                         return self.ended == Process::NONE ? std::nullopt : std::optional(self.ended);
                     })
        .def_prop_ro("arrived", [](const Process &self) { return to_array(std::vector(self.arrived)); },
                     nb::rv_policy::move)
        .def_prop_ro("answered", [](const Process &self) { return to_array(std::vector(self.answered)); },
                     nb::rv_policy::move);
    nb::class_<Machine>(module, "Machine")
        .def(nb::init<AddressBook &, FramePolicy &, const MachineSettings &, std::vector<ProcessSettings>>(),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "feed",
            [](Machine &self, uint32_t process, const NumberArray &pages, const FlagArray &writes,
               const CountArray &epochs, const TickArray &tracking, bool release_behind) {
                std::vector<std::vector<double>> counts;
                for (size_t row = 0; row < epochs.shape(0); ++row)
                    counts.emplace_back(epochs.data() + row * epochs.shape(1),
                                        epochs.data() + (row + 1) * epochs.shape(1));
                self.feed(process, {pages.data(), pages.data() + pages.size()},
                          {writes.data(), writes.data() + writes.size()}, std::move(counts),
                          {tracking.data(), tracking.data() + tracking.size()}, release_behind);
            },
            nb::arg("process"), nb::arg("pages").noconvert(), nb::arg("writes").noconvert(),
            nb::arg("epochs").noconvert(), nb::arg("tracking").noconvert(), nb::arg("release_behind"))
        .def("run", &Machine::run, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("now", &Machine::now)
        .def_prop_ro("touches", &Machine::touches)
        .def_prop_ro("disk_busy", [](const Machine &self) { return self.disk().busy(); })
        .def_prop_ro("samples", [](const Machine &self) { return to_array(std::vector(self.samples())); },
                     nb::rv_policy::move)
        .def("process", &Machine::process, nb::rv_policy::reference_internal);
    module.attr("MACHINE_DONE") = Machine::DONE;
    module.attr("MACHINE_PAUSE") = Machine::PAUSE;
}

} // namespace litemrc_native
