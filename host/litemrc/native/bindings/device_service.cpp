// SPDX-License-Identifier: BSD-2-Clause
// The service of firmware/service for one host, over registers that a bus of Python reaches.
#include "bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

extern "C" {
#include "register_messages.h"
#include "service.h"
}

namespace litemrc_native {

namespace {

constexpr const char *BLOCK_NAMES[REGISTER_BLOCKS] = {"mrc",  "mrc_window",  "ranks", "ranks_window",
                                                      "refs", "refs_window", "taps",  "traffic"};
static_assert(BLOCK_MRC == 0 && BLOCK_MRC_WINDOW == 1 && BLOCK_RANKS == 2 && BLOCK_RANKS_WINDOW == 3 && BLOCK_REFS == 4 &&
                  BLOCK_REFS_WINDOW == 5 && BLOCK_TAPS == 6 && BLOCK_TRAFFIC == 7,
              "names in the order of register_block");
constexpr unsigned MESSAGES_AT_ONCE = 64; // of those that the hardware may queue as fast as they are read

// Each call names the bus, an object of Python. No exception passes through the frames of C: the first one of a method of the
// bus is kept, further ones are not called, reads return 0 and waits end, and the call ends by the exception.
class DeviceService {
  public:
    DeviceService(nb::handle bus, uint32_t features, uint32_t clock_hz, std::string identifier, std::string driver,
                  uint64_t memory, uint64_t memory_bytes, uint32_t dram_chips, uint32_t dram_phases, std::string dram_part)
        : identifier_(std::move(identifier)), driver_(std::move(driver)), dram_part_(std::move(dram_part)),
          memory_bytes_(memory_bytes) {
        bus_.read = [](register_bus *from, register_block block, uint32_t offset, uint32_t words) -> const uint32_t * {
            DeviceService *service = of(from);
            service->words_ = service->call("read", std::vector<uint32_t>(), BLOCK_NAMES[block], offset, words);
            service->words_.resize(words);
            return service->words_.data();
        };
        bus_.write = [](register_bus *to, register_block block, uint32_t offset, uint32_t value) {
            of(to)->call("write", nb::object(), BLOCK_NAMES[block], offset, value);
        };
        bus_.wait = [](register_bus *on, uint32_t n) { return of(on)->call("wait", false, n); };
        bus_.service = this;
        registers_.bus = &bus_;
        registers_.settle = [](register_device *device) { of(device->bus)->send_messages(); };
        // Which pages hold data that somebody needs is not known over a bridge: all count as live.
        registers_.live_pages = [](register_device *device, uint32_t) {
            const device_parameters &found = device->device.parameters;
            return static_cast<uint32_t>((of(device->bus)->memory_bytes_ >> found.page_shift) / std::max(found.ranks, 1u));
        };
        registers_.runs_from = [](register_device *, uint32_t) { return false; };
        registers_.dram_chips = dram_chips;
        registers_.dram_phases = dram_phases;
        registers_.dram_part = dram_part_.c_str();
        registers_.device.echo = echo;
        registers_.device.epoch = [](device *asked) { return of(asked)->messages_.next; };
        outlet_.has_room = [](outlet *to, size_t) { return of(to)->sent_ < MESSAGES_AT_ONCE; };
        outlet_.begin = [](outlet *to, uint32_t type) { of(to)->message_ = head_of(type); };
        outlet_.put = [](outlet *to, const volatile void *bytes, size_t length) {
            of(to)->message_.append(static_cast<const char *>(const_cast<const void *>(bytes)), length);
        };
        outlet_.end = [](outlet *to) { of(to)->send(); };
        outlet_.service = this;
        messages_.registers = &registers_;
        messages_.outlet = &outlet_;
        device_parameters &parameters = registers_.device.parameters;
        parameters.features = features;
        parameters.clock_hz = clock_hz;
        parameters.identifier = identifier_.c_str();
        parameters.driver = driver_.c_str();
        parameters.system = "";
        during(bus, [this] {
            registers_open(&registers_);
            messages_open(&messages_);
        });
        parameters.first_page = memory >> parameters.page_shift;
        service_begin(&session_, &registers_.device, false);
    }

    DeviceService(const DeviceService &) = delete;

    // Gives the bus the messages that are due.
    void poll(nb::handle bus) {
        during(bus, [this] { send_messages(); });
    }

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
        std::string message = reply.type ? head_of(reply.type) : "";
        message.append(static_cast<const char *>(reply.body), reply.bytes);
        return nb::bytes(message.data(), message.size());
    }

    uint32_t epoch() const { return messages_.next; }

  private:
    struct Bus : register_bus {
        DeviceService *service;
    };
    struct Outlet : outlet {
        DeviceService *service;
    };

    static DeviceService *of(register_bus *bus) { return static_cast<Bus *>(bus)->service; }
    static DeviceService *of(outlet *outlet) { return static_cast<Outlet *>(outlet)->service; }
    static DeviceService *of(device *device) { return of(reinterpret_cast<register_device *>(device)->bus); }

    static std::string head_of(uint32_t type) {
        const litemrc_message head{type, 0};
        return std::string(reinterpret_cast<const char *>(&head), sizeof(head));
    }

    void send() noexcept {
        sent_++;
        call("send", nb::object(), nb::bytes(message_.data(), message_.size()));
    }

    void send_messages() noexcept {
        sent_ = 0;
        switch (messages_send_epoch(&messages_)) {
        case EPOCH_OVERWRITTEN:
            call("overwritten", nb::object(), messages_.epoch);
            break;
        case EPOCH_RESTARTED:
            call("restarted", nb::object(), messages_.epoch, messages_.next);
            break;
        default:
            break;
        }
        messages_send_queued(&messages_);
        // Sessions that never asked for the counters leave their events to software of the SoC.
        if (registers_.counters_asked)
            messages_send_counts(&messages_);
    }

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

    std::string identifier_, driver_, dram_part_, message_;
    uint64_t memory_bytes_;
    Bus bus_{};
    Outlet outlet_{};
    register_device registers_{};
    register_messages messages_{};
    std::vector<uint32_t> words_; // read last
    unsigned sent_ = 0;
    service session_{};
    litemrc_hello hello_{};
    nb::handle python_;
    std::exception_ptr failure_;
};

} // namespace

void bind_device_service(nb::module_ &module) {
    nb::class_<DeviceService>(module, "DeviceService")
        .def(nb::init<nb::handle, uint32_t, uint32_t, std::string, std::string, uint64_t, uint64_t, uint32_t, uint32_t,
                      std::string>(),
             nb::arg("bus"), nb::kw_only(), nb::arg("features"), nb::arg("clock_hz"), nb::arg("identifier"),
             nb::arg("driver"), nb::arg("memory"), nb::arg("memory_bytes"), nb::arg("dram_chips"), nb::arg("dram_phases"),
             nb::arg("dram_part"))
        .def("request", &DeviceService::request, nb::arg("bus"), nb::arg("payload"))
        .def("poll", &DeviceService::poll, nb::arg("bus"))
        .def_prop_ro("epoch", &DeviceService::epoch);
}

} // namespace litemrc_native
