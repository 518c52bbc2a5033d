// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "stacks/exact_part.hpp"
#include "stacks/shards_fixed_rate.hpp"
#include "stacks/shards_fixed_size.hpp"
#include "stacks/shards_size_part.hpp"

namespace litemrc_native {

namespace {

template <typename Engine> void access(Engine &engine, const PageArray &pages) {
    nb::gil_scoped_release released;
    engine.access(pages.data(), pages.size());
}

Array<uint64_t> class_distances(size_t classes) {
    std::vector<uint64_t> distances(classes);
    for (size_t number = 0; number < classes; ++number)
        distances[number] = DistanceClasses::greatest(number);
    return to_array(std::move(distances));
}

nb::tuple weights(const PageSample &sample) {
    return nb::make_tuple(class_distances(sample.weights().size()), to_array(std::vector<double>(sample.weights())),
                          sample.cold_weight());
}

template <typename T> Array<T> copy(const std::vector<T> &values) { return to_array(std::vector<T>(values)); }

// Arrays of pages and thresholds have one length.
void bind_size_parts(nb::module_ &module) {
    module.def("class_distances", &class_distances, nb::arg("classes"));
    nb::class_<SmallestHashes>(module, "SmallestHashes")
        .def(nb::init<size_t>(), nb::arg("most_pages"))
        .def("access", &access<SmallestHashes>, nb::arg("pages").noconvert())
        .def(
            "join",
            [](SmallestHashes &self, const PageArray &pages, uint64_t threshold) {
                self.join(pages.data(), pages.size(), threshold);
            },
            nb::arg("pages").noconvert(), nb::arg("threshold"))
        .def_prop_ro("threshold", &SmallestHashes::threshold)
        .def("pages", [](SmallestHashes &self) { return to_array(self.pages()); });
    nb::class_<ShardsSizePart>(module, "ShardsSizePart")
        .def(nb::init<size_t, bool>(), nb::arg("most_pages"), nb::arg("groups") = false)
        .def_prop_ro("accesses", &ShardsSizePart::accesses)
        .def_prop_ro("threshold", &ShardsSizePart::threshold)
        .def(
            "begin",
            [](ShardsSizePart &self, const PageArray &pages, uint64_t threshold) {
                self.begin(pages.data(), pages.size(), threshold);
            },
            nb::arg("pages").noconvert(), nb::arg("threshold"))
        .def("access", &access<ShardsSizePart>, nb::arg("pages").noconvert())
        .def(
            "restore", [](ShardsSizePart &self, const PageArray &order) { self.restore(order.data(), order.size()); },
            nb::arg("order").noconvert())
        .def(
            "join",
            [](ShardsSizePart &self, const PageArray &firsts, const PageArray &thresholds, uint64_t end) {
                nb::gil_scoped_release released;
                self.join(firsts.data(), thresholds.data(), firsts.size(), end);
            },
            nb::arg("firsts").noconvert(), nb::arg("thresholds").noconvert(), nb::arg("end"))
        .def("firsts", [](const ShardsSizePart &self) { return copy(self.firsts()); })
        .def("thresholds", [](const ShardsSizePart &self) { return copy(self.thresholds()); })
        .def("order", [](ShardsSizePart &self) { return to_array(self.order()); })
        .def("samples", [](const ShardsSizePart &self) { return self.samples().size(); })
        .def("weights", [](const ShardsSizePart &self, size_t sample) { return copy(self.samples().at(sample).weights()); },
             nb::arg("sample"))
        .def("cold_weight", [](const ShardsSizePart &self, size_t sample) { return self.samples().at(sample).cold_weight(); },
             nb::arg("sample"));
}

} // namespace

void bind_shards(nb::module_ &module) {
    module.attr("JACKKNIFE_GROUPS") = JackknifeStack::GROUPS;
    nb::class_<ShardsFixedRate>(module, "ShardsFixedRate")
        .def(nb::init<double, bool>(), nb::arg("rate"), nb::arg("groups") = false)
        .def_prop_ro("accesses", &ShardsFixedRate::accesses)
        .def("access", &access<ShardsFixedRate>, nb::arg("pages").noconvert())
        .def("histogram", [](ShardsFixedRate &self) { return to_array(self.stacks().histogram(0)); })
        .def(
            "histogram_without",
            [](ShardsFixedRate &self, size_t group) { return to_array(self.stacks().histogram(group + 1)); },
            nb::arg("group"));
    using Part = ShardsFixedRatePart;
    nb::class_<Part>(module, "ShardsFixedRatePart")
        .def(nb::init<double, bool>(), nb::arg("rate"), nb::arg("groups") = false)
        .def_prop_ro("accesses", &Part::accesses)
        .def("access", &access<Part>, nb::arg("pages").noconvert())
        .def(
            "part", [](Part &self) -> ExactPart & { return self.stacks().part(0); }, nb::rv_policy::reference_internal)
        .def(
            "part_without", [](Part &self, size_t group) -> ExactPart & { return self.stacks().part(group + 1); },
            nb::arg("group"), nb::rv_policy::reference_internal);
    bind_size_parts(module);
    nb::class_<ShardsFixedSize>(module, "ShardsFixedSize")
        .def(nb::init<size_t, bool>(), nb::arg("most_pages"), nb::arg("groups") = false)
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
