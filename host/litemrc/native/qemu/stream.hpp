// SPDX-License-Identifier: BSD-2-Clause
// Records to another process: messages of a SOCK_SEQPACKET socket, a header and up to MOST records.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace litemrc_qemu {

struct Record {
    uint64_t first, second;
};

class Stream {
  public:
    static constexpr unsigned CONTEXT_SHIFT = 54; // of the first word, above the time

    // Moves the descriptor out of the way of the program's.
    explicit Stream(int descriptor) {
        for (int least : {900, 100, 3})
            if (descriptor >= 0 && socket_ < 0)
                socket_ = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
        if (descriptor >= 0)
            close(descriptor);
    }

    bool open() const { return socket_ >= 0; }

    void put(uint64_t first, uint64_t second) {
        message_.records[count_++] = {first, second};
        if (count_ == MOST)
            flush();
    }

    // Sends what waits. A reader that is gone ends the stream, not the program.
    void flush() {
        const size_t bytes = sizeof message_.header + count_ * sizeof(Record);
        message_.header = {uint64_t(getpid()), lost_};
        while (count_ && open() && send(socket_, &message_, bytes, MSG_NOSIGNAL) < 0)
            if (errno != EINTR) {
                close(socket_);
                socket_ = -1;
            }
        if (!open())
            lost_ += count_;
        count_ = 0;
    }

    void forget() { count_ = 0; }
    uint64_t lost() const { return lost_; }

  private:
    static constexpr size_t MOST = 2047; // 32 KiB
    struct {
        struct {
            uint64_t process, lost;
        } header;
        Record records[MOST];
    } message_;
    size_t count_ = 0;
    int socket_ = -1;
    uint64_t lost_ = 0;
};

} // namespace litemrc_qemu
