// SPDX-License-Identifier: BSD-2-Clause
// liblitemrc_qemu.so: the monitor as a plugin of QEMU's translator: of a program (user mode) or a machine (system mode).
//
// A processor's caches belong to the thread that runs it, and need no lock. What leaves them waits in a buffer, and goes to
// the shared caches and the stack engine under `lock`: accesses of several processors are in the order of their buffers.
// A forked process starts with nothing counted, and writes results of its own.
// In system mode a processor is one of the machine's, and addresses are physical: those of QEMU's RAM blocks.
#ifndef LITEMRC_PLUGIN_VERSION
#define LITEMRC_PLUGIN_VERSION 1 // of the interface; QEMU 9 and later need 2
#endif
#include "plugin_api.hpp"

#include "control.hpp"
#include "results.hpp"
#include "root_writes.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <linux/membarrier.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>

#define PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

PLUGIN_EXPORT const int qemu_plugin_version = LITEMRC_PLUGIN_VERSION;

namespace {

using namespace litemrc_qemu;
using Clock = std::chrono::steady_clock;

constexpr uint64_t LEAST_PAGE = 4096; // of a machine: pages behind one another need not be so in memory
constexpr unsigned MOST_PROCESSORS = 1 << 15; // the stream has 15 bits
constexpr unsigned MOST_CONTEXTS = 256;       // the stream has 8 bits

// Never destroyed: a processor that ends its machine calls exit(), which calls destructors before `on_exit`.
Settings &settings = *new Settings;
std::string &target = *new std::string;
bool timed;                                     // blocks are counted
bool machine;                                   // system mode
std::array<Processor *, MOST_PROCESSORS> processors; // written by the thread that runs the processor
std::atomic<bool> stopping;                     // the process ends: threads wait for that
std::mutex lock;                                // guards the following
Memory *memory;
Stream *stream;
AddressSpaces *spaces;
uint64_t instructions;
Clock::time_point began;

// The program goes on, but its counts are worth nothing.
[[noreturn]] void fail(const char *what) {
    fprintf(stderr, "litemrc: %s\n", what);
    _exit(125);
}

Processor &processor(unsigned number) {
    if (__builtin_expect(number < MOST_PROCESSORS && processors[number], 1))
        return *processors[number];
    if (number >= MOST_PROCESSORS)
        fail("more processors than the plugin can distinguish");
    return *(processors[number] = new Processor(settings, number));
}

void flush(Processor &processor) {
    const std::lock_guard<std::mutex> held(lock);
    if (memory->device())
        memory->device()->pass_time();
    try {
        instructions += processor.flush(*memory, instructions, *stream);
    } catch (const std::exception &error) {
        fail(error.what());
    }
}

// A thread in a callback of a processor.
class Inside {
  public:
    explicit Inside(unsigned cpu) : processor_(processor(cpu)) {
        processor_.busy.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // `stop` has the other half of the barrier
        if (__builtin_expect(stopping.load(std::memory_order_relaxed), 0)) {
            processor_.busy.store(false, std::memory_order_release);
            for (;;)
                pause();
        }
    }
    ~Inside() { processor_.busy.store(false, std::memory_order_release); }
    Processor *operator->() { return &processor_; }
    Processor &operator*() { return processor_; }

  private:
    Processor &processor_;
};

// Returns when no thread is in a callback; none enters one again.
void stop() {
    stopping = true;
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (Processor *each : processors)
        while (each && each->busy.load(std::memory_order_acquire))
            usleep(100);
}

void on_block(unsigned cpu, void *data) {
    const uintptr_t sizes = uintptr_t(data);
    Inside(cpu)->begin_block(sizes & 0xFFFF, sizes >> 16);
}

void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    Inside here(cpu);
    uint32_t size = 1u << qemu_plugin_mem_size_shift(info);
    if (machine) {
        const qemu_plugin_hwaddr *const where = qemu_plugin_get_hwaddr(info, address);
        if (!where || qemu_plugin_hwaddr_is_io(where))
            return here->access_device();
        const uint64_t room = LEAST_PAGE - address % LEAST_PAGE;
        if (size > room) {
            here->cut_access();
            size = uint32_t(room);
        }
        address = qemu_plugin_hwaddr_phys_addr(where);
    }
    if (here->access(address, size, qemu_plugin_mem_is_store(info), uint32_t(uintptr_t(data))))
        flush(*here);
}

