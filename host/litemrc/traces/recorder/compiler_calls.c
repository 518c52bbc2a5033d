// SPDX-License-Identifier: BSD-2-Clause
/* Functions that -fsanitize=thread calls at accesses and atomic operations, and the copying functions. */
#include "recorder.h"

#include <stdint.h>

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **object, void *value) { (void)value; record(object, true); }
void __tsan_vptr_read(void **object) { record(object, false); }
void __tsan_read_range(void *address, unsigned long bytes) { record_range(address, bytes, false); }
void __tsan_write_range(void *address, unsigned long bytes) { record_range(address, bytes, true); }

#define ACCESSES(n) \
	void __tsan_read##n(void *address) { record(address, false); } \
	void __tsan_write##n(void *address) { record(address, true); } \
	void __tsan_unaligned_read##n(void *address) { record(address, false); } \
	void __tsan_unaligned_write##n(void *address) { record(address, true); }
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)

#define FETCH(bits, type, name) \
	type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST); }
#define EXCHANGE_IF(bits, type, kind) \
	int __tsan_atomic##bits##_compare_exchange_##kind(volatile type *at, type *expected, type value, int order, \
							  int failing) \
	{ (void)order; (void)failing; record(at, true); \
	  return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
#define ATOMICS(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *at, int order) \
	{ (void)order; record(at, false); return __atomic_load_n(at, __ATOMIC_SEQ_CST); } \
	void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); __atomic_store_n(at, value, __ATOMIC_SEQ_CST); } \
	type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
	{ (void)order; record(at, true); return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); } \
	FETCH(bits, type, add) FETCH(bits, type, sub) FETCH(bits, type, and) FETCH(bits, type, or) \
	FETCH(bits, type, xor) FETCH(bits, type, nand) \
	EXCHANGE_IF(bits, type, strong) EXCHANGE_IF(bits, type, weak) \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value, int order, \
							int failing) \
	{ __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, failing); return expected; }
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* Copies (ld --wrap), which the compiler does not instrument. */

void *__real_memmove(void *, const void *, size_t);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
	record_range(from, bytes, false);
	record_range(to, bytes, true);
	return __real_memmove(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes) { return __wrap_memcpy(to, from, bytes); }

void *__wrap_memset(void *to, int value, size_t bytes)
{
	volatile char *at = to;

	record_range(to, bytes, true);
	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)value;
	return to;
}
