// SPDX-License-Identifier: BSD-2-Clause
// Registers of the device for another process, on a SOCK_SEQPACKET socket; device/qemu/client.py is the other end.
//
// A request is words of 32 bits: address, number of words to read; or address, 0, the word to write. The answer is the words
// read, or one word of 0.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace litemrc_qemu {

constexpr uint32_t MOST_WORDS = 8192; // read at once

// Starts a thread that answers requests until the other end is closed. `read` fills words from an address on.
template <typename Read, typename Write> void serve(int socket, Read read, Write write) {
    const auto answer = [=] {
        std::vector<uint32_t> words(MOST_WORDS);
        uint32_t request[3];
        for (;;) {
            const ssize_t got = recv(socket, request, sizeof request, 0);
            if (got < 0 && errno == EINTR)
                continue;
            const bool reads = got == 8 && request[1] && request[1] <= MOST_WORDS;
            if (!reads && !(got == 12 && !request[1]))
                return;
            words.assign(reads ? request[1] : 1, 0);
            if (reads)
                read(request[0], words);
            else
                write(request[0], request[2]);
            if (send(socket, words.data(), words.size() * sizeof words[0], MSG_NOSIGNAL) < 0)
                return;
        }
    };
    // Signals are for QEMU's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(answer).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace litemrc_qemu
