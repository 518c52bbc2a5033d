// SPDX-License-Identifier: BSD-2-Clause
// Checks a stream of DDR3 commands against every rule, and prints the result of its reads.
//
//   check_stream --rules               every rule: name, class, what breaks it (separated by tabs)
//   check_stream [NAME=VALUE]... < STREAM
//
// Settings: grade=800E gigabits=2 chip_bits=16 tck_ps=2500 ranks=1 row_bits=14 data_bytes=2 map=bank_row_column
// tREFI_ps tRC_ps; cl=6 cwl=5 starts initialised, cl=0 starts before RESET#; restored=1 replaces the model after each
// cycle with an event by a new one, restored from its saved state.
//
// A line of the stream is a time and an event; lines with the same time are one cycle of the DRAM:
//
//   @100 ACT 0 2 1f      cycle 100: rank 0, bank 2, row 1f; numbers after the rank are hexadecimal
//   +6 RD 0 2 8          6 cycles later: bank 2, column 8
//
//   ACT rank bank row                   RESET level
//   RD, RDA rank bank column            CKE, ODT rank level
//   WR, WRA rank bank column byte mask  `byte` for the whole burst; bit i of mask keeps byte i
//   PRE rank bank                       SRE, SRX, PDE, PDX rank: CKE, and REF in SRE
//   PREA, REF, ZQCS, ZQCL rank          CUT rank: power off and on again
//   MRS rank number value               FILL address byte: 16 bytes of initial contents
//   END                                 Rank *: all of them
//
// Prints `read cycle rank bank row column kept|lost|undriven first_word`, `violation RULE cycle rank bank`, counts.
// Returns 1 if a rule was broken, 2 if the stream cannot be read.
#include "model.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

namespace {

using namespace ddr3;

struct Settings {
    Parameters parameters;
    bool restored = false;
};

// A state in memory.
class Saved : public State {
  public:
    Saved() : State(false) {}
    explicit Saved(const Saved &saved) : State(true), bytes_(saved.bytes_) {}

    void bytes(void *data, std::size_t size) override {
        auto *const at = static_cast<std::uint8_t *>(data);
        if (!restoring()) {
            bytes_.insert(bytes_.end(), at, at + size);
            return;
        }
        if (size > bytes_.size() - used_)
            throw std::runtime_error("the saved state is too short");
        std::copy_n(bytes_.begin() + std::ptrdiff_t(used_), size, at);
        used_ += size;
    }

    bool all_used() const { return used_ == bytes_.size(); }

  private:
    std::vector<std::uint8_t> bytes_;
    std::size_t used_ = 0;
};

Settings settings_of(int argc, char **argv) {
    std::map<std::string, std::string> set = {{"grade", "800E"}, {"map", "bank_row_column"}};
    std::map<std::string, long> numbers = {{"gigabits", 2}, {"chip_bits", 16}, {"tck_ps", 2500}, {"ranks", 1},
                                           {"row_bits", 14}, {"data_bytes", 2}, {"tREFI_ps", tREFI_PS}, {"tRC_ps", 0},
                                           {"cl", 6}, {"cwl", 5}, {"restored", 0}};
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i], name = word.substr(0, word.find('='));
        if (word.size() <= name.size() + 1 || !(set.count(name) || numbers.count(name)))
            throw std::invalid_argument("no setting " + word);
        if (set.count(name))
            set[name] = word.substr(name.size() + 1);
        else
            numbers[name] = std::stol(word.substr(name.size() + 1));
    }
    Parameters p;
    p.geometry = {unsigned(numbers["ranks"]), unsigned(numbers["row_bits"]), 10, unsigned(numbers["data_bytes"]),
                  set["map"] == "row_bank_column" ? AddressMap::row_bank_column : AddressMap::bank_row_column};
    p.grade = set["grade"];
    p.gigabits = int(numbers["gigabits"]);
    p.chip_bits = int(numbers["chip_bits"]);
    p.tCK_fs = numbers["tck_ps"] * 1000;
    p.tREFI_ps = numbers["tREFI_ps"];
    p.tRC_ps = numbers["tRC_ps"];
    p.preset_cl = unsigned(numbers["cl"]);
    p.preset_cwl = unsigned(numbers["cwl"]);
    return {p, numbers["restored"] != 0};
}

class Stream {
  public:
    explicit Stream(const Settings &settings) : settings_(settings), all_((1u << parameters().geometry.ranks) - 1) {
        pins_.cke = parameters().preset_cl ? all_ : 0;
        renew();
    }

    void line(const std::string &text) {
        std::istringstream words(text.substr(0, text.find('#')));
        std::string when, what;
        if (!(words >> when))
            return;
        if (when.size() < 2 || (when[0] != '@' && when[0] != '+') || !(words >> what))
            throw std::invalid_argument("no time and command");
        const Clock t = std::stoll(when.substr(1)) + (when[0] == '+' ? now_ : 0);
        if (t < now_)
            throw std::invalid_argument("time goes back");
        if (t > now_)
            carry_out();
        now_ = t;
        pending_ = true;
        happen(what, words);
    }

    int finish() {
        carry_out();
        for (const Violation &v : model_->violations().kept())
            std::cout << "violation " << text_of(v.rule).name << ' ' << v.clock << ' ' << v.rank << ' ' << v.bank
                      << '\n';
        const Counts &counts = model_->counts();
        std::cout << "reads " << counts.reads << "\nwrites " << counts.writes << "\nlost_reads " << counts.lost_reads
                  << "\nundriven_reads " << counts.undriven_reads << "\nhost_bytes " << model_->storage().host_bytes()
                  << '\n';
        return !model_->violations().kept().empty();
    }

