// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "chip_machine.hpp"

#include <nanobind/stl/array.h>

namespace litemrc_native {

namespace {

using NumberArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// One row per chip: waited_fs of each state, wakes of each state, accesses.
Array<uint64_t> chip_rows(const ChipRun &run) {
    std::vector<uint64_t> rows;
    for (const ChipCounts &counts : run.chips) {
        rows.insert(rows.end(), counts.waited_fs.begin(), counts.waited_fs.end());
        rows.insert(rows.end(), counts.wakes.begin(), counts.wakes.end());
        rows.push_back(counts.accesses);
    }
    return to_array(std::move(rows));
}

} // namespace

void bind_energy(nb::module_ &module) {
    nb::class_<ChipPower>(module, "ChipPower")
        .def(
            "__init__",
            [](ChipPower *self, uint64_t access_fs, PerState exit_fs, PerState waiting_uw, PerState exit_uw) {
                new (self) ChipPower{access_fs, exit_fs, waiting_uw, exit_uw};
            },
            nb::arg("access_fs"), nb::arg("exit_fs"), nb::arg("waiting_uw"), nb::arg("exit_uw"));
    nb::class_<MrcParameters>(module, "MrcParameters")
        .def(
            "__init__",
            [](MrcParameters *self, uint64_t epoch_fs, uint64_t chip_pages, uint64_t epsilon_ppm) {
                new (self) MrcParameters{epoch_fs, chip_pages, epsilon_ppm};
            },
            nb::arg("epoch_fs") = 0, nb::arg("chip_pages") = 1, nb::arg("epsilon_ppm") = 0);
    nb::class_<PredictiveParameters>(module, "PredictiveParameters")
        .def(
            "__init__",
            [](PredictiveParameters *self, uint64_t price_uw, uint64_t tolerance_fs, uint64_t hold_fs) {
                new (self) PredictiveParameters{price_uw, tolerance_fs, hold_fs};
            },
            nb::arg("price_uw"), nb::arg("tolerance_fs"), nb::arg("hold_fs"));
    nb::class_<ChipRun>(module, "ChipRun")
        .def_ro("total_fs", &ChipRun::total_fs)
        .def_ro("epochs", &ChipRun::epochs)
        .def_ro("working_pages", &ChipRun::working_pages)
        .def("chips", &chip_rows);
    // The arrays are not copied: they live as long as the trace.
    nb::class_<ChipTrace>(module, "ChipTrace")
        .def(
            "__init__",
            [](ChipTrace *self, const NumberArray &pages, const PageArray &gaps_fs, const FlagArray &writes,
               const NumberArray &chip_of, uint32_t chips) {
                new (self) ChipTrace{pages.data(), gaps_fs.data(), writes.data(), pages.size(), chip_of.data(),
                                     uint32_t(chip_of.size()), chips};
            },
            nb::arg("pages").noconvert(), nb::arg("gaps_fs").noconvert(), nb::arg("writes").noconvert(),
            nb::arg("chip_of").noconvert(), nb::arg("chips"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
    module.def("run_chips", &run_chips, nb::arg("trace"), nb::arg("power"), nb::arg("after_fs"), nb::arg("mrc"),
               nb::call_guard<nb::gil_scoped_release>());
    module.def("run_predictive", &run_predictive, nb::arg("trace"), nb::arg("power"), nb::arg("parameters"),
               nb::call_guard<nb::gil_scoped_release>());
    module.def("run_oracle", &run_oracle, nb::arg("trace"), nb::arg("power"),
               nb::call_guard<nb::gil_scoped_release>());
    module.attr("NEVER_FS") = NEVER;
    module.attr("MOST_CHIP_STATES") = MOST_STATES;
}

} // namespace litemrc_native
