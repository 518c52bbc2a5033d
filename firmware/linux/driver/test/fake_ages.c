// SPDX-License-Identifier: GPL-2.0
/*
 * Accessed bits of the writer's page table entries. qemu sets them, VexRiscv
 * does not.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "litemrc_fake.h"

/* Returns the entry of an address, or NULL. Caller holds the mmap lock. */
static pte_t *find_entry(struct mm_struct *mm, unsigned long address,
			 spinlock_t **lock)
{
	pgd_t *pgd = pgd_offset(mm, address);
	pmd_t *pmd;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	pmd = pmd_offset(pud_offset(p4d_offset(pgd, address), address),
			 address);
	if (pmd_none(*pmd) || pmd_bad(*pmd))
		return NULL;
	*lock = pte_lockptr(mm, pmd);
	return pte_offset_kernel(pmd, address);
}

/* Writing an address of the writer makes its entry old. */
static ssize_t age_store(struct device *device,
			 struct device_attribute *attribute, const char *text,
			 size_t bytes)
{
	unsigned long address;
	spinlock_t *lock; /* of the table */
	pte_t *entry;
	int ret;

	ret = kstrtoul(text, 0, &address);
	if (ret)
		return ret;
	mmap_read_lock(current->mm);
	entry = find_entry(current->mm, address, &lock);
	if (entry) {
		spin_lock(lock);
		if (pte_present(*entry))
			set_pte(entry, pte_mkold(*entry));
		spin_unlock(lock);
		/* qemu keeps that it has set the bit. */
		asm volatile("sfence.vma %0" : : "r"(address) : "memory");
	}
	mmap_read_unlock(current->mm);
	return bytes;
}
static DEVICE_ATTR_WO(age);

/*
 * Writing an address of the writer logs its page number, as young, old or
 * absent.
 */
static ssize_t state_of_store(struct device *device,
			      struct device_attribute *attribute,
			      const char *text, size_t bytes)
{
	struct fake *fake = fake_of_device(device);
	enum fake_kind kind = FAKE_ABSENT;
	unsigned long address, flags;
	spinlock_t *lock; /* of the table */
	pte_t *entry;
	int ret;

	ret = kstrtoul(text, 0, &address);
	if (ret)
		return ret;
	mmap_read_lock(current->mm);
	entry = find_entry(current->mm, address, &lock);
	if (entry && pte_present(READ_ONCE(*entry)))
		kind = pte_young(READ_ONCE(*entry)) ? FAKE_YOUNG : FAKE_OLD;
	mmap_read_unlock(current->mm);
	raw_spin_lock_irqsave(&fake->lock, flags);
	fake_log(fake, kind, address >> PAGE_SHIFT);
	raw_spin_unlock_irqrestore(&fake->lock, flags);
	return bytes;
}
static DEVICE_ATTR_WO(state_of);

static struct attribute *attributes[] = { &dev_attr_age.attr,
					  &dev_attr_state_of.attr, NULL };

const struct attribute_group fake_ages_group = {
	.name = "ages",
	.attrs = attributes,
};
