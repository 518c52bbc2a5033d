// SPDX-License-Identifier: BSD-2-Clause
// What the binding files share: array types in and out, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace litemrc_native {

namespace nb = nanobind;

// A chunk of page numbers. Bind it with `.noconvert()`: a silent conversion would turn -1 into a page.
using PageArray = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T> using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A numpy array that owns the vector's memory. The caller must hold the GIL.
template <typename T> Array<T> to_array(std::vector<T> &&values) {
    auto *owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

} // namespace litemrc_native
