// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "stacks/exact_part.hpp"
#include "stacks/exact_stack.hpp"
#include "stacks/parallel_stack.hpp"

namespace litemrc_native {

namespace {

using RankArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Array<uint64_t> histogram(const ExactStack &stack) {
    return to_array(stack.histogram());
}

// Pages and ranks have one length.
void bind_exact_part(nb::module_ &module) {
    nb::class_<ExactPart>(module, "ExactPart")
        .def(nb::init<>())
        .def(
            "access",
            [](ExactPart &self, const PageArray &pages) {
                nb::gil_scoped_release released;
                self.access(pages.data(), pages.size());
            },
            nb::arg("pages").noconvert())
        .def(
            "restore",
            [](ExactPart &self, const PageArray &pages, const RankArray &ranks, size_t more) {
                nb::gil_scoped_release released;
                self.restore(pages.data(), ranks.data(), pages.size(), more);
            },
            nb::arg("pages").noconvert(), nb::arg("ranks").noconvert(), nb::arg("more"))
        .def(
            "join",
            [](ExactPart &self, const PageArray &pages, const RankArray &ranks) {
                nb::gil_scoped_release released;
                self.join(pages.data(), ranks.data(), pages.size());
            },
            nb::arg("pages").noconvert(), nb::arg("ranks").noconvert())
        .def("histogram", [](const ExactPart &self) { return histogram(self.stack()); })
        .def("pages", [](const ExactPart &self) { return to_array(std::vector<uint64_t>(self.pages())); })
        .def("take_pages", [](ExactPart &self) { return to_array(self.take_pages()); })
        .def("ranks", [](ExactPart &self) {
            std::vector<uint32_t> ranks;
            {
                nb::gil_scoped_release released;
                ranks = self.ranks();
            }
            return to_array(std::move(ranks));
        });
}

} // namespace

void bind_exact_stack(nb::module_ &module) {
    nb::class_<ExactStack>(module, "ExactStack")
        .def(nb::init<uint64_t>(), nb::arg("slots") = RecencyIndex::MIN_SLOTS)
        .def_prop_ro("accesses", &ExactStack::accesses)
        .def_prop_ro("footprint", &ExactStack::footprint)
        .def(
            "access",
            [](ExactStack &self, const PageArray &pages) {
                nb::gil_scoped_release released;
                self.access(pages.data(), pages.size());
            },
            nb::arg("pages").noconvert())
        .def(
            "distances",
            [](ExactStack &self, const PageArray &pages) {
                std::vector<uint32_t> distances(pages.size());
                {
                    nb::gil_scoped_release released;
                    self.access(pages.data(), pages.size(), distances.data());
                }
                return to_array(std::move(distances));
            },
            nb::arg("pages").noconvert())
        .def("histogram", &histogram);
    bind_exact_part(module);
    nb::class_<ParallelStack>(module, "ParallelStack")
        .def(nb::init<unsigned, size_t>(), nb::arg("threads"), nb::arg("window") = ParallelStack::WINDOW)
        .def(
            "access",
            [](ParallelStack &self, const PageArray &pages) {
                nb::gil_scoped_release released;
                self.access(pages.data(), pages.size());
            },
            nb::arg("pages").noconvert())
        .def("finished", &ParallelStack::finished, nb::rv_policy::reference_internal,
             nb::call_guard<nb::gil_scoped_release>());
}

} // namespace litemrc_native
