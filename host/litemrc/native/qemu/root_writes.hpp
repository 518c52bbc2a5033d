// SPDX-License-Identifier: BSD-2-Clause
// Instructions that load the root of a processor's page tables: which general register they take it from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace litemrc_qemu {

// What of a root register is an address, and its unit: the rest are an identifier of the address space, and flags.
struct RootRegister {
    uint64_t mask;
    unsigned shift;
    const char *const *registers; // names of the general registers, by number
    unsigned count;
};

inline RootRegister root_register(const std::string &target) {
    static const char *const X86[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const I386[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    static const char *const ARM64[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
                                        "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
                                        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"};
    static const char *const RISCV[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    if (target == "x86_64")
        // CR3, without the bit by which a kernel has two tables for a process, to hide its pages
        return {~uint64_t(0x1fff) & ((uint64_t(1) << 52) - 1), 0, X86, 16};
    if (target == "i386")
        return {~uint64_t(0xfff), 0, I386, 8};
    if (target == "aarch64")
        return {((uint64_t(1) << 48) - 1) & ~uint64_t(1), 0, ARM64, 31}; // BADDR of TTBR0_EL1
    if (target == "riscv64")
        return {(uint64_t(1) << 44) - 1, 12, RISCV, 32}; // PPN of satp
    if (target == "riscv32")
        return {(uint64_t(1) << 22) - 1, 12, RISCV, 32};
    return {0, 0, nullptr, 0};
}

// Returns the number of the general register that `code` loads the root from; -1 if it does not.
inline int root_source(const std::string &target, const uint8_t *code, size_t length) {
    uint32_t word = 0;
    memcpy(&word, code, length < 4 ? length : 4);
    if (target == "riscv64" || target == "riscv32") {
        // csrrw rd, satp, rs1
        const bool writes = length == 4 && (word & 0x7f) == 0x73 && (word >> 12 & 7) == 1 && word >> 20 == 0x180;
        return writes ? int(word >> 15 & 31) : -1;
    }
    if (target == "aarch64") // msr ttbr0_el1, xt; 31 is the zero register
        return length == 4 && (word & ~31u) == 0xd5182000 && (word & 31) != 31 ? int(word & 31) : -1;
    // mov cr3, r: [REX] 0F 22 /3
    const bool rex = target == "x86_64" && length == 4 && (code[0] & 0xf0) == 0x40;
    const uint8_t *const opcode = code + rex;
    if (length != size_t(3 + rex) || opcode[0] != 0x0f || opcode[1] != 0x22 || (opcode[2] >> 3 & 7) != 3 || (rex && (code[0] & 4)))
        return -1;
    return int((opcode[2] & 7) | (rex && (code[0] & 1) ? 8 : 0));
}

} // namespace litemrc_qemu
