// SPDX-License-Identifier: BSD-2-Clause
/*
 * sd_card: an SD card in SPI mode (card.hpp) on the pins spisdcard. Arguments: "image" (file), "report" (file).
 */
#include "card.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>

#include <json-c/json.h>

#include "pads/pads.hpp"

namespace {

struct Session {
    std::unique_ptr<sd_card::Card> card;
    std::string report;
    const std::uint8_t *clk, *cs_n, *mosi;
    std::uint8_t *miso;
};

std::unique_ptr<Session> session;

void finish() {
    std::ofstream out(session->report);
    session->card->write_report(out);
    if (!out.flush())
        std::fprintf(stderr, "sd_card: cannot write %s\n", session->report.c_str());
}

int start(void *) { return RC_OK; }

int new_session(void **handle, char *arguments) {
    json_object *json = json_tokener_parse(arguments), *image, *report;
    if (!json_object_object_get_ex(json, "image", &image) || !json_object_object_get_ex(json, "report", &report)) {
        std::fprintf(stderr, "sd_card: the arguments are image and report\n");
        return RC_ERROR;
    }
    session = std::make_unique<Session>();
    try {
        session->card = std::make_unique<sd_card::Card>(json_object_get_string(image));
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return RC_ERROR;
    }
    session->report = json_object_get_string(report);
    json_object_put(json);
    std::atexit(finish);
    *handle = session.get();
    return RC_OK;
}

int add_pads(void *, struct pad_list_s *list) {
    if (std::strcmp(list->name, "spisdcard"))
        return RC_OK;
    take(session->clk, list, "clk"), take(session->cs_n, list, "cs_n"), take(session->mosi, list, "mosi");
    take(session->miso, list, "miso");
    return RC_OK;
}

int tick(void *, uint64_t time_ps) {
    Session &s = *session;
    *s.miso = s.card->pins(time_ps, *s.clk & 1, *s.cs_n & 1, *s.mosi & 1);
    return RC_OK;
}

struct ext_module_s module = {const_cast<char *>("sd_card"), start, new_session, add_pads, nullptr, tick};

} // namespace

extern "C" int litex_sim_ext_module_init(int (*register_module)(struct ext_module_s *)) {
    return register_module(&module);
}
