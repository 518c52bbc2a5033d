// SPDX-License-Identifier: BSD-2-Clause
// Clocks bytes through the SD card model, in SPI mode 0: spi_host IMAGE REPORT < LINES
//
// A line: half a period in ps, the level of CS#, bytes in hexadecimal. Prints the card's bytes, one line for each.
#include "card.hpp"

#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

int main(int, char **arguments) {
    sd_card::Card card(arguments[1]);
    std::uint64_t ps = 0, half = 0;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        unsigned cs_n = 0, byte = 0;
        words >> half >> cs_n >> std::hex;
        while (words >> byte) {
            unsigned in = 0;
            for (int bit = 7; bit >= 0; --bit) {
                const bool mosi = byte >> bit & 1;
                in = in << 1 | card.pins(ps += half, false, cs_n, mosi);
                card.pins(ps += half, true, cs_n, mosi);
            }
            card.pins(ps, false, cs_n, true);
            std::cout << std::hex << std::setw(2) << std::setfill('0') << in << ' ';
        }
        std::cout << '\n';
    }
    std::ofstream report(arguments[2]);
    card.write_report(report);
}
