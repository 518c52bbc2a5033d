// SPDX-License-Identifier: BSD-2-Clause
using Antmicro.Renode.Core;
using Antmicro.Renode.Logging;
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // Rank meter and rank power: registers and window of litex-soc/litemrc_gateware/ranks/registers.py; the monitor's
    // library, which sees the accesses, does the counting.
    //
    // A command puts a domain to sleep; an access seen by the monitor wakes it, so no domain wakes while the monitor is
    // disabled. The hardware's policies (static, dynamic, mrc) are stored in their registers but not executed. Cycles
    // follow virtual time and are updated when registers are accessed.
    public class RankPower : IDoubleWordPeripheral, IKnownSize
    {
        public RankPower(IMachine machine, LiteMrcMonitor monitor, uint frequency, int domainsLog2, bool isVirtual, uint states, int groupsLog2, int contextsLog2)
        {
            this.machine = machine;
            this.monitor = monitor;
            this.frequency = frequency;
            this.isVirtual = isVirtual;
            this.states = states;
            domains = 1u << domainsLog2;
            groups = 1u << groupsLog2;
            capabilities = (uint)domainsLog2 << RankRegisters.CapabilitiesDomainsLog2Shift
                | (isVirtual ? RankRegisters.CapabilitiesVirtual : 0)
                | states << RankRegisters.CapabilitiesStatesShift;
            SetRegisters();
        }

        public void Reset()
        {
            reset = machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds;
            SetRegisters();
        }

        public uint ReadDoubleWord(long offset)
        {
            Tell();
            switch(offset)
            {
            case RankRegisters.Capabilities:
                return capabilities;
            case RankRegisters.State: // upper word first
                return StateWord(8);
            case RankRegisters.State + 4:
                return StateWord(0);
            case RankRegisters.Working:
                return monitor.Model.Working;
            case RankRegisters.SnapshotClocks:
                return monitor.Model.SnapshotClocks;
            case RankRegisters.MeterStatus:
                return monitor.Model.ScaleLog2 != 0 ? RankRegisters.MeterStatusSampled : 0;
            default:
                var index = IndexOf(offset);
                if(index < 0)
                {
                    this.LogUnhandledRead(offset);
                    return 0;
                }
                return values[index];
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            Tell();
            var index = IndexOf(offset);
            if(index < 0 || RankRegisters.All[index].ReadOnly)
            {
                this.LogUnhandledWrite(offset, value);
                return;
            }
            values[index] = value & RankRegisters.All[index].Mask;
            switch(offset)
            {
            case RankRegisters.Command:
                Command(value);
                break;
            case RankRegisters.NMrc:
                monitor.Model.SetNMrc(values[index]);
                break;
            case RankRegisters.NMrcAuto:
                monitor.Model.SetNMrcAuto((value & RankRegisters.NMrcAutoEnable) != 0, value >> RankRegisters.NMrcAutoEpsilonShift);
                break;
            case RankRegisters.Policy:
                if((value & RankRegisters.PolicyKind) != (uint)LiteMrcRankPolicy.None)
                {
                    this.Log(LogLevel.Warning, "policies of the hardware are not modelled: domains sleep by command only");
                }
                break;
            }
        }

        [ConnectionRegion("window")]
        public uint ReadWindow(long offset)
        {
            return monitor.Model.MeterWindow((uint)(offset / 4));
        }

        [ConnectionRegion("window")]
        public void WriteWindow(long offset, uint value)
        {
            this.Log(LogLevel.Warning, "the window is read-only: 0x{0:X} not written at 0x{1:X}", value, offset);
        }

        public long Size => RankRegisters.SnapshotClocks + 4;

        private void SetRegisters()
        {
            for(var i = 0; i < values.Length; i++)
            {
                values[i] = (uint)RankRegisters.All[i].Reset;
            }
            values[IndexOf(RankRegisters.NMrc)] = groups;
        }

        private void Command(uint value)
        {
            var domain = (value & RankRegisters.CommandDomain) >> RankRegisters.CommandDomainShift;
            var state = (value & RankRegisters.CommandState) >> RankRegisters.CommandStateShift;
            if((states >> (int)state & 1) == 0 && state != 0)
            {
                return;
            }
            for(var each = 0u; each < domains; each++)
            {
                if(isVirtual || each == domain)
                {
                    monitor.Model.Command(each, MayLose(each) || state != (uint)LiteMrcPowerState.SelfRefreshPartial ? state : (uint)LiteMrcPowerState.SelfRefresh);
                }
            }
        }

        private bool MayLose(uint domain)
        {
            return (values[IndexOf(RankRegisters.PartialAllowed)] >> (int)domain & 1) != 0;
        }

        // Of the eight domains from one on.
        private uint StateWord(uint first)
        {
            var word = 0u;
            for(var i = 0u; i < 32 / LiteMrcConstants.RankStateBits; i++)
            {
                word |= monitor.Model.State(first + i) << (int)(i * LiteMrcConstants.RankStateBits);
            }
            return word;
        }

        private void Tell()
        {
            monitor.Model.SetTime((ulong)((machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds - reset) * frequency));
        }

        private static int IndexOf(long offset)
        {
            for(var i = 0; i < RankRegisters.All.Length; i++)
            {
                if(RankRegisters.All[i].Offset == offset)
                {
                    return i;
                }
            }
            return -1;
        }

        private double reset; // seconds of virtual time
        private readonly uint[] values = new uint[RankRegisters.All.Length];
        private readonly uint capabilities, states, domains, groups, frequency;
        private readonly bool isVirtual;
        private readonly IMachine machine;
        private readonly LiteMrcMonitor monitor;
    }
}
