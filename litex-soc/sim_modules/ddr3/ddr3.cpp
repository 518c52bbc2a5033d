// SPDX-License-Identifier: BSD-2-Clause
/*
 * ddr3: the DDR3 model (ddr3_model/) on the pads of DDR3ModelPHY (simulation/ddr3.py).
 *
 * When the simulation ends ($finish, or a module that ends the event loop on SIGTERM: recorder) it writes the report:
 * rules broken, reads of lost data, counts. Each RD and WR is reported on the pads access, access_write and
 * access_address (byte address) for a cycle.
 *
 * A snapshot holds the whole model and the record of commands so far.
 *
 * Arguments, made by ddr3_arguments() in simulation/ddr3.py: "ranks", "row_bits", "column_bits", "data_bytes", "map",
 * "grade", "gigabits", "chip_bits", "clock_fs" (of the DRAM), "cl", "cwl" (0: software initialises), "read_latency",
 * "write_latency" (cycles of the controller), "address_bits", "report" (file); optional "commands" (file of the DFI's
 * record), "contents" ({byte address: file}).
 */
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include <json-c/json.h>

extern "C" {
#include "error.h"
#include "modules.h"
}

#include "ddr3_model/dfi/command_record.hpp"
#include "ddr3_model/dfi/dfi_pads.hpp"
#include "ddr3_model/dfi/report.hpp"
#include "snapshot/snapshot.h"

namespace {

struct Session {
    std::unique_ptr<ddr3::DfiPort> port;
    std::unique_ptr<ddr3::PadDriver> driver;
    std::unique_ptr<ddr3::CommandRecord> record;
    std::string report;
    unsigned address_bits = 0;
    const char *sys_clk = nullptr;
    clk_edge_state_t edge{};
    std::uint8_t *access = nullptr, *access_write = nullptr;
    const std::uint8_t *snapshot = nullptr;
    std::uint32_t *access_address = nullptr;
};

std::vector<Session *> sessions;

// The state of a model in a snapshot of the simulation.
class SnapshotState : public ddr3::State {
  public:
    explicit SnapshotState(struct snapshot *snapshot) : State(snapshot->restoring), snapshot_(snapshot) {}
    void bytes(void *data, std::size_t size) override { snapshot_->bytes(snapshot_, data, size); }

