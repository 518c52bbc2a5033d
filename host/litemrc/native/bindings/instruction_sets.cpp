// SPDX-License-Identifier: BSD-2-Clause
// For tests: which of the compiled instruction sets this processor has, and the choice among them.
#include "bindings.hpp"

#include "stacks/recency_kernels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

namespace litemrc_native {

namespace {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const RecencyKernels *kernels : supported_recency_kernels())
        names.push_back(kernels->instruction_set);
    return names;
}

// None: the best one again. Changes the whole process.
void use_instruction_set(const std::optional<std::string> &name) {
    for (const RecencyKernels *kernels : supported_recency_kernels())
        if (!name || *name == kernels->instruction_set)
            return use_recency_kernels(*kernels);
    throw nb::value_error("no such instruction set, or this processor lacks it");
}

} // namespace

void bind_instruction_sets(nb::module_ &module) {
    module.def("instruction_sets", &instruction_sets);
    module.def("use_instruction_set", &use_instruction_set, nb::arg("name").none());
}

} // namespace litemrc_native
