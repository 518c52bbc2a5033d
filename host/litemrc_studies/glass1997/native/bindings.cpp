// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "address_book.hpp"
#include "clock_memory.hpp"
#include "lru_memory.hpp"
#include "round_robin.hpp"
#include "opt_trace.hpp"
#include "seq_adaptive_memory.hpp"
#include "seq_memory.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

namespace litemrc_native {

namespace {

using NumberArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Refers to pages; returns positions, numbers, victims and from_sequence of the faults, an array each.
nb::tuple logged(Memory &memory, const NumberArray &numbers) {
    std::vector<LoggedFault> log;
    std::vector<uint64_t> positions;
    std::vector<uint32_t> pages, victims;
    std::vector<uint8_t> from_sequence;
    {
        nb::gil_scoped_release released;
        memory.references(numbers.data(), numbers.size(), log);
        for (const LoggedFault &fault : log) {
            positions.push_back(fault.position);
            pages.push_back(fault.number);
            victims.push_back(fault.victim);
            from_sequence.push_back(fault.from_sequence);
        }
    }
    return nb::make_tuple(to_array(std::move(positions)), to_array(std::move(pages)),
                          to_array(std::move(victims)), to_array(std::move(from_sequence)));
}

void bind_memories(nb::module_ &module) {
    nb::class_<Memory>(module, "Memory")
        .def(
            "references",
            [](Memory &self, const NumberArray &numbers) {
                nb::gil_scoped_release released;
                return self.references(numbers.data(), numbers.size());
            },
            nb::arg("numbers").noconvert())
        .def("logged", &logged, nb::arg("numbers").noconvert());
    nb::class_<LruMemory, Memory>(module, "LruMemory")
        .def(nb::init<const AddressBook &, uint64_t>(), nb::keep_alive<1, 2>());
    nb::class_<ClockMemory, Memory>(module, "ClockMemory")
        .def(nb::init<const AddressBook &, uint64_t>(), nb::keep_alive<1, 2>());
    nb::class_<SeqMemory, Memory>(module, "SeqMemory")
        .def(nb::init<AddressBook &, uint64_t, const SeqParameters &>(), nb::keep_alive<1, 2>())
        .def_prop_ro("counts", &SeqMemory::counts);
    nb::class_<SeqAdaptiveMemory, Memory>(module, "SeqAdaptiveMemory")
        .def(nb::init<AddressBook &, uint64_t, const SeqParameters &>(), nb::keep_alive<1, 2>())
        .def_prop_ro("counts", &SeqAdaptiveMemory::counts);
    nb::class_<SeqCounts>(module, "SeqCounts")
        .def_ro("from_sequences", &SeqCounts::from_sequences)
        .def_ro("by_lru", &SeqCounts::by_lru)
        .def_ro("sequences_made", &SeqCounts::sequences_made)
        .def_ro("sequences_most", &SeqCounts::sequences_most);
}

} // namespace

void bind_replacement(nb::module_ &module) {
    nb::class_<AddressBook>(module, "AddressBook")
        .def(nb::init<size_t>(), nb::arg("spaces"))
        .def_prop_ro("size", &AddressBook::size)
        .def(
            "pages",
            [](const AddressBook &self, const NumberArray &numbers) {
                std::vector<uint64_t> pages(numbers.size());
                for (size_t i = 0; i < pages.size(); ++i)
                    pages[i] = self[numbers.data()[i]].page;
                return to_array(std::move(pages));
            },
            nb::arg("numbers").noconvert())
        .def(
            "number",
            [](AddressBook &self, uint32_t space, const PageArray &pages) {
                std::vector<uint32_t> numbers(pages.size());
                {
                    nb::gil_scoped_release released;
                    self.number(space, pages.data(), pages.size(), numbers.data());
                }
                return to_array(std::move(numbers));
            },
            nb::arg("space"), nb::arg("pages").noconvert());
    nb::class_<SeqParameters>(module, "SeqParameters")
        .def(nb::init<uint64_t, uint64_t, uint32_t, uint32_t>(), nb::arg("length"), nb::arg("distance"),
             nb::arg("recent"), nb::arg("limit"));
    bind_memories(module);
    nb::class_<OptTrace>(module, "OptTrace")
        .def(nb::init<>())
        .def_prop_ro("references", &OptTrace::references)
        .def(
            "append",
            [](OptTrace &self, const NumberArray &numbers, std::optional<NumberArray> intervals) {
                nb::gil_scoped_release released;
                self.append(numbers.data(), intervals ? intervals->data() : nullptr, numbers.size());
            },
            nb::arg("numbers").noconvert(), nb::arg("intervals").noconvert() = nb::none())
        .def("faults", [](const OptTrace &self, uint64_t frames) {
            nb::gil_scoped_release released;
            const OptTrace::Faults faults = self.faults(frames);
            return std::pair(faults.count, faults.exact);
        });
    nb::class_<RoundRobin::Program>(module, "Program")
        .def_ro("clock", &RoundRobin::Program::clock)
        .def_ro("references", &RoundRobin::Program::references)
        .def_ro("faults", &RoundRobin::Program::faults)
        .def_ro("cold_faults", &RoundRobin::Program::cold_faults)
        .def_ro("end", &RoundRobin::Program::end);
    nb::class_<RoundRobin>(module, "RoundRobin")
        .def(nb::init<AddressBook &, Memory &, uint64_t, uint64_t, uint64_t>(), nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 3>())
        .def("feed",
             [](RoundRobin &self, uint32_t program, const NumberArray &numbers, const PageArray &times) {
                 self.feed(program, {numbers.data(), numbers.data() + numbers.size()},
                           {times.data(), times.data() + times.size()});
             })
        .def("run", &RoundRobin::run, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("now", &RoundRobin::now)
        .def("program", &RoundRobin::program, nb::rv_policy::reference_internal);
    module.attr("ROUND_ROBIN_DONE") = RoundRobin::DONE;
    module.attr("ROUND_ROBIN_PAUSE") = RoundRobin::PAUSE;
    module.attr("NO_PAGE") = AddressBook::NONE;
    module.attr("MAX_OPT_REFERENCES") = OptTrace::MAX_REFERENCES;
}

} // namespace litemrc_native
