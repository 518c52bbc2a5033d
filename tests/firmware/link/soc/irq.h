void irq_setie(unsigned int on);
