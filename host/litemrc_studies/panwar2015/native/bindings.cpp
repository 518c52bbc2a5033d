// SPDX-License-Identifier: BSD-2-Clause
#include "bindings/bindings.hpp"
#include "adaptive.hpp"
#include "bank_buddies.hpp"
#include "buddy.hpp"
#include "stress.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

namespace litemrc_native {

namespace {

using CodeArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumberArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LeastArray = nb::ndarray<uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>; // written to

void bind_memory(nb::module_ &module) {
    nb::class_<Zone>(module, "Zone")
        .def(
            "__init__",
            [](Zone *self, uint32_t node, uint32_t kind, uint32_t first, uint32_t frames) {
                new (self) Zone{node, kind, first, frames};
            },
            nb::kw_only(), nb::arg("node"), nb::arg("kind"), nb::arg("first"), nb::arg("frames"))
        .def_ro("node", &Zone::node)
        .def_ro("kind", &Zone::kind)
        .def_ro("first", &Zone::first)
        .def_ro("frames", &Zone::frames);
    nb::class_<PhysicalMemory>(module, "PhysicalMemory")
        .def(
            "__init__",
            [](PhysicalMemory *self, uint32_t frames, uint32_t unit_frames, uint32_t stripe_frames,
               std::vector<Zone> zones) {
                new (self) PhysicalMemory({frames, unit_frames, stripe_frames, std::move(zones)});
            },
            nb::kw_only(), nb::arg("frames"), nb::arg("unit_frames"), nb::arg("stripe_frames"), nb::arg("zones"))
        .def_prop_ro("frames", &PhysicalMemory::frames)
        .def_prop_ro("units", &PhysicalMemory::units)
        .def_prop_ro("zones", &PhysicalMemory::zones)
        .def_prop_ro("used", &PhysicalMemory::used)
        .def("unit_of", &PhysicalMemory::unit_of, nb::arg("frame"))
        .def("zone_of", &PhysicalMemory::zone_of, nb::arg("frame"))
        .def("order", &PhysicalMemory::order, nb::arg("frame"))
        .def("is_used", &PhysicalMemory::is_used, nb::arg("frame"))
        .def("is_movable", &PhysicalMemory::is_movable, nb::arg("frame"))
        .def("owner", &PhysicalMemory::owner, nb::arg("frame"))
        .def("set_owner", &PhysicalMemory::set_owner, nb::arg("frame"), nb::arg("owner"))
        // One row per unit: frames, used, unmovable, whether it lies in several zones.
        .def("unit_rows", [](const PhysicalMemory &memory) {
            std::vector<uint32_t> rows;
            for (uint32_t index = 0; index < memory.units(); ++index) {
                const Unit &unit = memory.unit(index);
                rows.insert(rows.end(), {unit.frames, unit.used, unit.unmovable, unit.crossing});
            }
            return to_array(std::move(rows));
        });
}

// A request's kind of zone counts from 0, DMA; the others are as in `Request`.
uint32_t allocate(Allocator &allocator, unsigned order, bool movable, uint32_t node, uint32_t kind, uint32_t hint,
                  bool wake) {
    Request request;
    request.order = order;
    request.movable = movable;
    request.node = node;
    request.kind = kind;
    request.hint = hint;
    request.wake = wake;
    return allocator.allocate(request);
}

void bind_allocators(nb::module_ &module) {
    nb::class_<Work>(module, "AllocatorWork")
        .def_ro("operations", &Work::operations)
        .def_ro("list_work", &Work::list_work)
        .def_ro("most_list_work", &Work::most_list_work)
        .def_ro("moves", &Work::moves)
        .def_ro("most_moves", &Work::most_moves)
        .def_ro("visits", &Work::visits)
        .def_ro("most_visits", &Work::most_visits);
    nb::class_<Allocator>(module, "Allocator")
        .def("allocate", &allocate, nb::arg("order") = 0, nb::arg("movable") = true, nb::arg("node") = 0,
             nb::arg("kind") = 2, nb::arg("hint") = 0, nb::arg("wake") = true)
        .def("free", &Allocator::free, nb::arg("frame"))
        .def("is_offline", &Allocator::is_offline, nb::arg("unit"))
        .def("can_isolate", &Allocator::can_isolate)
        .def("is_isolated", &Allocator::is_isolated, nb::arg("unit"))
        // One of each unit: whether it is offline.
        .def("offline",
             [](const Allocator &allocator) {
                 std::vector<uint8_t> offline(allocator.memory().units());
                 for (uint32_t unit = 0; unit < offline.size(); ++unit)
                     offline[unit] = allocator.is_offline(unit);
                 return to_array(std::move(offline));
             })
        .def("isolate", &Allocator::isolate, nb::arg("unit"))
        .def("rejoin", &Allocator::rejoin, nb::arg("unit"))
        .def("free_for_movable", &Allocator::free_for_movable, nb::arg("node"))
        .def("tidy", &Allocator::tidy)
        .def("metadata_bytes", &Allocator::metadata_bytes)
        .def("reset_work", &Allocator::reset_work)
        .def_prop_ro("work", [](const Allocator &allocator) { return allocator.work(); });
    nb::class_<Buddy, Allocator>(module, "Buddy")
        .def(nb::init<PhysicalMemory &>(), nb::arg("memory"), nb::keep_alive<1, 2>());
    nb::class_<BankArray, Allocator>(module, "BankArray")
        .def(nb::init<PhysicalMemory &>(), nb::arg("memory"), nb::keep_alive<1, 2>());
    nb::class_<BankList, Allocator>(module, "BankList")
        .def(nb::init<PhysicalMemory &>(), nb::arg("memory"), nb::keep_alive<1, 2>());
    nb::class_<Adaptive, Allocator>(module, "Adaptive")
        .def(
            "__init__",
            [](Adaptive *self, PhysicalMemory &memory, uint32_t reserve_frames, uint32_t moves_per_operation) {
                new (self) Adaptive(memory, {reserve_frames, moves_per_operation});
            },
            nb::arg("memory"), nb::kw_only(), nb::arg("reserve_frames"), nb::arg("moves_per_operation"),
            nb::keep_alive<1, 2>());
}

void bind_machine(nb::module_ &module) {
    nb::class_<OperationTimes>(module, "OperationTimes")
        .def_ro("allocations", &OperationTimes::allocations)
        .def_ro("frees", &OperationTimes::frees)
        .def_ro("allocation_ns", &OperationTimes::allocation_ns)
        .def_ro("free_ns", &OperationTimes::free_ns)
        .def_ro("longest_allocation_ns", &OperationTimes::longest_allocation_ns)
        .def_ro("longest_free_ns", &OperationTimes::longest_free_ns)
        .def_ro("interrupted", &OperationTimes::interrupted);
    nb::class_<PlacementMachine>(module, "PlacementMachine")
        .def(nb::init<Allocator &>(), nb::arg("allocator"), nb::keep_alive<1, 2>())
        .def(
            "run",
            [](PlacementMachine &machine, const CodeArray &codes, const NumberArray &numbers,
               std::optional<CodeArray> nodes, bool timed) {
                const uint8_t *of_nodes = nodes ? nodes->data() : nullptr;
                nb::gil_scoped_release released;
                if (timed)
                    machine.run_timed(codes.data(), numbers.data(), of_nodes, codes.size());
                else
                    machine.run(codes.data(), numbers.data(), of_nodes, codes.size());
            },
            nb::arg("codes").noconvert(), nb::arg("numbers").noconvert(), nb::arg("nodes").none() = nb::none(),
            nb::arg("timed") = false)
        .def(
            "run_recorded",
            [](PlacementMachine &machine, const CodeArray &codes, const NumberArray &numbers, const LeastArray &least_ns) {
                nb::gil_scoped_release released;
                machine.run_recorded(codes.data(), numbers.data(), codes.size(), least_ns.data());
            },
            nb::arg("codes").noconvert(), nb::arg("numbers").noconvert(), nb::arg("least_ns").noconvert())
        .def("frame_of", &PlacementMachine::frame_of, nb::arg("number"))
        .def_prop_ro("failed", &PlacementMachine::failed)
        .def_prop_ro("failed_frames", &PlacementMachine::failed_frames)
        .def_prop_ro("times", [](const PlacementMachine &machine) { return machine.times(); });
}

void bind_migration(nb::module_ &module) {
    nb::class_<Migration>(module, "Migration")
        .def(
            "__init__",
            [](Migration *self, PlacementMachine &machine, uint64_t budget_frames, uint64_t reserve_frames,
               uint32_t most_used_percent) {
                new (self) Migration(machine, {budget_frames, reserve_frames, most_used_percent});
            },
            nb::arg("machine"), nb::kw_only(), nb::arg("budget_frames"), nb::arg("reserve_frames"),
            nb::arg("most_used_percent"), nb::keep_alive<1, 2>())
        .def("begin", &Migration::begin)
        .def("step", &Migration::step, nb::arg("frames"))
        .def(
            "run",
            [](Migration &migration) {
                migration.begin();
                while (!migration.step(LARGEST_BLOCK))
                    ;
            },
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("copied_frames", &Migration::copied_frames)
        .def_prop_ro("emptied_units", &Migration::emptied_units)
        .def_prop_ro("abandoned_units", &Migration::abandoned_units);
    nb::class_<StressReport>(module, "StressReport")
        .def_ro("wrong", &StressReport::wrong)
        .def_ro("allocations", &StressReport::allocations)
        .def_ro("refused", &StressReport::refused)
        .def_ro("copied_frames", &StressReport::copied_frames)
        .def_ro("emptied_units", &StressReport::emptied_units)
        .def_ro("offline_seen", &StressReport::offline_seen);
    module.def(
        "stress_allocator",
        [](Allocator &allocator, uint64_t seed, uint64_t operations, uint32_t fullest_percent,
           uint32_t unmovable_percent, uint32_t checked_every, bool migrates) {
            return stress(allocator,
                          {seed, operations, fullest_percent, unmovable_percent, checked_every, migrates});
        },
        nb::arg("allocator"), nb::kw_only(), nb::arg("seed"), nb::arg("operations"), nb::arg("fullest_percent"),
        nb::arg("unmovable_percent"), nb::arg("checked_every"), nb::arg("migrates"),
        nb::call_guard<nb::gil_scoped_release>());
}

} // namespace

void bind_placement(nb::module_ &module) {
    bind_memory(module);
    bind_allocators(module);
    bind_machine(module);
    bind_migration(module);
    module.attr("MAX_ORDER") = MAX_ORDER;
    module.attr("LARGEST_BLOCK") = LARGEST_BLOCK;
    module.attr("NO_FRAME") = NO_FRAME;
    module.attr("NO_OWNER") = NO_OWNER;
}

} // namespace litemrc_native
