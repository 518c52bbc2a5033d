// SPDX-License-Identifier: BSD-2-Clause
// The extension module: every paper registers its machines through its bind_ functions.
#include "bindings/bindings.hpp"

namespace litemrc_native {

void bind_energy(nb::module_ &module);
void bind_multiprogram(nb::module_ &module);
void bind_numa(nb::module_ &module);
void bind_placement(nb::module_ &module);
void bind_rank_visits(nb::module_ &module);
void bind_replacement(nb::module_ &module);
void bind_tray(nb::module_ &module);

} // namespace litemrc_native

NB_MODULE(_core, module) {
    using namespace litemrc_native;
    module.doc() = "Native core of the papers' machines, which check the arguments.";
    bind_replacement(module); // the address book, which multiprogram's machines share
    bind_multiprogram(module);
    bind_energy(module);
    bind_numa(module);
    bind_placement(module);
    bind_tray(module); // an allocator of placement's kind
    bind_rank_visits(module);
}