  private:
    struct snapshot *snapshot_;
};

void transfer(struct snapshot *snapshot, void *handle) {
    auto &session = *static_cast<Session *>(handle);
    SnapshotState state(snapshot);
    session.port->transfer(state);
    session.driver->transfer(state);
    state(session.edge);
    if (!session.record)
        return;
    session.record->transfer(state);
    snapshot_file(snapshot, session.record->file());
}

json_object *argument(json_object *json, const char *name) {
    json_object *value;
    if (!json_object_object_get_ex(json, name, &value))
        throw std::invalid_argument(std::string("ddr3: the argument ") + name + " is missing");
    return value;
}

std::int64_t number(json_object *json, const char *name) { return json_object_get_int64(argument(json, name)); }
std::string text(json_object *json, const char *name) { return json_object_get_string(argument(json, name)); }

ddr3::Parameters parameters_of(json_object *json) {
    const std::string map = text(json, "map");
    if (map != "row_bank_column" && map != "bank_row_column")
        throw std::invalid_argument("ddr3: no address map " + map);
    ddr3::Parameters p;
    p.geometry = {unsigned(number(json, "ranks")), unsigned(number(json, "row_bits")),
                  unsigned(number(json, "column_bits")), unsigned(number(json, "data_bytes")),
                  map == "bank_row_column" ? ddr3::AddressMap::bank_row_column : ddr3::AddressMap::row_bank_column};
    p.grade = text(json, "grade");
    p.gigabits = int(number(json, "gigabits"));
    p.chip_bits = int(number(json, "chip_bits"));
    p.tCK_fs = number(json, "clock_fs");
    p.preset_cl = unsigned(number(json, "cl"));
    p.preset_cwl = unsigned(number(json, "cwl"));
    return p;
}

void fill(ddr3::Model &model, json_object *contents) {
    json_object_object_foreach(contents, address, file) {
        const std::string path = json_object_get_string(file);
        std::ifstream in(path, std::ios::binary);
        if (!in)
            throw std::runtime_error("ddr3: cannot read " + path);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
        model.storage().fill(std::stoull(address, nullptr, 0), reinterpret_cast<const std::uint8_t *>(bytes.data()),
                             bytes.size());
    }
}

std::unique_ptr<Session> session_of(json_object *json) {
    auto session = std::make_unique<Session>();
    session->port = std::make_unique<ddr3::DfiPort>(parameters_of(json), unsigned(number(json, "read_latency")),
                                                    unsigned(number(json, "write_latency")));
    session->address_bits = unsigned(number(json, "address_bits"));
    session->report = text(json, "report");
    ddr3::DfiPort &port = *session->port;
    json_object *optional;
    if (json_object_object_get_ex(json, "contents", &optional))
        fill(port.model, optional);
    if (json_object_object_get_ex(json, "commands", &optional)) {
        session->record = std::make_unique<ddr3::CommandRecord>(json_object_get_string(optional),
                                                                port.model.geometry().ranks);
        port.on_event = [record = session->record.get()](ddr3::Clock t, const ddr3::Pins &pins) {
            record->event(t, pins);
        };
    }
    return session;
}

void finish() {
    for (Session *session : sessions) {
        std::ofstream out(session->report);
        ddr3::write_report(out, *session->port);
        if (!out.flush())
            std::fprintf(stderr, "ddr3: cannot write %s\n", session->report.c_str());
        session->record.reset();
    }
}

int start(void *) { return RC_OK; }

int new_session(void **handle, char *args) {
    json_object *json = json_tokener_parse(args);
    int ret = RC_ERROR;
    try {
        sessions.push_back(session_of(json).release());
        if (sessions.size() == 1)
            std::atexit(finish);
        *handle = sessions.back();
        if (snapshot_register)
            snapshot_register("ddr3", transfer, *handle);
        ret = RC_OK;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    json_object_put(json);
    return ret;
}

void *pad(struct pad_list_s *list, const char *name) {
    for (struct pad_s *p = list->pads; p->name; p++)
        if (!std::strcmp(p->name, name))
            return p->signal;
    std::fprintf(stderr, "ddr3: no pad %s\n", name);
    std::exit(1);
}

int add_pads(void *handle, struct pad_list_s *list) {
    auto &session = *static_cast<Session *>(handle);
    if (!std::strcmp(list->name, "sys_clk"))
        session.sys_clk = static_cast<const char *>(pad(list, "sys_clk"));
    if (std::strcmp(list->name, "ddr3"))
        return RC_OK;
    const auto at = [list](const char *name) { return pad(list, name); };
    const ddr3::DfiPads pads{at("cs_n"),    at("cke"),         at("odt"),       at("ras_n"),     at("cas_n"),
                             at("we_n"),    at("reset_n"),     at("bank"),      at("address"),   at("wrdata"),
                             at("wrdata_mask"), at("wrdata_en"), at("rddata_en"), at("rddata"), at("rddata_valid")};
    try {
        session.driver = std::make_unique<ddr3::PadDriver>(*session.port, pads, session.address_bits);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return RC_ERROR;
    }
    session.access = static_cast<std::uint8_t *>(at("access"));
    session.access_write = static_cast<std::uint8_t *>(at("access_write"));
    session.access_address = static_cast<std::uint32_t *>(at("access_address"));
    session.snapshot = static_cast<const std::uint8_t *>(at("snapshot"));
    session.port->on_access = [&session](const ddr3::ColumnAccess &access) {
        *session.access = 1;
        *session.access_write = access.kind == ddr3::ColumnAccess::WRITE;
        *session.access_address = std::uint32_t(session.port->model.geometry().address(access.at));
    };
    return RC_OK;
}

int tick(void *handle, uint64_t) {
    auto &session = *static_cast<Session *>(handle);
    if (!clk_pos_edge(&session.edge, *session.sys_clk))
        return RC_OK;
    *session.access = 0;
    if (session.record && *session.snapshot)
        session.record->mark(session.port->now());
    session.driver->clock();
    return RC_OK;
}

struct ext_module_s module = {const_cast<char *>("ddr3"), start, new_session, add_pads, nullptr, tick};

} // namespace

extern "C" int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *)) {
    return register_module(&module);
}
