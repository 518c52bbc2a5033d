// SPDX-License-Identifier: BSD-2-Clause
#include "bindings.hpp"
#include "stacks/page_numbers.hpp"

namespace litemrc_native {

void bind_page_numbers(nb::module_ &module) {
    nb::class_<PageNumbers>(module, "PageNumbers")
        .def(nb::init<>())
        .def_prop_ro("size", &PageNumbers::size)
        .def(
            "number",
            [](PageNumbers &self, const PageArray &pages) {
                std::vector<uint32_t> numbers(pages.size());
                {
                    nb::gil_scoped_release released;
                    self.number(pages.data(), pages.size(), numbers.data());
                }
                return to_array(std::move(numbers));
            },
            nb::arg("pages").noconvert());
}

} // namespace litemrc_native
