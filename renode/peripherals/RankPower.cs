// SPDX-License-Identifier: BSD-2-Clause
using System;
using Antmicro.Renode.Core;
using Antmicro.Renode.Logging;
using Antmicro.Renode.Peripherals.Bus;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // Rank meter and rank power: registers and window of litex-soc/litemrc_gateware/ranks/registers.py; the monitor's
    // library, which sees the accesses, carries out policies and commands and does the counting.
    //
    // Cycles follow virtual time. A rank needs the given cycles to wake; the processor does not wait for it.
    public class RankPower : IDoubleWordPeripheral, IKnownSize
    {
        public RankPower(IMachine machine, LiteMrcMonitor monitor, uint frequency, int domainsLog2, bool isVirtual, uint states, int groupsLog2, int contextsLog2, uint powerDownExit, uint selfRefreshExit)
        {
            this.machine = machine;
            this.monitor = monitor;
            this.frequency = frequency;
            this.states = states;
            groups = 1u << groupsLog2;
            capabilities = (uint)domainsLog2 << RankRegisters.CapabilitiesDomainsLog2Shift
                | (isVirtual ? RankRegisters.CapabilitiesVirtual : 0)
                | states << RankRegisters.CapabilitiesStatesShift;
            SetRegisters();
            monitor.UpdateTime = UpdateTime;
            monitor.Loaded = model => model.SetRanks(isVirtual, powerDownExit, selfRefreshExit);
        }

        public void Reset()
        {
            reset = machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds;
            SetRegisters();
        }

        public uint ReadDoubleWord(long offset)
        {
            UpdateTime();
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
                return (monitor.Model.ScaleLog2 != 0 ? RankRegisters.MeterStatusSampled : 0)
                    | (monitor.Model.MeterOverflow ? RankRegisters.MeterStatusOverflow : 0);
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
            UpdateTime();
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
                monitor.Model.SetPolicy(Field(value, RankRegisters.PolicyKind, RankRegisters.PolicyKindShift),
                    Field(value, RankRegisters.PolicyStaticState, RankRegisters.PolicyStaticStateShift),
                    Field(value, RankRegisters.PolicyMrcState, RankRegisters.PolicyMrcStateShift),
                    Field(value, RankRegisters.PolicyMrcBase, RankRegisters.PolicyMrcBaseShift));
                break;
            case RankRegisters.ThresholdPowerDown:
            case RankRegisters.ThresholdSelfRefresh:
                monitor.Model.SetThresholds(ValueOf(RankRegisters.ThresholdPowerDown), ValueOf(RankRegisters.ThresholdSelfRefresh));
                break;
            case RankRegisters.Partial:
            case RankRegisters.PartialAllowed:
                monitor.Model.SetPartial(ValueOf(RankRegisters.Partial), ValueOf(RankRegisters.PartialAllowed));
                break;
            }
            monitor.UpdateHook();
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
            var state = Field(value, RankRegisters.CommandState, RankRegisters.CommandStateShift);
            if((states >> (int)state & 1) == 0)
            {
                this.Log(LogLevel.Warning, "the DRAM cannot reach state {0}: command 0x{1:X} ignored", state, value);
                return;
            }
            monitor.Model.Command(Field(value, RankRegisters.CommandDomain, RankRegisters.CommandDomainShift), state);
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

        private void UpdateTime()
        {
            // Else the time is that of the last synchronisation, up to a quantum ago.
            if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
            {
                cpu.SyncTime();
            }
            var seconds = machine.ElapsedVirtualTime.TimeElapsed.TotalSeconds - reset;
            monitor.Model.SetTime((ulong)Math.Round(Math.Max(0, seconds * frequency)));
        }

        private uint ValueOf(long offset) => values[IndexOf(offset)];

        private static uint Field(uint word, uint mask, int shift) => (word & mask) >> shift;

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
        private readonly uint capabilities, states, groups, frequency;
        private readonly IMachine machine;
        private readonly LiteMrcMonitor monitor;
    }
}
