// SPDX-License-Identifier: BSD-2-Clause
// Counts the cycles of a VexRiscv that runs Linux, by call stack and instruction. The machine does not notice.
//
// SIGUSR2 begins; the next one writes `profile.txt` in the working directory, which appears when it is complete:
//
//     total CYCLES
//     node NUMBER PARENT ENTRY CALLS        a function's calls: its first address; of a task: its task_struct
//     cycles NODE PC INSTRUCTION COUNT
//
// The cycles between two instructions that leave the pipeline count for the second of them. Calls and returns are those of
// the RISC-V calling convention; a trap is a call, too. The kernel's tp says which task runs. User space is one node a task.
#include "Vsim.h"
#include "Vsim_VexRiscv.h"
#include "Vsim_sim.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr char saved_as[] = "profile.txt", written_as[] = "profile.txt.new";

// Of Linux on 32 bits: user space is between the ROM and TASK_SIZE, above are modules, then the kernel (PAGE_OFFSET).
constexpr std::uint32_t rom_end = 0x10000, user_end = 0x9dc00000, kernel_begin = 0xc0000000;
constexpr std::uint32_t sret = 0x10200073, mret = 0x30200073;
constexpr unsigned ra = 1, tp = 4, t0 = 5; // x registers

struct Node {
    std::uint32_t parent, entry;
    std::map<std::uint32_t, std::uint32_t> callees; // node by entry
    std::uint64_t calls;
};

struct Frame {
    std::uint32_t node, returns_to;
    bool trap;
};

class Profile {
  public:
    void cycle(const Vsim_VexRiscv &cpu) {
        total++;
        waited++;
        trapped |= cpu.CsrPlugin_interruptJump || cpu.CsrPlugin_hadException;
        if (!cpu.lastStageIsFiring)
            return;
        retire(cpu.lastStagePc, cpu.lastStageInstruction, cpu.RegFilePlugin_regFile[tp]);
        waited = 0;
    }

    void write(std::FILE *file) const {
        std::fprintf(file, "total %llu\n", static_cast<unsigned long long>(total));
        for (std::size_t number = 1; number < nodes.size(); number++)
            std::fprintf(file, "node %zu %u %x %llu\n", number, nodes[number].parent, nodes[number].entry,
                         static_cast<unsigned long long>(nodes[number].calls));
        for (const auto &[place, count] : cycles)
            std::fprintf(file, "cycles %u %x %x %llu\n", unsigned(place >> 32), std::uint32_t(place), words.at(std::uint32_t(place)),
                         static_cast<unsigned long long>(count));
    }

  private:
    enum class Jump { none, call, back };

    void retire(std::uint32_t pc, std::uint32_t word, std::uint32_t current) {
        const bool user = pc >= rom_end && pc < user_end;
        if (pc >= user_end && current >= kernel_begin)
            task = current;
        auto &stack = stacks[task];
        if (user)
            stack.clear();
        else if (trapped)
            stack.push_back({call(top(stack), pc), 0, true});
        else if (jump == Jump::call)
            stack.push_back({call(top(stack), pc), returns_to, false});
        else if (jump == Jump::back)
            return_to(stack, pc);
        trapped = false;
        words[pc] = word;
        cycles[std::uint64_t(user ? called(called(0, task), 0) : top(stack)) << 32 | pc] += waited;
        jump = kind(word);
        returns_to = pc + 4;
        if (word == sret || word == mret)
            leave_trap(stack);
    }

    static Jump kind(std::uint32_t word) {
        const unsigned opcode = word & 0x7f, rd = word >> 7 & 31, rs1 = word >> 15 & 31;
        if (opcode != 0x6f && opcode != 0x67) // jal, jalr
            return Jump::none;
        if (rd == ra || rd == t0)
            return Jump::call;
        return opcode == 0x67 && (rs1 == ra || rs1 == t0) ? Jump::back : Jump::none;
    }

    std::uint32_t top(const std::vector<Frame> &stack) { return stack.empty() ? called(0, task) : stack.back().node; }

    std::uint32_t called(std::uint32_t parent, std::uint32_t entry) {
        const auto [known, added] = nodes[parent].callees.try_emplace(entry, nodes.size());
        const std::uint32_t number = known->second;
        if (added)
            nodes.push_back({parent, entry, {}, 0});
        return number;
    }

    std::uint32_t call(std::uint32_t parent, std::uint32_t entry) {
        const std::uint32_t number = called(parent, entry);
        nodes[number].calls++;
        return number;
    }

    // A function that was jumped to returns for its caller: frames may be skipped, but none of a trap.
    static void return_to(std::vector<Frame> &stack, std::uint32_t pc) {
        for (std::size_t depth = stack.size(); depth && !stack[depth - 1].trap; depth--)
            if (stack[depth - 1].returns_to == pc)
                return stack.resize(depth - 1);
    }

    static void leave_trap(std::vector<Frame> &stack) {
        while (!stack.empty()) {
            const bool trap = stack.back().trap;
            stack.pop_back();
            if (trap)
                return;
        }
    }

    std::uint64_t total = 0, waited = 0;
    bool trapped = false;
    Jump jump = Jump::none;
    std::uint32_t returns_to = 0, task = 0;
    std::vector<Node> nodes{{0, 0, {}, 0}};
    std::unordered_map<std::uint32_t, std::vector<Frame>> stacks; // by task
    std::unordered_map<std::uint32_t, std::uint32_t> words;       // by program counter
    std::unordered_map<std::uint64_t, std::uint64_t> cycles;      // by node and program counter
};

volatile std::sig_atomic_t asked;
bool begun, running, was_high;
Profile profile;

void finish() {
    std::FILE *file = std::fopen(written_as, "w");
    if (!file)
        return std::perror(written_as);
    profile.write(file);
    std::fclose(file);
    std::rename(written_as, saved_as);
}

} // namespace

void profile_progress(Vsim &model) {
    if (!begun)
        std::signal(SIGUSR2, [](int) { asked = 1; });
    begun = true;
    if (asked) {
        asked = 0;
        running = !running;
        if (running)
            profile = Profile();
        else
            finish();
    }
    if (running && model.sys_clk && !was_high)
        profile.cycle(*model.sim->VexRiscv);
    was_high = model.sys_clk;
}
