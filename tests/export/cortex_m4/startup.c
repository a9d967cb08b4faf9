/* Reset of a Cortex-M4F: floating-point unit on, then the C library's start, which talks to the emulator. */
#include <stdint.h>

extern void _start(void);
void reset(void);

__attribute__((section(".vectors"), used)) const uintptr_t vectors[16] = {0x20400000u, (uintptr_t)reset};

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\n isb");
    _start();
}
