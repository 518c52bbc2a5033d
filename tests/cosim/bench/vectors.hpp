// SPDX-License-Identifier: BSD-2-Clause
// Files of vectors for all replays: plain numbers, first their sizes.
#pragma once

#include "mismatch.hpp"

#include <fstream>
#include <initializer_list>
#include <string>

class Vectors : public std::ifstream {
  public:
    // Opens the file that is the only argument. Throws without an argument, or if the sizes differ.
    Vectors(int argc, char **argv, std::initializer_list<int> sizes) : std::ifstream(argc == 2 ? argv[1] : "") {
        std::string wanted;
        bool same = true;
        for (const int size : sizes) {
            int found = 0;
            *this >> found;
            same &= found == size;
            wanted += " " + std::to_string(size);
        }
        if (!same)
            throw std::invalid_argument(std::string("usage: ") + argv[0] + " VECTORS, of the sizes" + wanted);
    }

    // Throws if the file continues after the last number read.
    void check_end(unsigned operations) const {
        if (!eof())
            throw std::invalid_argument("vectors: not a number behind operation " + std::to_string(operations));
    }

    // Whether the next numbers are those of a window.
    template <typename Counter, int words> bool match(const Counter (&window)[words]) {
        bool same = true;
        for (const Counter &counter : window) {
            unsigned word = 0;
            *this >> word;
            same = same && *this && counter == word;
        }
        return same;
    }
};
