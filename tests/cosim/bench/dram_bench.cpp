// SPDX-License-Identifier: BSD-2-Clause
// LiteDRAM's controller (dram_top.py) in front of the DDR3 model, under random traffic.
//
//   bench CLOCKS SEED
//
// Every read must return what was written last; the rules that the controller breaks are printed with their counts, one a
// line, and the first violations on stderr. Returns 1 if data were wrong or lost.
#include "ddr3_model/dfi/dfi_pads.hpp"
#include "ddr3_model/dfi/report.hpp"
#include "dram.hpp"
#include "native_ports.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace {

ddr3::Parameters parameters() {
    ddr3::Parameters p;
    p.geometry = {DRAM_RANKS, DRAM_ROW_BITS, DRAM_COLUMN_BITS, DRAM_DATA_BYTES, DRAM_MAP};
    p.grade = DRAM_GRADE;
    p.gigabits = 2;
    p.chip_bits = 16;
    p.tCK_fs = DRAM_TCK_FS;
    p.preset_cl = DRAM_CL;
    p.preset_cwl = DRAM_CWL;
    return p;
}

#define DRAM_PORT(n)                                                                                                  \
    {                                                                                                                 \
        &rtl->port##n##_cmd_valid, &rtl->port##n##_cmd_ready, &rtl->port##n##_cmd_we, &rtl->port##n##_wdata_valid,    \
            &rtl->port##n##_wdata_ready, &rtl->port##n##_rdata_valid, &rtl->port##n##_rdata_ready,                    \
            &rtl->port##n##_cmd_addr, &rtl->port##n##_wdata_we,                                                       \
            reinterpret_cast<std::uint8_t *>(&rtl->port##n##_wdata_data),                                             \
            reinterpret_cast<std::uint8_t *>(&rtl->port##n##_rdata_data)                                              \
    }

void print(ddr3::Model &model) {
    const ddr3::Counts &counts = model.counts();
    std::cout << "reads " << counts.reads << "\nwrites " << counts.writes << "\nlost_reads " << counts.lost_reads
              << "\nundriven_reads " << counts.undriven_reads << "\nhost_megabytes "
              << double(model.storage().host_bytes()) / 1e6 << '\n';
    for (std::size_t i = 0; i < ddr3::RULE_COUNT; ++i)
        if (const std::uint64_t count = model.violations().count(ddr3::Rule(i)))
            std::cout << "broken_" << ddr3::RULES[i].name << ' ' << count << '\n';
    const std::vector<ddr3::Violation> &kept = model.violations().kept();
    for (std::size_t i = 0; i < std::min<std::size_t>(10, kept.size()); ++i) {
        ddr3::write_violation(std::cerr, model.times(), kept[i]);
        std::cerr << '\n';
    }
}

void run(long clocks, unsigned seed) {
    Rtl rtl;
    ddr3::DfiPort port(parameters(), DRAM_READ_LATENCY, DRAM_WRITE_LATENCY);
    ddr3::PadDriver pads(port,
                         {&rtl->cs_n, &rtl->cke, &rtl->odt, &rtl->ras_n, &rtl->cas_n, &rtl->we_n, &rtl->reset_n,
                          &rtl->bank, &rtl->address, &rtl->wrdata, &rtl->wrdata_mask, &rtl->wrdata_en, &rtl->rddata_en,
                          &rtl->rddata, &rtl->rddata_valid},
                         DRAM_ADDRESS_BITS);
    const std::uint64_t words = port.model.geometry().bytes() / NativePort::BYTES;
    const NativePort ports[DRAM_PORTS] = {DRAM_PORT(0), DRAM_PORT(1), DRAM_PORT(2), DRAM_PORT(3)};
    std::vector<Master> masters;
    for (unsigned n = 0; n < DRAM_PORTS; ++n)
        masters.emplace_back(ports[n], n, DRAM_PORTS, words, seed * DRAM_PORTS + n);
    rtl->rst = 1;
    rtl.settle();
    rtl.rising_edge();
    rtl->rst = 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto finish = [&] {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::cout << "clocks " << rtl.clocks() << "\nseconds " << seconds.count() << '\n';
        print(port.model);
    };
    try {
        bool busy = true;
        for (long n = 0; n < clocks || busy; ++n) {
            if (n > clocks + 100000)
                throw Mismatch("commands are never served");
            for (Master &master : masters)
                master.offer(n < clocks);
            rtl.settle();
            pads.clock();
            rtl.settle();
            busy = false;
            for (Master &master : masters) {
                master.take();
                busy |= !master.idle();
            }
            rtl.rising_edge();
        }
    } catch (const Mismatch &) {
        finish();
        throw;
    }
    finish();
    if (port.model.counts().lost_reads || port.model.counts().undriven_reads)
        throw Mismatch("data were lost");
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: bench CLOCKS SEED\n";
        return 2;
    }
    return exit_code_of([&] { run(std::atol(argv[1]), unsigned(std::atol(argv[2]))); });
}
