// SPDX-License-Identifier: BSD-2-Clause
#include "byte_kernels.hpp"
#include "group_kernels.hpp"
#include "recency_kernels.hpp"

#include <atomic>

namespace litemrc_native {

extern const RecencyKernels recency_kernels_BASELINE;
extern const ByteKernels byte_kernels_BASELINE;
extern const GroupKernels group_kernels_BASELINE;
#if defined(__x86_64__)
extern const RecencyKernels recency_kernels_AVX512, recency_kernels_AVX2, recency_kernels_SSE4;
extern const ByteKernels byte_kernels_AVX512, byte_kernels_AVX2, byte_kernels_SSE4;
extern const GroupKernels group_kernels_AVX512, group_kernels_AVX2, group_kernels_SSE4;
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

namespace {

#if defined(__x86_64__)
// That of the instruction set in use.
template <typename Kernels>
const Kernels &matching(const Kernels &avx512, const Kernels &avx2, const Kernels &sse4, const Kernels &baseline) {
    const RecencyKernels *kernels = &recency_kernels();
    if (kernels == &recency_kernels_AVX512)
        return avx512;
    if (kernels == &recency_kernels_AVX2)
        return avx2;
    return kernels == &recency_kernels_SSE4 ? sse4 : baseline;
}
#define MATCHING(name) matching(name##_AVX512, name##_AVX2, name##_SSE4, name##_BASELINE)
#else
#define MATCHING(name) name##_BASELINE
#endif

} // namespace

const ByteKernels &byte_kernels() { return MATCHING(byte_kernels); }
const GroupKernels &group_kernels() { return MATCHING(group_kernels); }

void use_recency_kernels(const RecencyKernels &kernels) { chosen.store(&kernels, std::memory_order_relaxed); }

} // namespace litemrc_native
