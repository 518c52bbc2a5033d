// SPDX-License-Identifier: BSD-2-Clause
// The extension module: every engine registers itself through its bind_ function.
#include "bindings.hpp"

namespace litemrc_native {

void bind_allocation(nb::module_ &module);
void bind_byte_stack(nb::module_ &module);
void bind_device_service(nb::module_ &module);
void bind_exact_stack(nb::module_ &module);
void bind_frames(nb::module_ &module);
void bind_hls_engine(nb::module_ &module);
void bind_hot_pages(nb::module_ &module);
void bind_instruction_sets(nb::module_ &module);
void bind_os_tracker(nb::module_ &module);
void bind_page_numbers(nb::module_ &module);
void bind_shards(nb::module_ &module);

} // namespace litemrc_native

NB_MODULE(_core, module) {
    using namespace litemrc_native;
    module.doc() = "Native core; use it through litemrc.native, which checks the arguments.";
    bind_allocation(module);
    bind_byte_stack(module);
    bind_device_service(module);
    bind_exact_stack(module);
    bind_frames(module);
    bind_hls_engine(module);
    bind_hot_pages(module);
    bind_instruction_sets(module);
    bind_os_tracker(module);
    bind_page_numbers(module);
    bind_shards(module);
}
