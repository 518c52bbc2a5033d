// SPDX-License-Identifier: BSD-2-Clause
// An array of zeros that grows, on huge pages where the system has them.
//
// The tables of a stack are accessed at random. With pages of 4 KiB nearly every access to a table of more than about 10 MB
// misses the second-level TLB, too, and then waits for the page walk before it waits for the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace litemrc_native {

template <typename T> class LargeArray {
  public:
    LargeArray() = default;
    ~LargeArray() { release(); }
    LargeArray(LargeArray &&other) noexcept { swap(other); }
    LargeArray &operator=(LargeArray &&other) noexcept {
        swap(other);
        return *this;
    }

    // Grows to at least `size` elements; the new ones are 0. Throws std::bad_alloc.
    void grow(size_t size) {
        if (size <= size_)
            return;
        LargeArray larger(size);
        if (size_)
            std::memcpy(larger.elements_, elements_, size_ * sizeof(T));
        swap(larger);
    }

    // Begins again with `size` elements of 0. Throws std::bad_alloc.
    void restart(size_t size) {
        release();
        swap(LargeArray(size));
    }

    void clear() {
        if (size_)
            std::memset(elements_, 0, size_ * sizeof(T));
    }
    void release() {
        if (bytes_ >= HUGE_PAGE)
            unmap();
        else
            ::operator delete(elements_, std::align_val_t(ALIGNMENT));
        elements_ = nullptr;
        size_ = bytes_ = 0;
    }

    size_t size() const { return size_; }
    T *data() { return elements_; }
    const T *data() const { return elements_; }
    T &operator[](size_t i) { return elements_[i]; }
    const T &operator[](size_t i) const { return elements_[i]; }

  private:
    static constexpr size_t ALIGNMENT = 64;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    static constexpr size_t HUGE_PAGE = size_t(1) << 21;
#else
    static constexpr size_t HUGE_PAGE = SIZE_MAX;
#endif

    explicit LargeArray(size_t size) {
        const size_t bytes = round_up(size * sizeof(T), ALIGNMENT);
        if (bytes >= HUGE_PAGE) {
            map(round_up(bytes, HUGE_PAGE));
        } else {
            elements_ = static_cast<T *>(::operator new(bytes, std::align_val_t(ALIGNMENT))); // Windows has no aligned_alloc
            bytes_ = bytes;
            std::memset(elements_, 0, bytes);
        }
        size_ = size;
    }

    static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Aligned to a huge page; what is too much at both ends goes back.
    void map(size_t bytes) {
        void *memory = ::mmap(nullptr, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        char *begin = static_cast<char *>(memory);
        const size_t before = round_up(reinterpret_cast<uintptr_t>(begin), HUGE_PAGE) - reinterpret_cast<uintptr_t>(begin);
        if (before)
            ::munmap(begin, before);
        ::munmap(begin + before + bytes, HUGE_PAGE - before);
        ::madvise(begin + before, bytes, MADV_HUGEPAGE);
        elements_ = reinterpret_cast<T *>(begin + before);
        bytes_ = bytes;
    }
    void unmap() { ::munmap(elements_, bytes_); }
#else
    void map(size_t) {}
    void unmap() {}
#endif

    void swap(LargeArray &&other) noexcept { swap(other); }
    void swap(LargeArray &other) noexcept {
        std::swap(elements_, other.elements_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
    }

    T *elements_ = nullptr;
    size_t size_ = 0, bytes_ = 0; // bytes_: allocated
};

} // namespace litemrc_native
