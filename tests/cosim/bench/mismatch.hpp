// SPDX-License-Identifier: BSD-2-Clause
// Message and exit code of a bench that finds a difference.
#pragma once

#include <iostream>
#include <stdexcept>

// A difference between two of RTL, C++, golden model and reference, or a unit that hangs.
struct Mismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Exit code of main(): 0 without a difference, 1 after a Mismatch, 2 after another exception; prints the exception.
template <typename Bench> int exit_code_of(Bench bench) {
    try {
        bench();
    } catch (const Mismatch &mismatch) {
        std::cout << "MISMATCH: " << mismatch.what() << std::endl;
        return 1;
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    return 0;
}
