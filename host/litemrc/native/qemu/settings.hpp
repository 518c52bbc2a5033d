// SPDX-License-Identifier: BSD-2-Clause
// The plugin's arguments, NAME=VALUE each; traces/qemu/monitored.py writes and checks them.
#pragma once

#include "caches.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace litemrc_qemu {

struct Settings {
    std::string out;              // folder of the results
    std::string engine = "none";  // exact, or of hls/common/stack_engines.hpp
    uint32_t frames = 0, groups = 0;
    uint32_t page_shift = 12;
    uint32_t frame_bits = 48;     // of the numbers that are hashed
    uint32_t sampling = 0;        // 1 of 2^sampling pages
    uint64_t epoch = 0;           // accesses; 0: one epoch
    int stream = -1;              // a socket
    uint64_t interval = 0;        // instructions in which the references to each page are counted for the stream; 0: they are not
    bool raw = false;             // the stream has accesses of the program instead of those that reach memory
    bool fetches = false;         // instruction fetches are references
    struct {
        std::string engine;           // of hls/common/stack_engines.hpp; empty: there is no device
        uint64_t base = 0, bytes = 0; // of the DRAM
        int control = -1;             // a socket
        std::string record;           // file of the monitor's input
    } device;
    std::string contexts; // of accesses: empty, "spaces" or "parts"
    std::vector<CacheShape> levels, instructions; // at most one for instructions

    // Throws std::invalid_argument.
    void set(const std::string &argument) {
        const size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (name == "out")
            out = value;
        else if (name == "engine")
            engine = value;
        else if (name == "frames")
            frames = uint32_t(number(value));
        else if (name == "groups")
            groups = uint32_t(number(value));
        else if (name == "page-shift")
            page_shift = uint32_t(number(value));
        else if (name == "frame-bits")
            frame_bits = uint32_t(number(value));
        else if (name == "sampling")
            sampling = uint32_t(number(value));
        else if (name == "epoch")
            epoch = number(value);
        else if (name == "interval")
            interval = number(value);
        else if (name == "stream")
            stream = int(number(value));
        else if (name == "raw")
            raw = number(value);
        else if (name == "level")
            levels.push_back(shape(value));
        else if (name == "icache")
            instructions.push_back(shape(value));
        else if (name == "device")
            device.engine = value;
        else if (name == "base")
            device.base = number(value);
        else if (name == "bytes")
            device.bytes = number(value);
        else if (name == "control")
            device.control = int(number(value));
        else if (name == "record")
            device.record = value;
        else if (name == "contexts")
            contexts = value;
        else if (name == "fetches")
            fetches = number(value);
        else
            throw std::invalid_argument("unknown argument " + argument);
    }

  private:
    static uint64_t number(const std::string &text) {
        char *end = nullptr;
        const uint64_t value = std::strtoull(text.c_str(), &end, 0);
        if (text.empty() || *end)
            throw std::invalid_argument("not a number: " + text);
        return value;
    }

    // BYTES:WAYS:LINE, and :wt for write-through
    static CacheShape shape(const std::string &text) {
        const size_t first = text.find(':'), second = text.find(':', first + 1);
        if (second == std::string::npos)
            throw std::invalid_argument("not a cache: " + text);
        const size_t third = text.find(':', second + 1);
        const bool write_through = third != std::string::npos;
        if (write_through && text.substr(third) != ":wt")
            throw std::invalid_argument("not a cache: " + text);
        return {number(text.substr(0, first)), uint32_t(number(text.substr(first + 1, second - first - 1))),
                uint32_t(number(text.substr(second + 1, third - second - 1))), write_through};
    }
};

} // namespace litemrc_qemu
