// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.CPU;

namespace Antmicro.Renode.Peripherals.Timers
{
    // The timer of LiteX's VexRiscv (litex/soc/cores/cpu/vexriscv, VexRiscvTimer) with registers of 32 bits: a write to
    // `latch` samples the time and loads the compare value. Renode's LiteX_CPUTimer has registers of 8 bits.
    public class VexRiscvTimer : IDoubleWordPeripheral, IKnownSize, IRiscVTimeProvider
    {
        public VexRiscvTimer(IMachine machine, uint frequency)
        {
            timer = new ComparingTimer(machine.ClockSource, frequency, this, "time", enabled: true, eventEnabled: true, compare: ulong.MaxValue);
            timer.CompareReached += () => IRQ.Set(true);
        }

        public void Reset()
        {
            timer.Reset();
            latched = 0;
            compare = ulong.MaxValue;
            IRQ.Unset();
        }

        public uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case TimeHigh:
                return (uint)(latched >> 32);
            case TimeLow:
                return (uint)latched;
            case CompareHigh:
                return (uint)(compare >> 32);
            case CompareLow:
                return (uint)compare;
            default:
                return 0;
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            switch(offset)
            {
            case Latch:
                latched = timer.Value;
                timer.Compare = compare;
                IRQ.Set(latched >= compare);
                break;
            case CompareHigh:
                compare = (ulong)value << 32 | (uint)compare;
                break;
            case CompareLow:
                compare = compare >> 32 << 32 | value;
                break;
            }
        }

        public GPIO IRQ { get; } = new GPIO();

        public long Size => 0x14;

        public ulong TimerValue => timer.Value;

        private ulong latched, compare = ulong.MaxValue;
        private readonly ComparingTimer timer;

        // Registers of 64 bits have their upper word first.
        private const long Latch = 0x00, TimeHigh = 0x04, TimeLow = 0x08, CompareHigh = 0x0C, CompareLow = 0x10;
    }
}
