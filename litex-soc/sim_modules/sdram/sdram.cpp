// SPDX-License-Identifier: BSD-2-Clause
/*
 * sdram: the SDRAM model (sdr_model/) on a board's pins, at the rising edges of the clock that the board gives the chip.
 *
 * When the simulation ends it writes the report: rules broken, counts. Each RD and WR is reported on the pads access,
 * access_write and access_address (byte address) until the chip's next edge.
 *
 * Arguments: "clock_ps", "report" (file).
 */
#include <cstdlib>
#include <fstream>
#include <memory>

#include <json-c/json.h>

#include "pads/pads.hpp"
#include "sdr_model/report.hpp"

namespace {

struct Session {
    std::unique_ptr<sdr::Model> model;
    std::string report;
    clk_edge_state_t edge{};
    const std::uint8_t *clock, *cke, *cs_n, *ras_n, *cas_n, *we_n, *ba, *dm, *dq_oe;
    const std::uint16_t *a, *dq_o;
    std::uint16_t *dq_i;
    std::uint8_t *access, *access_write;
    std::uint32_t *access_address;
    unsigned rows[sdr::BANKS] = {};
};

std::unique_ptr<Session> session;

void finish() {
    session->model->finish();
    std::ofstream out(session->report);
    sdr::write_report(out, *session->model);
    if (!out.flush())
        std::fprintf(stderr, "sdram: cannot write %s\n", session->report.c_str());
}

int start(void *) { return RC_OK; }

int new_session(void **handle, char *arguments) {
    json_object *json = json_tokener_parse(arguments), *clock, *report;
    if (!json_object_object_get_ex(json, "clock_ps", &clock) || !json_object_object_get_ex(json, "report", &report)) {
        std::fprintf(stderr, "sdram: the arguments are clock_ps and report\n");
        return RC_ERROR;
    }
    sdr::Parameters parameters;
    parameters.tCK_ps = json_object_get_int64(clock);
    session = std::make_unique<Session>();
    session->model = std::make_unique<sdr::Model>(parameters);
    session->report = json_object_get_string(report);
    json_object_put(json);
    std::atexit(finish);
    *handle = session.get();
    return RC_OK;
}

int add_pads(void *, struct pad_list_s *list) {
    Session &s = *session;
    if (!std::strcmp(list->name, "sdram_clock"))
        take(s.clock, list, "sdram_clock");
    if (std::strcmp(list->name, "sdram"))
        return RC_OK;
    take(s.cke, list, "cke"), take(s.cs_n, list, "cs_n"), take(s.ras_n, list, "ras_n"), take(s.cas_n, list, "cas_n");
    take(s.we_n, list, "we_n"), take(s.ba, list, "ba"), take(s.a, list, "a"), take(s.dm, list, "dm");
    take(s.dq_o, list, "dq_o"), take(s.dq_oe, list, "dq_oe"), take(s.dq_i, list, "dq_i");
    take(s.access, list, "access"), take(s.access_write, list, "access_write");
    take(s.access_address, list, "access_address");
    return RC_OK;
}

// LiteDRAM's order of an address: row, bank, column.
void report_access(Session &s, const sdr::Pins &pins) {
    const bool selected = !pins.cs_n && pins.cke;
    if (selected && pins.command == sdr::Command::ACT)
        s.rows[pins.bank] = pins.address % sdr::ROWS;
    *s.access_write = pins.command == sdr::Command::WR;
    *s.access = selected && (*s.access_write || pins.command == sdr::Command::RD);
    *s.access_address = ((s.rows[pins.bank] * sdr::BANKS + pins.bank) * sdr::COLUMNS + pins.address % sdr::COLUMNS) * 2;
}

int tick(void *, uint64_t) {
    Session &s = *session;
    if (!clk_pos_edge(&s.edge, *s.clock))
        return RC_OK;
    sdr::Pins pins;
    pins.cke = *s.cke & 1;
    pins.cs_n = *s.cs_n & 1;
    pins.command = sdr::Command((*s.ras_n & 1) << 2 | (*s.cas_n & 1) << 1 | (*s.we_n & 1));
    pins.bank = *s.ba & 3;
    pins.address = *s.a & 0x1fff;
    pins.dqm = *s.dm & 3;
    pins.data = *s.dq_o;
    pins.driven = *s.dq_oe & 1;
    const sdr::Output output = s.model->edge(pins);
    *s.dq_i = output.data & output.mask;
    report_access(s, pins);
    return RC_OK;
}

struct ext_module_s module = {const_cast<char *>("sdram"), start, new_session, add_pads, nullptr, tick};

} // namespace

extern "C" int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *)) {
    return register_module(&module);
}
