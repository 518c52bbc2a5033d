// SPDX-License-Identifier: BSD-2-Clause
// The service of firmware/service for one host, over registers that a bus of Python reaches.
#include "bindings.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

extern "C" {
#include "registers.h"
#include "service.h"
}

namespace litemrc_native {

namespace {

constexpr const char *BLOCK_NAMES[BLOCKS] = {"mrc", "ranks", "refs", "refs_window", "taps", "traffic"};

// Each call names the bus, an object of Python. No exception passes through the frames of C: the first one of a method of the
// bus is kept, further ones are not called, reads return 0 and waits end, and the call ends by the exception.
class DeviceService {
  public:
    DeviceService(nb::handle bus, uint32_t features, uint32_t clock_hz, std::string identifier, std::string driver,
                  uint64_t memory, uint32_t dram_chips, uint32_t dram_phases, std::string dram_part)
        : identifier_(std::move(identifier)), driver_(std::move(driver)), dram_part_(std::move(dram_part)) {
        bus_.read = [](register_bus *from, register_block block, uint32_t offset) {
            return of(from)->call("read", 0u, BLOCK_NAMES[block], offset);
        };
        bus_.write = [](register_bus *to, register_block block, uint32_t offset, uint32_t value) {
            of(to)->call("write", nb::object(), BLOCK_NAMES[block], offset, value);
        };
        bus_.wait = [](register_bus *on, uint32_t n) { return of(on)->call("wait", false, n); };
        bus_.remote = true;
        bus_.service = this;
        registers_.bus = &bus_;
        registers_.settle = [](register_device *device) { of(device->bus)->call("settle", nb::object()); };
        // Which pages hold data that somebody needs is not known over a bridge.
        registers_.is_live = [](register_device *, uint32_t) { return true; };
        registers_.runs_from = [](register_device *, uint32_t) { return false; };
        registers_.dram_chips = dram_chips;
        registers_.dram_phases = dram_phases;
        registers_.dram_part = dram_part_.c_str();
        registers_.device.echo = echo;
        registers_.device.epoch = [](device *asked) { return of(asked)->call("epoch", 0u); };
        device_parameters &parameters = registers_.device.parameters;
        parameters.features = features;
        parameters.clock_hz = clock_hz;
        parameters.identifier = identifier_.c_str();
        parameters.driver = driver_.c_str();
        parameters.system = "";
        during(bus, [this] { registers_open(&registers_); });
        parameters.first_page = memory >> parameters.page_shift;
        service_begin(&session_, &registers_.device, false);
    }

    DeviceService(const DeviceService &) = delete;

    // The answer, which has no number yet; None if the payload is no request.
    nb::object request(nb::handle bus, const nb::bytes &payload) {
        if (payload.size() > sizeof(session_.buffer))
            return nb::none();
        std::memcpy(session_.buffer, payload.data(), payload.size());
        session_.receiver.message_length = payload.size();
        reply reply{};
        during(bus, [&] { reply = service_answer(&session_, &hello_); });
        if (!reply.body)
            return nb::none();
        std::string message;
        if (reply.type) {
            const litemrc_message head{reply.type, 0};
            message.append(reinterpret_cast<const char *>(&head), sizeof(head));
        }
        message.append(static_cast<const char *>(reply.body), reply.bytes);
        return nb::bytes(message.data(), message.size());
    }

    nb::dict parameters() const {
        const device_parameters &found = registers_.device.parameters;
        nb::dict by_name;
        by_name["page_shift"] = found.page_shift;
        by_name["frames"] = found.frames;
        by_name["groups"] = found.groups;
        by_name["contexts"] = found.contexts;
        by_name["pages"] = found.pages;
        by_name["engine"] = found.engine;
        by_name["recent_pages"] = found.recent_pages;
        by_name["queue_depth"] = found.queue_depth;
        by_name["ranks"] = found.ranks;
        by_name["hot_pages"] = found.hot_pages;
        by_name["page_bitmap"] = device_has(&registers_.device, LITEMRC_FEATURE_PAGE_BITMAP);
        return by_name;
    }

    // What the host selected.
    bool accessed_messages() const { return registers_.accessed_messages; }
    bool hot_messages() const { return registers_.hot_messages; }
    bool always_on() const { return registers_.always_on; }
    bool counters_asked() const { return registers_.counters_asked; }

  private:
    struct Bus : register_bus {
        DeviceService *service;
    };

    static DeviceService *of(register_bus *bus) { return static_cast<Bus *>(bus)->service; }
    static DeviceService *of(device *device) { return of(reinterpret_cast<register_device *>(device)->bus); }

    static int echo(device *asked, const void *bytes, size_t length, answer *answer) {
        nb::bytes found = of(asked)->call("echo", nb::bytes(bytes, length), nb::bytes(bytes, length));
        std::memcpy(answer->ack.payload, found.data(), std::min(found.size(), length));
        return 0;
    }

    template <typename Result, typename... Arguments>
    Result call(const char *method, Result otherwise, Arguments... arguments) noexcept {
        if (failure_)
            return otherwise;
        try {
            return nb::cast<Result>(python_.attr(method)(arguments...));
        } catch (...) {
            failure_ = std::current_exception();
            return otherwise;
        }
    }

    template <typename Step> void during(nb::handle bus, Step step) {
        python_ = bus;
        step();
        if (failure_) {
            session_.last_request = 0; // its reply is none
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
    }

    std::string identifier_, driver_, dram_part_;
    Bus bus_{};
    register_device registers_{};
    service session_{};
    litemrc_hello hello_{};
    nb::handle python_;
    std::exception_ptr failure_;
};

} // namespace

void bind_device_service(nb::module_ &module) {
    nb::class_<DeviceService>(module, "DeviceService")
        .def(nb::init<nb::handle, uint32_t, uint32_t, std::string, std::string, uint64_t, uint32_t, uint32_t, std::string>(),
             nb::arg("bus"), nb::kw_only(), nb::arg("features"), nb::arg("clock_hz"), nb::arg("identifier"),
             nb::arg("driver"), nb::arg("memory"), nb::arg("dram_chips"), nb::arg("dram_phases"), nb::arg("dram_part"))
        .def("request", &DeviceService::request, nb::arg("bus"), nb::arg("payload"))
        .def_prop_ro("parameters", &DeviceService::parameters)
        .def_prop_ro("accessed_messages", &DeviceService::accessed_messages)
        .def_prop_ro("hot_messages", &DeviceService::hot_messages)
        .def_prop_ro("always_on", &DeviceService::always_on)
        .def_prop_ro("counters_asked", &DeviceService::counters_asked);
}

} // namespace litemrc_native
