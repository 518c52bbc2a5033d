// SPDX-License-Identifier: BSD-2-Clause
// The functions of QEMU's plugin interface that the plugin calls, declared here because the package qemu-user does not contain qemu-plugin.h.
//
// Names, types and values are those of QEMU's documentation (docs/devel/tcg-plugins.rst). The interface is stable within a
// version; none of these functions changed from version 1 (QEMU 4.2 to 8.2) to version 4 (QEMU 10).
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;     // a translated block
struct qemu_plugin_insn;   // an instruction of it
struct qemu_plugin_hwaddr; // where an access of a machine goes

typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_cb)(unsigned cpu, void *data);
typedef void (*qemu_plugin_mem_cb)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*qemu_plugin_exit_cb)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_syscall_cb)(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t, uint64_t, uint64_t,
                                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

typedef void (*qemu_plugin_vcpu_cb)(qemu_plugin_id_t id, unsigned cpu);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb callback,
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_cb callback,
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_syscall_cb callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb callback, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

// In system mode only, during a qemu_plugin_mem_cb.
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *where);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *where);

#if LITEMRC_PLUGIN_VERSION >= 2
// Registers: from version 2 (QEMU 9) on, and only in callbacks of a processor.
struct qemu_plugin_register;
typedef struct {
    struct qemu_plugin_register *handle;
    const char *name, *feature;
} qemu_plugin_reg_descriptor;

// GLib's: the interface returns and takes them.
struct GArray {
    char *data;
    unsigned len;
};
struct GByteArray {
    uint8_t *data;
    unsigned len;
};
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned length);
char *g_array_free(GArray *array, int free_segment);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_cb callback);
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *buffer);
// Version 2: returns a pointer to the instruction. Version 3 and later copy it, and return its length.
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *destination, size_t length);
#endif
}
