#include "bindings.hpp"
#include "stacks/exact_stack.hpp"
#include "stacks/parallel_stack.hpp"

namespace litemrc_native {

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
        .def("histogram", [](const ExactStack &self) {
            return to_array(std::vector<uint64_t>(self.histogram(), self.histogram() + self.footprint() + 1));
        });
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
