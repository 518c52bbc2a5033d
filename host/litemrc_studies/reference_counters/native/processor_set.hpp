// A set of processors in words owned by the caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

class ProcessorSet {
  public:
    static size_t words(uint32_t processors) { return (processors + 63) / 64; }

    ProcessorSet(uint64_t *words_of_set, uint32_t processors) : words_(words_of_set), count_(words(processors)) {}

    void add(uint32_t processor) { words_[processor / 64] |= uint64_t(1) << processor % 64; }
    void remove(uint32_t processor) { words_[processor / 64] &= ~(uint64_t(1) << processor % 64); }
    bool has(uint32_t processor) const { return words_[processor / 64] >> processor % 64 & 1; }

    // Calls visit(processor), lowest first; the visited one may be removed.
    template <typename Visit> void for_each(Visit visit) {
        for (size_t at = 0; at < count_; ++at)
            for (uint64_t left = words_[at]; left; left &= left - 1)
                visit(uint32_t(at * 64 + unsigned(__builtin_ctzll(left))));
    }

  private:
    uint64_t *words_;
    size_t count_;
};

} // namespace litemrc_native
