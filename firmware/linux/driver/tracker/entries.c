// SPDX-License-Identifier: GPL-2.0
/*
 * Protects pages: the valid bit of an entry is moved to _PAGE_PROT_NONE, which
 * the kernel takes for a present page. The permissions stay. Of these,
 * _PAGE_USER marks the tracker's entries: those that the kernel itself makes
 * with _PAGE_PROT_NONE, by mprotect(PROT_NONE) and for NUMA hinting, are
 * PAGE_NONE, which lacks it. mprotect() replaces all permissions, so it also
 * takes an entry from the tracker; fork and mremap copy it with the mark;
 * entries of swap and of migration lack both bits.
 */
#include <linux/mm.h>

#include "litemrc.h"
#include "tracker.h"

#define PROTECTED (_PAGE_PROT_NONE | _PAGE_USER)
#define PERMITTED (_PAGE_PRESENT | _PAGE_USER)
#define STATE_MASK (_PAGE_PRESENT | _PAGE_PROT_NONE | _PAGE_USER)

static bool tracker_is_protected(pte_t pte)
{
	BUILD_BUG_ON(pgprot_val(PAGE_NONE) & _PAGE_USER);
	return (pte_val(pte) & STATE_MASK) == PROTECTED &&
	       pte_val(pte) & _PAGE_LEAF;
}

static bool tracker_is_permitted(pte_t pte)
{
	return (pte_val(pte) & PERMITTED) == PERMITTED &&
	       pte_val(pte) & _PAGE_LEAF;
}

static pte_t tracker_protected_of(pte_t pte)
{
	return __pte((pte_val(pte) & ~_PAGE_PRESENT) | _PAGE_PROT_NONE);
}

static pte_t tracker_permitted_of(pte_t pte)
{
	return __pte((pte_val(pte) & ~_PAGE_PROT_NONE) | _PAGE_PRESENT);
}

/* There is one processor. */
static void tracker_forget_translation(unsigned long address)
{
	asm volatile("sfence.vma %0" : : "r"(address) : "memory");
}

static noinline bool tracker_find_table(struct tracker_table *table,
					struct mm_struct *mm,
					unsigned long address)
{
	pmd_t *pmd;
	pte_t *entry = litemrc_find_pte(mm, address, &pmd);

	if (!entry)
		return false;
	table->mm = mm;
	table->begin = address & PMD_MASK;
	table->entries = entry - pte_index(address);
	table->lock = pte_lockptr(mm, pmd);
	return true;
}

/* Returns the entry, or NULL. */
static __always_inline pte_t *tracker_find_entry(struct tracker_table *table,
						 struct mm_struct *mm,
						 unsigned long address)
{
	if ((table->mm != mm || table->begin != (address & PMD_MASK)) &&
	    !tracker_find_table(table, mm, address))
		return NULL;
	return table->entries + pte_index(address);
}

/* Returns the entry with its table locked, or NULL. */
static __always_inline pte_t *tracker_lock_entry(struct tracker_table *table,
						 struct mm_struct *mm,
						 unsigned long address)
{
	pte_t *entry = tracker_find_entry(table, mm, address);

	if (entry)
		spin_lock(table->lock);
	return entry;
}

/**
 * tracker_entry_permit() - permit accesses to a page if they were protected
 * @table: the table that was found last
 * @mm: the memory
 * @address: of the page
 * @old: whether its accessed bit is cleared, too
 * @pfn: set to its frame, if it is present
 *
 * Context: Caller holds the mmap lock, not @lock of the tracker.
 * Return: what the entry was
 */
enum tracker_entry_state tracker_entry_permit(struct tracker_table *table,
					      struct mm_struct *mm,
					      unsigned long address, bool old,
					      unsigned long *pfn)
{
	pte_t *entry = tracker_lock_entry(table, mm, address);
	enum tracker_entry_state state;
	pte_t pte;

	if (!entry)
		return TRACKER_ABSENT;
	pte = *entry;
	*pfn = pte_pfn(pte);
	state = tracker_is_permitted(pte) ? TRACKER_PERMITTED :
		tracker_is_protected(pte) ? TRACKER_PROTECTED :
					    TRACKER_ABSENT;
	if (state == TRACKER_PROTECTED || (state == TRACKER_PERMITTED && old)) {
		pte = tracker_permitted_of(pte);
		set_pte(entry, old ? pte_mkold(pte) : pte);
		tracker_forget_translation(address);
	}
	spin_unlock(table->lock);
	return state;
}

