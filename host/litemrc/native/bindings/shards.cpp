#include "bindings.hpp"
#include "stacks/shards_fixed_rate.hpp"
#include "stacks/shards_fixed_size.hpp"

namespace litemrc_native {

namespace {

template <typename Engine> void access(Engine &engine, const PageArray &pages) {
    nb::gil_scoped_release released;
    engine.access(pages.data(), pages.size());
}

} // namespace

void bind_shards(nb::module_ &module) {
    nb::class_<ShardsFixedRate>(module, "ShardsFixedRate")
        .def(nb::init<double>(), nb::arg("rate"))
        .def_prop_ro("accesses", &ShardsFixedRate::accesses)
        .def("access", &access<ShardsFixedRate>, nb::arg("pages").noconvert())
        .def("histogram", [](const ShardsFixedRate &self) {
            const ExactStack &stack = self.stack();
            return to_array(std::vector<uint64_t>(stack.histogram(), stack.histogram() + stack.footprint() + 1));
        });
    nb::class_<ShardsFixedSize>(module, "ShardsFixedSize")
        .def(nb::init<size_t>(), nb::arg("most_pages"))
        .def_prop_ro("accesses", &ShardsFixedSize::accesses)
        .def_prop_ro("rate", &ShardsFixedSize::rate)
        .def_prop_ro("cold_weight", &ShardsFixedSize::cold_weight)
        .def("access", &access<ShardsFixedSize>, nb::arg("pages").noconvert())
        .def("weights", [](const ShardsFixedSize &self) { return to_array(std::vector<double>(self.weights())); })
        .def("distances", [](const ShardsFixedSize &self) {
            std::vector<uint64_t> distances(self.weights().size());
            for (size_t number = 0; number < distances.size(); ++number)
                distances[number] = DistanceClasses::greatest(number);
            return to_array(std::move(distances));
        });
}

} // namespace litemrc_native
