// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "invalidate_machine.hpp"
#include "pair_runs.hpp"
#include "replication.hpp"
#include "update_machine.hpp"

namespace litemrc_native {

namespace {

using NumberArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ProcessorArray = nb::ndarray<const uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Machine> NumaCounts run_machine(Machine machine, const NumberArray &pages,
                                                   const ProcessorArray &processors, const FlagArray &writes) {
    nb::gil_scoped_release released;
    machine.run(pages.data(), processors.data(), writes.data(), pages.size());
    return machine.counts();
}

} // namespace

void bind_numa(nb::module_ &module) {
    nb::class_<NumaCosts>(module, "NumaCosts")
        .def(
            "__init__",
            [](NumaCosts *self, uint64_t local_access, uint64_t remote_read, uint64_t remote_write, uint64_t update,
               uint64_t page_fault, uint64_t replication) {
                new (self) NumaCosts{local_access, remote_read, remote_write, update, page_fault, replication};
            },
            nb::arg("local_access"), nb::arg("remote_read"), nb::arg("remote_write"), nb::arg("update"),
            nb::arg("page_fault"), nb::arg("replication"));
    nb::class_<NumaCounts>(module, "NumaCounts")
        .def_ro("cycles", &NumaCounts::cycles)
        .def_ro("local_reads", &NumaCounts::local_reads)
        .def_ro("remote_reads", &NumaCounts::remote_reads)
        .def_ro("local_writes", &NumaCounts::local_writes)
        .def_ro("remote_writes", &NumaCounts::remote_writes)
        .def_ro("replications", &NumaCounts::replications)
        .def_ro("invalidations", &NumaCounts::invalidations)
        .def_ro("updates_sent", &NumaCounts::updates_sent)
        .def_ro("interrupts", &NumaCounts::interrupts)
        .def_ro("refused", &NumaCounts::refused);
    module.def(
        "run_fixed_counters",
        [](const NumberArray &pages, const ProcessorArray &processors, const FlagArray &writes, const NumaCosts &costs,
           uint32_t processor_count, uint32_t home, uint64_t local_pages, uint32_t delay, uint32_t update) {
            return run_machine(
                UpdateMachine<FixedCounters>(costs, {delay, update}, processor_count, home, local_pages), pages,
                processors, writes);
        },
        nb::arg("pages").noconvert(), nb::arg("processors").noconvert(), nb::arg("writes").noconvert(),
        nb::arg("costs"), nb::arg("processor_count"), nb::arg("home"), nb::arg("local_pages"), nb::arg("delay"),
        nb::arg("update"));
    module.def(
        "run_self_tuned",
        [](const NumberArray &pages, const ProcessorArray &processors, const FlagArray &writes, const NumaCosts &costs,
           uint32_t processor_count, uint32_t home, uint64_t local_pages) {
            return run_machine(UpdateMachine<SelfTuned>(costs, SelfTuned(costs, processor_count), processor_count,
                                                        home, local_pages),
                               pages, processors, writes);
        },
        nb::arg("pages").noconvert(), nb::arg("processors").noconvert(), nb::arg("writes").noconvert(),
        nb::arg("costs"), nb::arg("processor_count"), nb::arg("home"), nb::arg("local_pages"));
    module.def(
        "run_invalidate",
        [](const NumberArray &pages, const ProcessorArray &processors, const FlagArray &writes, const NumaCosts &costs,
           uint32_t processor_count, uint32_t home, uint32_t delay) {
            return run_machine(InvalidateMachine(costs, delay, processor_count, home), pages, processors, writes);
        },
        nb::arg("pages").noconvert(), nb::arg("processors").noconvert(), nb::arg("writes").noconvert(),
        nb::arg("costs"), nb::arg("processor_count"), nb::arg("home"), nb::arg("delay"));
    nb::class_<PairRuns>(module, "PairRuns")
        .def(
            "__init__",
            [](PairRuns *self, const NumberArray &pages, const ProcessorArray &processors, const FlagArray &writes,
               uint32_t page_count, uint32_t processor_count, uint32_t home) {
                nb::gil_scoped_release released;
                new (self) PairRuns(pages.data(), processors.data(), writes.data(), pages.size(), page_count,
                                    processor_count, home);
            },
            nb::arg("pages").noconvert(), nb::arg("processors").noconvert(), nb::arg("writes").noconvert(),
            nb::arg("page_count"), nb::arg("processor_count"), nb::arg("home"))
        .def_prop_ro("size", &PairRuns::size)
        .def("fixed", &PairRuns::fixed, nb::arg("costs"), nb::arg("delay"), nb::arg("update"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("optimum", &PairRuns::optimum, nb::arg("costs"), nb::call_guard<nb::gil_scoped_release>());
    module.attr("FIRST_TOUCH") = UpdateMachine<FixedCounters>::FIRST_TOUCH;
}

} // namespace litemrc_native