void on_fetch(unsigned cpu, void *data) {
    const uintptr_t packed = uintptr_t(data);
    Inside here(cpu);
    if (here->fetch(packed >> 13, packed & 15, packed >> 4 & 511))
        flush(*here);
}

#if LITEMRC_PLUGIN_VERSION >= 2
RootRegister &root_of = *new RootRegister;
std::vector<qemu_plugin_register *> &general = *new std::vector<qemu_plugin_register *>; // by number
int interface; // version of QEMU's

// All processors have the same registers, and their handles are equal.
void on_processor(qemu_plugin_id_t, unsigned) {
    const std::lock_guard<std::mutex> held(lock);
    if (!general.empty())
        return;
    general.resize(root_of.count);
    GArray *const found = qemu_plugin_get_registers();
    const auto *each = reinterpret_cast<const qemu_plugin_reg_descriptor *>(found->data);
    for (unsigned i = 0; i < found->len; ++i)
        for (unsigned number = 0; number < root_of.count; ++number)
            if (!strcmp(each[i].name, root_of.registers[number]))
                general[number] = each[i].handle;
    g_array_free(found, 1);
}

void on_root(unsigned cpu, void *data) {
    Inside here(cpu);
    static thread_local GByteArray *const bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    qemu_plugin_register *const source = general[uintptr_t(data)];
    uint64_t value = 0;
    const int size = source ? qemu_plugin_read_register(source, bytes) : 0;
    if (size <= 0)
        fail("a register of the processor cannot be read");
    memcpy(&value, bytes->data, std::min<size_t>(size_t(size), sizeof value));
    const std::lock_guard<std::mutex> held(lock);
    here->root = (value & root_of.mask) << root_of.shift;
    here->context = uint8_t(spaces->number(here->root));
}

// Whether the instruction loads the root of the page tables; then `on_root` reads it first.
void watch_root(qemu_plugin_insn *insn) {
    uint8_t code[16];
    size_t length = qemu_plugin_insn_size(insn);
    if (interface >= 3) {
        length = qemu_plugin_insn_data(insn, code, sizeof code);
    } else {
        using Data = const void *(*)(const qemu_plugin_insn *);
        const auto data = reinterpret_cast<Data>(reinterpret_cast<void (*)()>(qemu_plugin_insn_data));
        memcpy(code, data(insn), std::min(length, sizeof code));
    }
    const int source = root_source(target, code, length);
    if (source >= 0)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_root, QEMU_PLUGIN_CB_R_REGS,
                                               reinterpret_cast<void *>(uintptr_t(source)));
}
#endif

void on_translation(qemu_plugin_id_t, qemu_plugin_tb *block) {
    const size_t count = qemu_plugin_tb_n_insns(block);
    const uint32_t shift = settings.instructions.empty() ? settings.page_shift : Cache(settings.instructions[0]).shift();
    uint64_t lines = 0, previous = ~uint64_t(0);
    for (size_t index = 0; index < count; ++index) {
        qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, index);
        void *const number = reinterpret_cast<void *>(index);
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, number);
#if LITEMRC_PLUGIN_VERSION >= 2
        if (settings.contexts == "spaces")
            watch_root(insn);
#endif
        if (!settings.fetches)
            continue;
        const uint64_t address = qemu_plugin_insn_vaddr(insn), size = qemu_plugin_insn_size(insn);
        const uint64_t first = address >> shift, last = (address + size - 1) >> shift;
        lines += last - first + 1;
        // Further instructions of a line hit in the instruction cache, and change nothing in it.
        if (settings.instructions.empty() || first != previous || last != first)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
                                                   reinterpret_cast<void *>(address << 13 | index << 4 | size));
        previous = last;
    }
    if (timed)
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                             reinterpret_cast<void *>(lines << 16 | count));
}

void write(bool replaced) {
    Totals totals;
    for (Processor *each : processors)
        if (each) {
            each->finish();
            flush(*each);
            add(totals, *each, settings.levels.size());
        }
    memory->finish(!replaced);
    for (size_t i = 0; i < memory->shared().size(); ++i)
        add(totals.caches[1 + PRIVATE_LEVELS + i], memory->shared()[i], memory->shared()[i].accesses);
    stream->flush();
    const std::chrono::duration<double> seconds = Clock::now() - began;
    const std::string path = settings.out + "/" + std::to_string(getpid());
    if (!write_results(path, totals, *memory, stream->lost(), *spaces,
                       {{"seconds", seconds.count()},
                        {"replaced", replaced},
                        {"parent", double(getppid())}}))
        fprintf(stderr, "litemrc: cannot write %s: %s\n", path.c_str(), strerror(errno));
}

