// Interface of the online replacement policies.
#pragma once

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

class Memory {
  public:
    virtual ~Memory() = default;

    // Refers to a page by its number in the address book. True: it was not in memory, a page fault; now it is.
    virtual bool reference(uint32_t number) = 0;

    // Returns the faults of `count` references.
    virtual uint64_t references(const uint32_t *numbers, size_t count) = 0;

    // Removes a page if it is resident, as when its program ends.
    virtual void release(uint32_t number) = 0;

    // Its program ended: what is known of the address space, beside its pages, is forgotten.
    virtual void forget(uint32_t) {}
};

// Gives a policy its loop, in which calls to its own `reference` are inlined.
template <typename Policy> class MemoryOf : public Memory {
  public:
    uint64_t references(const uint32_t *numbers, size_t count) final {
        uint64_t faults = 0;
        for (size_t i = 0; i < count; ++i)
            faults += static_cast<Policy *>(this)->Policy::reference(numbers[i]);
        return faults;
    }
};

} // namespace litemrc_native
