// SPDX-License-Identifier: BSD-2-Clause
#include "allocation/best_choice.hpp"
#include "allocation/concave_hull.hpp"
#include "allocation/gains.hpp"
#include "allocation/steepest_gradient.hpp"
#include "bindings.hpp"

#include <nanobind/stl/pair.h>

#include <stdexcept>

namespace litemrc_native {

namespace {

using SizeArray = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumberArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Gains, and the arrays they are read from.
struct GainsOfArrays {
    Gains gains;
    std::vector<SizeArray> sizes_pages;
    std::vector<NumberArray> miss_ratio;
};

std::vector<int64_t> optimum(const Gains &gains) {
    const PointTable table = gains.all_points();
    std::vector<GainPoints> processes;
    for (size_t process = 0; process < table.processes(); ++process)
        processes.push_back(table[process]);
    const std::vector<uint32_t> places = best_choice(processes, gains.free());
    std::vector<int64_t> units;
    for (size_t process = 0; process < processes.size(); ++process)
        units.push_back(processes[process][places[process]].units);
    return units;
}

} // namespace

void bind_allocation(nb::module_ &module) {
    nb::class_<GainsOfArrays>(module, "Gains")
        .def(
            "__init__",
            [](GainsOfArrays *self, int64_t delta_pages, uint32_t free) {
                new (self) GainsOfArrays{Gains(delta_pages, free), {}, {}};
            },
            nb::arg("delta_pages"), nb::arg("free"))
        .def(
            "add",
            [](GainsOfArrays &self, const SizeArray &sizes_pages, const NumberArray &miss_ratio, double value,
               int64_t minimum) {
                if (sizes_pages.size() != miss_ratio.size())
                    throw std::invalid_argument("not one miss ratio for each size");
                self.gains.add({sizes_pages.data(), miss_ratio.data(), sizes_pages.size(), value, minimum});
                self.sizes_pages.push_back(sizes_pages);
                self.miss_ratio.push_back(miss_ratio);
            },
            nb::arg("sizes_pages").noconvert(), nb::arg("miss_ratio").noconvert(), nb::arg("value"),
            nb::arg("minimum"))
        .def(
            "steepest_gradient",
            [](const GainsOfArrays &self, const NumberArray &priorities) {
                if (priorities.size() != self.gains.processes())
                    throw std::invalid_argument("not one priority for each process");
                return to_array(steepest_gradient(self.gains, priorities.data()));
            },
            nb::arg("priorities").noconvert())
        .def(
            "concave_hull",
            [](const GainsOfArrays &self, uint64_t work) {
                Division division;
                {
                    nb::gil_scoped_release released;
                    division = concave_hull(self.gains, work);
                }
                return std::pair(to_array(std::move(division.units)), division.bound);
            },
            nb::arg("work"))
        .def("optimum", [](const GainsOfArrays &self) {
            std::vector<int64_t> units;
            {
                nb::gil_scoped_release released;
                units = optimum(self.gains);
            }
            return to_array(std::move(units));
        });
}

} // namespace litemrc_native
