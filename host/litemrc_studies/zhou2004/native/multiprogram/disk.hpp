// The paging disk: one transfer at a time in request order, so the end of a request is known immediately.
#pragma once

#include <algorithm>
#include <cstdint>

namespace litemrc_native {

class Disk {
  public:
    // Requests work of `time`; it begins when all earlier requests are done.
    void ask(uint64_t now, uint64_t time) {
        free_at_ = std::max(free_at_, now) + time;
        busy_ += time;
    }

    uint64_t free_at() const { return free_at_; } // when all is done
    uint64_t busy() const { return busy_; }

  private:
    uint64_t free_at_ = 0, busy_ = 0;
};

} // namespace litemrc_native
