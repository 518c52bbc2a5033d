// Bank-buddy in an array (Panwar 2015, figure 6): free lists of each bank; user pages from the last bank downwards, the
// kernel's from the first upwards, so that an allocation looks at as many banks as there are.
#pragma once

#include "bank_buddies.hpp"

namespace litemrc_native {

class BankArray : public BankBuddies {
  public:
    using BankBuddies::BankBuddies;

  protected:
    uint32_t take(const Request &request) override {
        // Isolated banks only if nothing else is left.
        for (const bool isolated : {false, true}) {
            for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
                const uint32_t begin = segments_.begin(zone), end = segments_.end(zone);
                for (uint32_t at = begin; at < end; ++at) {
                    const uint32_t index = request.movable ? end - 1 - (at - begin) : at;
                    if (banks_[index].isolated != isolated || !(request.wake || is_target(index)))
                        continue;
                    const uint32_t frame = take_from(index, request.order);
                    if (frame == NO_FRAME)
                        continue;
                    banks_[index].isolated = false;
                    return frame;
                }
            }
            if (!request.wake)
                break;
        }
        return NO_FRAME;
    }

    void give(uint32_t frame, unsigned order) override { give_back(frame, order); }
};

} // namespace litemrc_native
