// What a bench says and returns when two things differ that must not.
#pragma once

#include <iostream>
#include <stdexcept>

// A difference between two of RTL, C++, golden model and reference, or a unit that hangs.
struct Mismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What main() returns: 0 if the bench found nothing; 1 if it threw a Mismatch, 2 if anything else, printed either way.
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
