// SPDX-License-Identifier: GPL-2.0
/*
 * Protects pages: the valid bit of an entry is moved to _PAGE_PROT_NONE, which the kernel takes for a present page.
 * The permissions stay, and tell such an entry from one of a page without any.
 */
#include <linux/mm.h>

#include "tracker.h"
#include "walk.h"

static bool is_protected(pte_t pte)
{
	return (pte_val(pte) & (_PAGE_PRESENT | _PAGE_PROT_NONE)) == _PAGE_PROT_NONE &&
	       pte_val(pte) & _PAGE_LEAF;
}

static bool is_permitted(pte_t pte)
{
	return pte_val(pte) & _PAGE_PRESENT && pte_val(pte) & _PAGE_LEAF;
}

static pte_t protected_of(pte_t pte)
{
	return __pte((pte_val(pte) & ~_PAGE_PRESENT) | _PAGE_PROT_NONE);
}

static pte_t permitted_of(pte_t pte)
{
	return __pte((pte_val(pte) & ~_PAGE_PROT_NONE) | _PAGE_PRESENT);
}

/* There is one processor. */
static void forget_translation(unsigned long address)
{
	asm volatile("sfence.vma %0" : : "r"(address) : "memory");
}

/* Returns the entry with its table locked, or NULL. */
static pte_t *lock_entry(struct mm_struct *mm, unsigned long address, spinlock_t **lock)
{
	pmd_t *table;
	pte_t *entry = litemrc_find_pte(mm, address, &table);

	if (!entry)
		return NULL;
	*lock = pte_lockptr(mm, table);
	spin_lock(*lock);
	return entry;
}

/**
 * tracker_entry_permit - permit accesses to a page if they were protected
 * @mm: the memory
 * @address: of the page
 * @pfn: set to its frame, if it is present
 *
 * Return: what the entry was
 */
enum tracker_entry_state tracker_entry_permit(struct mm_struct *mm, unsigned long address,
					      unsigned long *pfn)
{
	enum tracker_entry_state state = TRACKER_ABSENT;
	spinlock_t *lock;
	pte_t *entry = lock_entry(mm, address, &lock);

	if (!entry)
		return TRACKER_ABSENT;
	*pfn = pte_pfn(*entry);
	if (is_permitted(*entry)) {
		state = TRACKER_PERMITTED;
	} else if (is_protected(*entry)) {
		set_pte(entry, permitted_of(*entry));
		forget_translation(address);
		state = TRACKER_PROTECTED;
	}
	spin_unlock(lock);
	return state;
}

/* Returns whether the frame is mapped there, and protected now. */
bool tracker_entry_protect(struct mm_struct *mm, unsigned long address, unsigned long pfn)
{
	spinlock_t *lock;
	pte_t *entry = lock_entry(mm, address, &lock);
	bool found;

	if (!entry)
		return false;
	found = pte_present(*entry) && pte_pfn(*entry) == pfn;
	if (found && is_permitted(*entry)) {
		set_pte(entry, pte_mkold(protected_of(*entry)));
		forget_translation(address);
	}
	spin_unlock(lock);
	return found;
}

/* Returns whether the frame is mapped there and was accessed; clears the bit. */
bool tracker_entry_accessed(struct mm_struct *mm, unsigned long address, unsigned long pfn)
{
	spinlock_t *lock;
	pte_t *entry = lock_entry(mm, address, &lock);
	bool accessed;

	if (!entry)
		return false;
	accessed = is_permitted(*entry) && pte_pfn(*entry) == pfn && pte_young(*entry);
	if (accessed) {
		set_pte(entry, pte_mkold(*entry));
		forget_translation(address);
	}
	spin_unlock(lock);
	return accessed;
}

/* What is done with an entry; returns whether it changed. Its table is locked. */
typedef bool visit(void *data, unsigned long address, pte_t *entry);

static u32 visit_table(struct mm_struct *mm, unsigned long address, unsigned long end, visit *visit,
		       void *data)
{
	spinlock_t *lock;
	pte_t *entry = lock_entry(mm, address, &lock);
	u32 changed = 0;

	if (!entry)
		return 0;
	for (; address != end; address += PAGE_SIZE, entry++) {
		if (!visit(data, address, entry))
			continue;
		forget_translation(address);
		changed++;
	}
	spin_unlock(lock);
	cond_resched();
	return changed;
}

static u32 visit_all(struct mm_struct *mm, visit *visit, void *data)
{
	struct vm_area_struct *area;
	struct vma_iterator iterator;
	unsigned long address, next;
	u32 changed = 0;

	vma_iter_init(&iterator, mm, 0);
	for_each_vma(iterator, area) {
		if (area->vm_flags & (VM_IO | VM_PFNMAP))
			continue;
		for (address = area->vm_start; address != area->vm_end; address = next) {
			next = litemrc_end_of_table(address, area->vm_end);
			changed += visit_table(mm, address, next, visit, data);
		}
	}
	return changed;
}

static bool permit(void *data, unsigned long address, pte_t *entry)
{
	if (!is_protected(*entry))
		return false;
	set_pte(entry, permitted_of(*entry));
	return true;
}

/* Permits all pages; returns the number of those that were protected. */
u32 tracker_entries_permit(struct mm_struct *mm)
{
	return visit_all(mm, permit, NULL);
}

struct choice {
	tracker_choose *choose;
	void *data;
};

static bool protect(void *data, unsigned long address, pte_t *entry)
{
	struct choice *choice = data;

	if (!is_permitted(*entry) || pte_special(*entry) ||
	    !choice->choose(choice->data, address, pte_pfn(*entry)))
		return false;
	set_pte(entry, pte_mkold(protected_of(*entry)));
	return true;
}

/* Protects the pages that are chosen. */
void tracker_entries_protect(struct mm_struct *mm, tracker_choose *choose, void *data)
{
	struct choice choice = { choose, data };

	visit_all(mm, protect, &choice);
}
