/* A SoC whose registers are an array and whose DRAM lies where the test says: for firmware/baremetal. */
#include <stdint.h>

#define CSR_RANKS_BASE 0
#define CSR_MRC_BASE 0x1000
