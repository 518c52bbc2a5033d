// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "hls/hot_engine.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

namespace litemrc_native {

void bind_hot_pages(nb::module_ &module) {
    using WriteArray = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    module.attr("HOT_PAGES_MOST") = HOT_PAGES_MOST;
    module.attr("HOT_SETS") = HOT_TABLE_SETS;
    module.attr("HOT_WAYS") = HOT_TABLE_WAYS;
    module.attr("HOT_SHARE_LOG2") = HOT_SHARE;
    module.attr("HOT_COUNT_BITS") = HOT_COUNT_WIDTH;
    module.def("hot_sizes", [] {
        std::vector<uint32_t> sizes;
        for (const HotSize &size : hot_sizes())
            sizes.push_back(size.frames);
        return sizes;
    });
    nb::class_<HotEpoch>(module, "HotEpoch")
        .def("pages", [](const HotEpoch &self) { return to_array(std::vector<uint64_t>(self.pages)); })
        .def("counts", [](const HotEpoch &self) { return to_array(std::vector<uint64_t>(self.counts)); })
        .def_ro("accesses", &HotEpoch::accesses)
        .def_ro("more", &HotEpoch::more)
        .def_ro("saturated", &HotEpoch::saturated);
    nb::class_<HotEngine>(module, "HotEngine")
        .def("__init__",
             [](HotEngine *self, uint32_t frames, unsigned wanted, unsigned threshold, bool reads, bool writes,
                unsigned sampling_log2) {
                 new (self) HotEngine(frames, HotSettings{reads, writes, sampling_log2, threshold, wanted});
             },
             nb::arg("frames"), nb::arg("wanted"), nb::arg("threshold"), nb::arg("reads"), nb::arg("writes"),
             nb::arg("sampling_log2"))
        .def(
            "access",
            [](HotEngine &self, const PageArray &pages, const std::optional<WriteArray> &writes) {
                nb::gil_scoped_release released;
                self.access(pages.data(), writes ? writes->data() : nullptr, pages.size());
            },
            nb::arg("pages").noconvert(), nb::arg("writes").noconvert().none())
        .def("end_epoch", &HotEngine::end_epoch);
}

} // namespace litemrc_native
