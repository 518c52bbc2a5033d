/* SPDX-License-Identifier: BSD-2-Clause */
void irq_setie(unsigned int on);
