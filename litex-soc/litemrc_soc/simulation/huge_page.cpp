// SPDX-License-Identifier: BSD-2-Clause
// Moves the simulator's code to a huge page before it starts.
//
// A cycle of the model is a straight line through 100 KB of code, three times the processor's first cache. From the file the
// code lies on 4 KB pages anywhere in memory; where many of them share places in the second cache, a simulator takes up to a
// quarter more time, in every run until the file is written anew. A huge page is contiguous. Where the system has none, or
// LITEMRC_PERF is set (perf knows only code that comes from a file), the code stays where it is.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <sys/mman.h>

namespace {

constexpr std::size_t huge_page = 2u << 20; // the link has segments aligned to it: compile.py

int move_code(dl_phdr_info *program, std::size_t, void *) {
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const auto &segment = program->dlpi_phdr[i];
        const auto at = program->dlpi_addr + segment.p_vaddr;
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || at % huge_page)
            continue;
        const auto size = (segment.p_memsz + huge_page - 1) / huge_page * huge_page;
        void *room = mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED)
            continue;
        void *copy = reinterpret_cast<void *>((std::uintptr_t(room) + huge_page - 1) / huge_page * huge_page);
        void *code = reinterpret_cast<void *>(at);
        if (madvise(copy, size, MADV_HUGEPAGE))
            continue;
        std::memcpy(copy, code, segment.p_memsz);
        // In one system call: what runs here runs on in the copy.
        if (!mprotect(copy, size, PROT_READ | PROT_EXEC))
            mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, code);
    }
    return 1; // the first is the program, the others are libraries
}

__attribute__((constructor)) void code_on_huge_page() {
    if (!std::getenv("LITEMRC_PERF"))
        dl_iterate_phdr(move_code, nullptr);
}

} // namespace
