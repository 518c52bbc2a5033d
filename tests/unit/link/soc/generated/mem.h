#include <stdint.h>

extern uint32_t dram_base;

#define MAIN_RAM_BASE dram_base
#define MAIN_RAM_SIZE (1u << 24)
#define RANKS_WINDOW_BASE 0
#define MRC_WINDOW_BASE 0
