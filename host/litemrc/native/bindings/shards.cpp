#include "bindings.hpp"
#include "stacks/exact_part.hpp"
#include "stacks/shards_fixed_rate.hpp"
#include "stacks/shards_fixed_size.hpp"

namespace litemrc_native {

namespace {

template <typename Engine> void access(Engine &engine, const PageArray &pages) {
    nb::gil_scoped_release released;
    engine.access(pages.data(), pages.size());
}

Array<uint64_t> histogram(const ExactStack &stack) {
    return to_array(std::vector<uint64_t>(stack.histogram(), stack.histogram() + stack.footprint() + 1));
}

nb::tuple weights(const PageSample &sample) {
    std::vector<uint64_t> distances(sample.weights().size());
    for (size_t number = 0; number < distances.size(); ++number)
        distances[number] = DistanceClasses::greatest(number);
    return nb::make_tuple(to_array(std::move(distances)), to_array(std::vector<double>(sample.weights())),
                          sample.cold_weight());
}

} // namespace

void bind_shards(nb::module_ &module) {
    nb::class_<ShardsFixedRate>(module, "ShardsFixedRate")
        .def(nb::init<double, unsigned>(), nb::arg("rate"), nb::arg("groups") = 0)
        .def_prop_ro("accesses", &ShardsFixedRate::accesses)
        .def("access", &access<ShardsFixedRate>, nb::arg("pages").noconvert())
        .def("histogram", [](ShardsFixedRate &self) { return histogram(self.stack()); })
        .def(
            "histogram_without",
            [](ShardsFixedRate &self, size_t group) { return histogram(self.stack_without(group)); },
            nb::arg("group"));
    using Part = BasicShardsFixedRate<ExactPart>;
    nb::class_<Part>(module, "ShardsFixedRatePart")
        .def(nb::init<double, unsigned>(), nb::arg("rate"), nb::arg("groups") = 0)
        .def_prop_ro("accesses", &Part::accesses)
        .def("access", &access<Part>, nb::arg("pages").noconvert())
        .def("part", &Part::stack, nb::rv_policy::reference_internal)
        .def("part_without", &Part::stack_without, nb::arg("group"), nb::rv_policy::reference_internal);
    nb::class_<ShardsFixedSize>(module, "ShardsFixedSize")
        .def(nb::init<size_t, unsigned>(), nb::arg("most_pages"), nb::arg("groups") = 0)
        .def_prop_ro("accesses", &ShardsFixedSize::accesses)
        .def_prop_ro("rate", &ShardsFixedSize::rate)
        .def("access", &access<ShardsFixedSize>, nb::arg("pages").noconvert())
        // Distances, weights of the accesses at each, and the weight of first accesses.
        .def("weights", [](const ShardsFixedSize &self) { return weights(self.sample()); })
        .def(
            "weights_without",
            [](const ShardsFixedSize &self, size_t group) { return weights(self.sample_without(group)); },
            nb::arg("group"));
}

} // namespace litemrc_native