/**
 * tracker_entry_protect() - protect a page
 * @table: the table that was found last
 * @mm: the memory
 * @address: of the page
 * @pfn: its frame
 *
 * Context: Caller holds the mmap lock, not @lock of the tracker.
 * Return: whether the frame is mapped there, and protected now
 */
bool tracker_entry_protect(struct tracker_table *table, struct mm_struct *mm,
			   unsigned long address, unsigned long pfn)
{
	pte_t *entry = tracker_lock_entry(table, mm, address);
	bool found;

	if (!entry)
		return false;
	found = pte_present(*entry) && pte_pfn(*entry) == pfn;
	if (found && tracker_is_permitted(*entry)) {
		set_pte(entry, pte_mkold(tracker_protected_of(*entry)));
		tracker_forget_translation(address);
	}
	spin_unlock(table->lock);
	return found;
}

/**
 * tracker_entry_accessed() - read the accessed bit of a page, and clear it
 * @table: the table that was found last
 * @mm: the memory
 * @address: of the page
 * @pfn: its frame
 *
 * Context: Caller holds the mmap lock, not @lock of the tracker.
 * Return: whether the frame is mapped there and was accessed
 */
bool tracker_entry_accessed(struct tracker_table *table, struct mm_struct *mm,
			    unsigned long address, unsigned long pfn)
{
	pte_t *entry = tracker_find_entry(table, mm, address);
	bool accessed;

	if (!entry || !pte_young(READ_ONCE(*entry)))
		return false; /* most of a scan's */
	spin_lock(table->lock);
	accessed = tracker_is_permitted(*entry) && pte_pfn(*entry) == pfn &&
		   pte_young(*entry);
	if (accessed) {
		set_pte(entry, pte_mkold(*entry));
		tracker_forget_translation(address);
	}
	spin_unlock(table->lock);
	return accessed;
}

/*
 * What is done with an entry; returns whether it changed. Its table is locked.
 */
typedef bool visit(void *data, unsigned long address, pte_t *entry);

static u32 tracker_visit_table(struct mm_struct *mm, unsigned long address,
			       unsigned long end, visit *visit, void *data)
{
	struct tracker_table table = {};
	pte_t *entry = tracker_lock_entry(&table, mm, address);
	u32 changed = 0;

	if (!entry)
		return 0;
	for (; address != end; address += PAGE_SIZE, entry++) {
		if (!visit(data, address, entry))
			continue;
		tracker_forget_translation(address);
		changed++;
	}
	spin_unlock(table.lock);
	return changed;
}

static u32 tracker_visit_all(struct mm_struct *mm, visit *visit, void *data,
			     bool may_sleep)
{
	struct vm_area_struct *area;
	struct vma_iterator iterator;
	unsigned long address, next;
	u32 changed = 0;

	vma_iter_init(&iterator, mm, 0);
	for_each_vma(iterator, area) {
		if (area->vm_flags & (VM_IO | VM_PFNMAP))
			continue;
		for (address = area->vm_start; address != area->vm_end;
		     address = next) {
			next = litemrc_end_of_table(address, area->vm_end);
			changed += tracker_visit_table(mm, address, next, visit,
						       data);
			if (may_sleep)
				cond_resched();
		}
	}
	return changed;
}

static bool tracker_permit(void *data, unsigned long address, pte_t *entry)
{
	if (!tracker_is_protected(*entry))
		return false;
	set_pte(entry, tracker_permitted_of(*entry));
	return true;
}

/**
 * tracker_entries_permit() - permit all pages
 * @mm: the memory
 * @may_sleep: yield the processor between tables
 *
 * Context: Caller holds the mmap lock, not @lock of the tracker.
 * Return: the number of pages that were protected
 */
u32 tracker_entries_permit(struct mm_struct *mm, bool may_sleep)
{
	return tracker_visit_all(mm, tracker_permit, NULL, may_sleep);
}

struct choice {
	tracker_choose *choose;
	void *data;
};

static bool tracker_protect(void *data, unsigned long address, pte_t *entry)
{
	struct choice *choice = data;

	if (!tracker_is_permitted(*entry) || pte_special(*entry) ||
	    !choice->choose(choice->data, address, pte_pfn(*entry)))
		return false;
	set_pte(entry, pte_mkold(tracker_protected_of(*entry)));
	return true;
}

/**
 * tracker_entries_protect() - protect the pages that are chosen
 * @mm: the memory
 * @choose: whether a page is
 * @data: first argument of @choose
 *
 * Context: Caller holds the mmap lock, not @lock of the tracker.
 */
void tracker_entries_protect(struct mm_struct *mm, tracker_choose *choose,
			     void *data)
{
	struct choice choice = { choose, data };

	tracker_visit_all(mm, tracker_protect, &choice, true);
}
