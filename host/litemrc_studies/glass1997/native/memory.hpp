// SPDX-License-Identifier: BSD-2-Clause
// Interface of the online replacement policies.
#pragma once

#include "address_book.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// A page fault and the page that it evicted.
struct LoggedFault {
    uint64_t position;  // of the reference among those given
    uint32_t number;    // of the page
    uint32_t victim;    // AddressBook::NONE: a frame was free
    bool from_sequence; // the victim was chosen from a sequence (SEQ), not by the policy's order of use
};

class Memory {
  public:
    virtual ~Memory() = default;

    // Refers to a page by its number in the address book. True: it was not in memory, a page fault; now it is.
    virtual bool reference(uint32_t number) = 0;

    // Returns the faults of `count` references.
    virtual uint64_t references(const uint32_t *numbers, size_t count) = 0;

    // The same, and appends each fault to `log`.
    void references(const uint32_t *numbers, size_t count, std::vector<LoggedFault> &log) {
        for (size_t i = 0; i < count; ++i)
            if (reference(numbers[i]))
                log.push_back({i, numbers[i], victim_, from_sequence_});
    }

    // Removes a page if it is resident, as when its program ends.
    virtual void release(uint32_t number) = 0;

    // Its program ended: what is known of the address space, beside its pages, is forgotten.
    virtual void forget(uint32_t) {}

    // Of the last fault, as in LoggedFault.
    uint32_t victim() const { return victim_; }
    bool from_sequence() const { return from_sequence_; }

  protected:
    uint32_t victim_ = AddressBook::NONE;
    bool from_sequence_ = false;
};

// Gives a policy its loop, in which calls to its own `reference` are inlined.
template <typename Policy> class MemoryOf : public Memory {
  public:
    using Memory::references;

    uint64_t references(const uint32_t *numbers, size_t count) final {
        uint64_t faults = 0;
        for (size_t i = 0; i < count; ++i)
            faults += static_cast<Policy *>(this)->Policy::reference(numbers[i]);
        return faults;
    }
};

} // namespace litemrc_native
