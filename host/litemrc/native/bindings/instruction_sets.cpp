// For tests: which of the compiled instruction sets this processor has, and the choice among them.
#include "bindings.hpp"

#include <hwy/targets.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

namespace litemrc_native {

namespace {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const int64_t target : hwy::SupportedAndGeneratedTargets())
        names.push_back(hwy::TargetName(target));
    return names;
}

// None: the best one again. Changes the whole process.
void use_instruction_set(const std::optional<std::string> &name) {
    hwy::SetSupportedTargetsForTest(0);
    if (name) {
        int64_t chosen = 0;
        for (const int64_t target : hwy::SupportedAndGeneratedTargets())
            if (*name == hwy::TargetName(target))
                chosen = target;
        if (!chosen)
            throw nb::value_error("no such instruction set, or this processor lacks it");
        hwy::SetSupportedTargetsForTest(chosen);
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace

void bind_instruction_sets(nb::module_ &module) {
    module.def("instruction_sets", &instruction_sets);
    module.def("use_instruction_set", &use_instruction_set, nb::arg("name").none());
}

} // namespace litemrc_native
