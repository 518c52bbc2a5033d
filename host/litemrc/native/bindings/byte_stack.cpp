// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "stacks/byte_stack.hpp"

namespace litemrc_native {

using SizeArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_byte_stack(nb::module_ &module) {
    nb::class_<ByteStack>(module, "ByteStack")
        .def(nb::init<uint64_t>(), nb::arg("slots") = uint64_t(1) << 16)
        .def_prop_ro("accesses", &ByteStack::accesses)
        .def_prop_ro("resolution", [](const ByteStack &self) { return self.histogram().resolution(); })
        .def(
            "access",
            [](ByteStack &self, const PageArray &objects, const SizeArray &sizes) {
                nb::gil_scoped_release released;
                self.access(objects.data(), sizes.data(), objects.size());
            },
            nb::arg("objects").noconvert(), nb::arg("sizes").noconvert())
        .def("histogram", [](const ByteStack &self) {
            return to_array(self.histogram().counters());
        });
}

} // namespace litemrc_native
