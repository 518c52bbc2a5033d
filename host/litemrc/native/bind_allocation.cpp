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

std::vector<int64_t> optimum(const Gains &gains) {
    std::vector<Gains::Points> processes;
    for (size_t process = 0; process < gains.processes(); ++process)
        processes.push_back(gains[process]);
    const std::vector<uint32_t> places = best_choice(processes, gains.free());
    std::vector<int64_t> units;
    for (size_t process = 0; process < processes.size(); ++process)
        units.push_back(processes[process][places[process]].units);
    return units;
}

} // namespace

void bind_allocation(nb::module_ &module) {
    nb::class_<Gains>(module, "Gains")
        .def(nb::init<int64_t, uint32_t, size_t, size_t>(), nb::arg("delta_pages"), nb::arg("free"), nb::arg("sizes"),
             nb::arg("processes"))
        .def(
            "add",
            [](Gains &self, const SizeArray &sizes_pages, const NumberArray &miss_ratio, double value,
               int64_t minimum) {
                self.add(sizes_pages.data(), miss_ratio.data(), sizes_pages.size(), value, minimum);
            },
            nb::arg("sizes_pages").noconvert(), nb::arg("miss_ratio").noconvert(), nb::arg("value"),
            nb::arg("minimum"))
        .def_prop_ro("points",
                     [](const Gains &self) {
                         size_t points = 0;
                         for (size_t process = 0; process < self.processes(); ++process)
                             points += self[process].count;
                         return points;
                     })
        .def(
            "steepest_gradient",
            [](const Gains &self, const NumberArray &priorities) {
                if (priorities.size() != self.processes())
                    throw std::invalid_argument("not one priority for each process");
                return to_array(steepest_gradient(self, priorities.data()));
            },
            nb::arg("priorities").noconvert())
        .def(
            "concave_hull",
            [](const Gains &self, uint64_t work) {
                Division division;
                {
                    nb::gil_scoped_release released;
                    division = concave_hull(self, work);
                }
                return std::pair(to_array(std::move(division.units)), division.bound);
            },
            nb::arg("work"))
        .def("optimum", [](const Gains &self) {
            std::vector<int64_t> units;
            {
                nb::gil_scoped_release released;
                units = optimum(self);
            }
            return to_array(std::move(units));
        });
}

} // namespace litemrc_native