void on_exit(qemu_plugin_id_t, void *) {
    if (machine)
        stop(); // a processor may end the machine while others run
    write(false);
}

// A successful exec ends the emulation without a call of on_exit.
void on_syscall(qemu_plugin_id_t, unsigned, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                uint64_t, uint64_t) {
    static const struct {
        const char *target;
        int64_t execve, execveat;
    } NUMBERS[] = {{"x86_64", 59, 322},  {"i386", 11, 358},    {"arm", 11, 387},    {"armeb", 11, 387}, {"ppc", 11, 362},
                   {"ppc64", 11, 362},   {"ppc64le", 11, 362}, {"s390x", 11, 354},  {"m68k", 11, 355},  {"sh4", 11, 358},
                   {"mips", 4011, 4356}, {"mipsel", 4011, 4356}, {"mips64", 5057, 5316}, {"mips64el", 5057, 5316},
                   {"alpha", 59, 513},   {"sparc", 59, 350},   {"sparc64", 59, 350}, {"hppa", 11, 342}};
    int64_t execve = 221, execveat = 281; // of the architectures since 2010
    for (const auto &entry : NUMBERS)
        if (target == entry.target) {
            execve = entry.execve;
            execveat = entry.execveat;
        }
    if (number == execve || number == execveat)
        write(true);
}

// Registers of the device, for the other end of the socket.
void read_registers(uint32_t address, std::vector<uint32_t> &words) {
    const std::lock_guard<std::mutex> held(lock);
    memory->device()->pass_time();
    for (uint32_t &word : words) {
        word = memory->device()->read(address);
        address += 4;
    }
}

void write_register(uint32_t address, uint32_t word) {
    const std::lock_guard<std::mutex> held(lock);
    memory->device()->pass_time();
    memory->device()->write(address, word);
    if (!memory->device()->clears(address, word))
        return;
    spaces->forget();
    for (Processor *each : processors)
        if (each)
            each->context = uint8_t(spaces->number(each->root));
}

// In the child of a fork: the only thread is the caller, and no processor is in a callback.
void on_fork() {
    for (Processor *&each : processors) {
        delete each;
        each = nullptr;
    }
    delete memory;
    memory = new Memory(settings);
    stream->forget();
    instructions = 0;
    began = Clock::now();
}

} // namespace

// QEMU's user mode ends a program that a signal kills by this call, without on_exit. The library is preloaded, so that the
// call comes here (traces/qemu/monitored.py).
PLUGIN_EXPORT int kill(pid_t process, int number) noexcept {
    struct sigaction action;
    if (memory && process == getpid() && sigaction(number, nullptr, &action) == 0 &&
        action.sa_handler == SIG_DFL) {
        stop();
        write(false);
    }
    return int(syscall(SYS_kill, process, number));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count, char **arguments) {
    try {
        for (int i = 0; i < count; ++i)
            settings.set(arguments[i]);
        memory = new Memory(settings);
        stream = new Stream(settings.stream);
        spaces = new AddressSpaces(memory->device() ? memory->device()->contexts() : MOST_CONTEXTS);
        Processor check(settings, 0);
    } catch (const std::exception &error) {
        fprintf(stderr, "litemrc: %s\n", error.what());
        return 1;
    }
    target = info->target_name;
    machine = info->system_emulation;
    settings.fetches &= !machine; // the interface does not name their physical addresses
    timed = settings.fetches || settings.stream >= 0;
    began = Clock::now();
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
    if (settings.contexts == "spaces") {
#if LITEMRC_PLUGIN_VERSION >= 2
        root_of = root_register(target);
        interface = info->version.cur;
        if (machine && root_of.count)
            qemu_plugin_register_vcpu_init_cb(id, on_processor);
        else
#endif
        {
            fprintf(stderr, "litemrc: address spaces of %s are not known\n", target.c_str());
            return 1;
        }
    }
    if (memory->device()) {
        const std::string map = "{\"most_words\": " + std::to_string(MOST_WORDS) + ", \"device\": " + memory->device()->map() + "}";
        if (!write_file(settings.out + "/map", map.data(), map.size())) {
            fprintf(stderr, "litemrc: cannot write %s/map: %s\n", settings.out.c_str(), strerror(errno));
            return 1;
        }
        serve(settings.device.control, read_registers, write_register);
    }
    if (machine)
        return 0;
    qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
    pthread_atfork(nullptr, nullptr, on_fork);
    return 0;
}
