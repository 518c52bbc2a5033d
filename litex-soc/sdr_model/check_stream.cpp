// SPDX-License-Identifier: BSD-2-Clause
// Checks a stream of SDRAM commands against every rule, and prints the result of its reads.
//
//   check_stream --rules               every rule: name, class, what breaks it (separated by tabs)
//   check_stream [NAME=VALUE]... < STREAM
//
// Settings: tck_ps=7500 tRC_ps=66000; cl=3 starts initialised, cl=0 at power-up.
//
// A line of the stream is a time and a command; lines with the same time are one cycle:
//
//   @100 ACT 2 1f        cycle 100: bank 2, row 1f; numbers are hexadecimal
//   +6 RD 2 8            6 cycles later: bank 2, column 8
//
//   ACT bank row         WR, WRA bank column data dqm    MRS value     DQM mask: of this cycle
//   RD, RDA bank column  PRE bank                        CKE level     DRIVE data: the controller drives the lines
//   PREA, REF, STOP      END                             WRU as WR, with lines that it does not drive
//
// Prints `data cycle word mask` for each cycle behind which the chip drives its lines, `violation RULE cycle bank`,
// counts. Returns 1 if a rule was broken, 2 if the stream cannot be read.
#include "model.hpp"

#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

using namespace sdr;

const std::map<std::string, Command> COMMANDS = {
    {"ACT", Command::ACT}, {"RD", Command::RD},   {"RDA", Command::RD},  {"WR", Command::WR},  {"WRA", Command::WR},
    {"WRU", Command::WR},  {"PRE", Command::PRE}, {"PREA", Command::PRE}, {"REF", Command::REF}, {"MRS", Command::MRS}, {"STOP", Command::STOP}};

Parameters settings_of(int argc, char **argv) {
    std::map<std::string, long> numbers = {{"tck_ps", 7'500}, {"tRC_ps", long(tRC_PS)}, {"cl", 3}};
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i], name = word.substr(0, word.find('='));
        if (word.size() <= name.size() + 1 || !numbers.count(name))
            throw std::invalid_argument("no setting " + word);
        numbers[name] = std::stol(word.substr(name.size() + 1));
    }
    return {numbers["tck_ps"], numbers["tRC_ps"], unsigned(numbers["cl"])};
}

class Stream {
  public:
    explicit Stream(const Parameters &parameters) : model_(parameters) {}

    void line(const std::string &text) {
        std::istringstream words(text.substr(0, text.find('#')));
        std::string when, what;
        if (!(words >> when))
            return;
        if (when.size() < 2 || (when[0] != '@' && when[0] != '+') || !(words >> what))
            throw std::invalid_argument("no time and command");
        const Clock at = std::stoll(when.substr(1)) + (when[0] == '+' ? at_ : 0);
        if (at < at_)
            throw std::invalid_argument("time goes back");
        run_to(at_ = at);
        happen(what, words);
    }

    int finish() {
        run_to(at_ + 5);
        model_.finish();
        for (const Violation &v : model_.violations())
            std::cout << "violation " << RULES[std::size_t(v.rule)].name << ' ' << v.clock << ' ' << v.bank << '\n';
        const Counts &counts = model_.counts();
        std::cout << "reads " << counts.reads << "\nwrites " << counts.writes << "\nrefreshes " << counts.refreshes
                  << '\n';
        return !model_.violations().empty();
    }

  private:
    // Edges up to one that is still to come.
    void run_to(Clock at) {
        while (model_.now() < at) {
            const Output output = model_.edge(pins_);
            if (output.mask)
                std::cout << "data " << model_.now() - 1 << ' ' << std::hex << output.data << ' ' << output.mask
                          << std::dec << '\n';
            const bool cke = pins_.cke;
            pins_ = {};
            pins_.cke = cke;
        }
    }

    void happen(const std::string &what, std::istringstream &words) {
        if (what == "END")
            return;
        if (what == "CKE") {
            pins_.cke = number(words) != 0;
        } else if (what == "DQM") {
            pins_.dqm = unsigned(number(words));
        } else if (what == "DRIVE") {
            drive(words);
        } else if (!COMMANDS.count(what)) {
            throw std::invalid_argument("no command " + what);
        } else if (!pins_.cs_n) {
            throw std::invalid_argument("two commands in one cycle");
        } else {
            command(what, words);
        }
    }

    void drive(std::istringstream &words) {
        pins_.data = std::uint16_t(number(words));
        pins_.driven = true;
    }

    void command(const std::string &what, std::istringstream &words) {
        pins_.cs_n = false;
        pins_.command = COMMANDS.at(what);
        const bool on_column = pins_.command == Command::RD || pins_.command == Command::WR;
        if (on_column || what == "ACT" || what == "PRE")
            pins_.bank = unsigned(number(words)) % BANKS;
        if (on_column || what == "ACT" || what == "MRS")
            pins_.address = unsigned(number(words));
        if (what == "RDA" || what == "WRA" || what == "PREA")
            pins_.address |= AUTO_PRECHARGE;
        if (pins_.command == Command::WR) {
            drive(words);
            pins_.driven = what != "WRU";
            pins_.dqm = unsigned(number(words));
        }
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

    Model model_;
    Pins pins_;
    Clock at_ = 0;
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
