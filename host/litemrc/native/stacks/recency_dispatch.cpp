// SPDX-License-Identifier: BSD-2-Clause
#include "byte_kernels.hpp"
#include "recency_kernels.hpp"

#include <atomic>

namespace litemrc_native {

extern const RecencyKernels recency_kernels_BASELINE;
extern const ByteKernels byte_kernels_BASELINE;
#if defined(__x86_64__)
extern const RecencyKernels recency_kernels_AVX512, recency_kernels_AVX2, recency_kernels_SSE4;
extern const ByteKernels byte_kernels_AVX512, byte_kernels_AVX2, byte_kernels_SSE4;
#endif

const std::vector<const RecencyKernels *> &supported_recency_kernels() {
    static const std::vector<const RecencyKernels *> supported = [] {
        std::vector<const RecencyKernels *> found;
#if defined(__x86_64__)
        // What the flags of CMakeLists.txt permit the compiler to use.
        const bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
        const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
        const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
        if (avx512)
            found.push_back(&recency_kernels_AVX512);
        if (avx2)
            found.push_back(&recency_kernels_AVX2);
        if (sse4)
            found.push_back(&recency_kernels_SSE4);
#endif
        found.push_back(&recency_kernels_BASELINE);
        return found;
    }();
    return supported;
}

namespace {

std::atomic<const RecencyKernels *> chosen{nullptr};

} // namespace

const RecencyKernels &recency_kernels() {
    const RecencyKernels *kernels = chosen.load(std::memory_order_relaxed);
    if (!kernels)
        chosen.store(kernels = supported_recency_kernels().front(), std::memory_order_relaxed);
    return *kernels;
}

const ByteKernels &byte_kernels() {
    const RecencyKernels *kernels = &recency_kernels();
#if defined(__x86_64__)
    if (kernels == &recency_kernels_AVX512)
        return byte_kernels_AVX512;
    if (kernels == &recency_kernels_AVX2)
        return byte_kernels_AVX2;
    if (kernels == &recency_kernels_SSE4)
        return byte_kernels_SSE4;
#endif
    (void)kernels;
    return byte_kernels_BASELINE;
}

void use_recency_kernels(const RecencyKernels &kernels) { chosen.store(&kernels, std::memory_order_relaxed); }

} // namespace litemrc_native
