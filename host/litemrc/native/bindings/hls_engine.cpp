// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "hls/hls_engine.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace litemrc_native {

void bind_hls_engine(nb::module_ &module) {
    module.def("hls_sizes", [] {
        std::vector<std::pair<uint32_t, uint32_t>> sizes;
        for (const HlsSize &size : hls_sizes())
            sizes.emplace_back(size.frames, size.groups);
        return sizes;
    });
    nb::exception<std::length_error>(module, "TooManyPagesError", PyExc_OverflowError);
    nb::class_<HlsEngine>(module, "HlsEngine")
        .def(nb::init<const std::string &, uint32_t, uint32_t>(), nb::arg("unit"), nb::arg("frames"), nb::arg("groups"))
        .def_prop_ro("misses", &HlsEngine::misses)
        .def("hits", [](const HlsEngine &self) { return to_array(std::vector<uint64_t>(self.hits())); })
        .def(
            "access",
            [](HlsEngine &self, const PageArray &pages) {
                nb::gil_scoped_release released;
                self.access(pages.data(), pages.size());
            },
            nb::arg("pages").noconvert());
}

} // namespace litemrc_native
