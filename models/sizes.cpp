// SPDX-License-Identifier: BSD-2-Clause
// The lists of the compiled sizes, which files of models/ fill before main.
#include "pages.hpp"

namespace monitor_model {

std::vector<Size> &sizes() {
    static std::vector<Size> &all = *new std::vector<Size>;
    return all;
}

std::vector<PagesSize> &page_sizes() {
    static std::vector<PagesSize> &all = *new std::vector<PagesSize>;
    return all;
}

} // namespace monitor_model
