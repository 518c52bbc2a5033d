// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "stacks/os_tracker.hpp"

namespace litemrc_native {

void bind_os_tracker(nb::module_ &module) {
    nb::class_<OsTracker>(module, "OsTracker")
        .def(
            "__init__",
            [](OsTracker *self, uint64_t scan_list, uint64_t period, uint64_t group_pages, uint64_t stack_pages,
               uint64_t fault, uint64_t scan, uint64_t scanned, uint64_t accessed, uint64_t crossed) {
                new (self)
                    OsTracker(scan_list, period, group_pages, stack_pages, {fault, scan, scanned, accessed, crossed});
            },
            nb::arg("scan_list"), nb::arg("period"), nb::arg("group_pages"), nb::arg("stack_pages"), nb::kw_only(),
            nb::arg("fault"), nb::arg("scan"), nb::arg("scanned"), nb::arg("accessed"), nb::arg("crossed"))
        .def(
            "access",
            [](OsTracker &self, const PageArray &pages) {
                nb::gil_scoped_release released;
                self.access(pages.data(), pages.size(), nullptr);
            },
            nb::arg("pages").noconvert())
        .def(
            "access_ticks",
            [](OsTracker &self, const PageArray &pages) {
                std::vector<uint64_t> ticks(pages.size());
                {
                    nb::gil_scoped_release released;
                    self.access(pages.data(), pages.size(), ticks.data());
                }
                return to_array(std::move(ticks));
            },
            nb::arg("pages").noconvert())
        .def("release", &OsTracker::release)
        .def("hits", [](const OsTracker &self) { return to_array(std::vector<uint64_t>(self.hits())); })
        .def_prop_ro("misses", &OsTracker::misses)
        .def_prop_ro("unseen", &OsTracker::unseen)
        .def_prop_ro("accesses", &OsTracker::accesses)
        .def_prop_ro("faults", [](const OsTracker &self) { return self.events().fault; })
        .def_prop_ro("scans", [](const OsTracker &self) { return self.events().scan; })
        .def_prop_ro("scanned", [](const OsTracker &self) { return self.events().scanned; })
        .def_prop_ro("accessed", [](const OsTracker &self) { return self.events().accessed; })
        .def_prop_ro("crossed", [](const OsTracker &self) { return self.events().crossed; });
}

} // namespace litemrc_native