  private:
    const Parameters &parameters() const { return settings_.parameters; }

    void renew() {
        model_ = std::make_unique<Model>(parameters());
        model_->observer = [this](const Access &access) { seen_ = access; };
    }

    void restore() {
        Saved saved;
        model_->transfer(saved);
        renew();
        Saved restored(saved);
        model_->transfer(restored);
        if (!restored.all_used())
            throw std::runtime_error("the saved state is too long");
    }

    void happen(const std::string &what, std::istringstream &words) {
        static const std::map<std::string, Command> COMMANDS = {
            {"ACT", Command::ACT}, {"RD", Command::RD},    {"RDA", Command::RD},  {"WR", Command::WR},
            {"WRA", Command::WR},  {"PRE", Command::PRE},  {"PREA", Command::PRE}, {"REF", Command::REF},
            {"SRE", Command::REF}, {"ZQCS", Command::ZQ}, {"ZQCL", Command::ZQ},  {"MRS", Command::MRS}};
        if (what == "END")
            return;
        if (what == "RESET") {
            pins_.reset_n = number(words);
            return;
        }
        if (what == "FILL") {
            const std::uint64_t address = number(words);
            const std::vector<std::uint8_t> bytes(16, std::uint8_t(number(words)));
            model_->storage().fill(address, bytes.data(), bytes.size());
            return;
        }
        const std::uint32_t ranks = ranks_of(words);
        if (what == "CUT") {
            for (unsigned n = 0; n < model_->geometry().ranks; ++n)
                if (ranks >> n & 1)
                    model_->power_cut(n);
            return;
        }
        if (what == "CKE" || what == "ODT") {
            std::uint32_t &pin = what == "CKE" ? pins_.cke : pins_.odt;
            pin = number(words) ? pin | ranks : pin & ~ranks;
            return;
        }
        const bool rises = what == "SRX" || what == "PDX", falls = what == "SRE" || what == "PDE";
        if (rises || falls)
            pins_.cke = rises ? pins_.cke | ranks : pins_.cke & ~ranks;
        if (rises || what == "PDE")
            return;
        const auto found = COMMANDS.find(what);
        if (found == COMMANDS.end())
            throw std::invalid_argument("no command " + what);
        if (pins_.command != Command::NOP)
            throw std::invalid_argument("two commands in one cycle");
        pins_.command = found->second;
        pins_.cs_n = ~ranks;
        pins_.address = what == "PREA" || what == "ZQCL" || what == "RDA" || what == "WRA" ? A10 : 0;
        const bool has_bank = what != "PREA" && what != "REF" && what != "ZQCS" && what != "ZQCL" && what != "SRE";
        pins_.bank = has_bank ? unsigned(number(words)) : 0;
        if (has_bank && what != "PRE")
            pins_.address |= unsigned(number(words));
        if (found->second == Command::WR) {
            byte_ = std::uint8_t(number(words));
            masked_ = number(words);
        }
    }

    void carry_out() {
        if (!pending_)
            return;
        const std::optional<ColumnAccess> access = model_->clock(now_, pins_);
        std::vector<std::uint8_t> data(model_->geometry().burst_bytes(), byte_);
        if (access && access->kind == ColumnAccess::WRITE) {
            model_->write(now_, *access, data.data(), masked_);
        } else if (access) {
            model_->read(now_, *access, data.data());
            const Location &at = access->at;
            std::uint32_t word;
            std::memcpy(&word, data.data(), sizeof(word));
            std::cout << "read " << now_ << ' ' << at.rank << ' ' << at.bank << ' ' << at.row << ' ' << at.column << ' '
                      << (!access->row_open ? "undriven" : seen_.lost ? "lost" : "kept") << ' ' << std::hex << word
                      << std::dec << '\n';
        }
        pins_.command = Command::NOP;
        pins_.cs_n = ~0u;
        pending_ = false;
        if (settings_.restored)
            restore();
    }

    static std::uint64_t number(std::istringstream &words) {
        std::string word;
        std::size_t used = 0;
        std::uint64_t value = 0;
        if (words >> word)
            value = std::stoull(word, &used, 16);
        if (word.empty() || used != word.size())
            throw std::invalid_argument("a number is missing or wrong");
        return value;
    }

    std::uint32_t ranks_of(std::istringstream &words) const {
        std::string word;
        words >> word;
        if (word == "*")
            return all_;
        const unsigned rank = word.size() == 1 ? unsigned(word[0] - '0') : MAX_RANKS;
        if (rank >= model_->geometry().ranks)
            throw std::invalid_argument("no rank " + word);
        return 1u << rank;
    }

    const Settings settings_;
    std::unique_ptr<Model> model_;
    std::uint32_t all_;
    Pins pins_;
    Clock now_ = 0;
    bool pending_ = false;
    std::uint8_t byte_ = 0;
    std::uint64_t masked_ = 0;
    Access seen_{};
};

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::string(argv[1]) == "--rules") {
        for (const RuleText &rule : RULES)
            std::cout << rule.name << '\t' << name_of(rule.rule_class) << '\t' << rule.breaks << '\n';
        return 0;
    }
    int number = 0;
    try {
        Stream stream(settings_of(argc, argv));
        for (std::string text; ++number, std::getline(std::cin, text);)
            stream.line(text);
        return stream.finish();
    } catch (const std::exception &error) {
        std::cerr << "check_stream: line " << number << ": " << error.what() << '\n';
        return 2;
    }
}
