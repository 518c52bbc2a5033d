// SPDX-License-Identifier: BSD-2-Clause
using System;
using Antmicro.Migrant.Hooks;
using Antmicro.Renode.Core;
using Antmicro.Renode.Exceptions;
using Antmicro.Renode.Logging;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.CPU;
using Antmicro.Renode.Peripherals.Timers;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // The MRC monitor: registers, window and interrupt of litex-soc/litemrc_gateware/monitor/monitor.py; liblitemrc_model
    // does the counting. Needs Renode 1.15.2; tested with 1.15.3 and 1.16.1.
    //
    // While control.enable is 1, or a rank sleeps or may fall asleep, a hook passes every load and store of the processor to
    // the model of its caches, whose misses and write-backs are the DRAM accesses. The hook slows the processor, so it is
    // installed only then.
    public class LiteMrcMonitor : IDoubleWordPeripheral, IKnownSize, IDisposable
    {
        public LiteMrcMonitor(IMachine machine, ICPU cpu, uint frequency, ulong memoryBase, int pageShift,
            int framesLog2, int pagesLog2, int groupsLog2, int contextsLog2, int queueLog2, uint engine, uint recentPages, uint ranks,
            uint l1Bytes, uint l1Ways, uint l1LineBytes, uint l2Bytes, uint l2LineBytes, uint accessBytes, uint domains = 0)
        {
            hook = new AccessHook(cpu, OnAccess);
            load = library =>
            {
                var loaded = new LiteMrcModel(library, engine, 1u << framesLog2, 1u << pagesLog2, 1u << groupsLog2, 1u << contextsLog2, recentPages, domains);
                loaded.SetMemory(memoryBase, 1UL << (framesLog2 + pageShift), (uint)pageShift, accessBytes);
                loaded.SetCaches(l1Bytes, l1Ways, l1LineBytes, l2Bytes, l2LineBytes);
                return loaded;
            };
            capabilities = (uint)pageShift << MonitorRegisters.CapabilitiesPageShiftShift
                | (uint)framesLog2 << MonitorRegisters.CapabilitiesFramesLog2Shift
                | (uint)groupsLog2 << MonitorRegisters.CapabilitiesGroupsLog2Shift
                | (uint)contextsLog2 << MonitorRegisters.CapabilitiesContextsLog2Shift
                | (uint)queueLog2 << MonitorRegisters.CapabilitiesQueueLog2Shift
                | engine << MonitorRegisters.CapabilitiesEngineShift
                | ranks << MonitorRegisters.CapabilitiesRanksShift;
            stackCapabilities = (uint)pagesLog2 << MonitorRegisters.StackCapabilitiesPagesLog2Shift
                | recentPages << MonitorRegisters.StackCapabilitiesRecentPagesShift
                | (uint)Register(MonitorRegisters.StackCapabilities).Reset & MonitorRegisters.StackCapabilitiesCommandsLog2;
            lastFrame = (1u << framesLog2) - 1;
            lastContext = (1u << contextsLog2) - 1;

            clock = new LimitTimer(machine.ClockSource, frequency, this, "epoch", eventEnabled: true, autoUpdate: true);
            clock.LimitReached += () =>
            {
                UpdateTime();
                Model.Elapse(epochLength);
                UpdateInterrupt();
            };
            IRQ = new GPIO();
            SetRegisters();
        }

        // Renode saves no state of a library.
        [PreSerialization]
        private void RefuseToBeSaved()
        {
            throw new InvalidOperationException("the state of LiteMRC's monitor is in a C library and cannot be saved: start the machine by its script again");
        }

        public void Reset()
        {
            hook.Install(false);
            clock.Reset();
            model?.Reset();
            SetRegisters();
            IRQ.Unset();
        }

        public void Dispose()
        {
            model?.Dispose();
        }

        // Command "mrc Library @path": loads the model's library; required before any other use.
        public void Library(string path)
        {
            model?.Dispose();
            model = load(path);
            Loaded(model);
        }

        // Of rank power: sets the model's time before each access; prepares a model.
        public Action UpdateTime { get; set; } = () => {};
        public Action<LiteMrcModel> Loaded { get; set; } = model => {};

        // After a change of whatever decides whether the model needs accesses.
        public void UpdateHook()
        {
            hook.Install(Model.NeedsAccesses);
        }

        // Command "mrc Record @path": records the monitor's input for the golden model; "mrc StopRecording" completes the file.
        public void Record(string path)
        {
            Model.Log(path);
        }

        public void StopRecording()
        {
            Model.Log(null);
        }

        public uint ReadDoubleWord(long offset)
        {
            switch(offset)
            {
            case MonitorRegisters.Version:
                return (uint)MonitorRegisters.All[0].Reset;
            case MonitorRegisters.Capabilities:
                return capabilities;
            case MonitorRegisters.StackCapabilities:
                return stackCapabilities;
            case MonitorRegisters.Control:
                return control;
            case MonitorRegisters.Command:
                return command;
            case MonitorRegisters.Context:
                return context;
            case MonitorRegisters.Invalidate:
                return invalidated;
            case MonitorRegisters.EpochLength:
                return epochLength;
            case MonitorRegisters.RangeLower:
                return lower;
            case MonitorRegisters.RangeUpper:
                return upper;
            case MonitorRegisters.Sampling:
                return sampling;
            case MonitorRegisters.Scale:
                return Model.ScaleLog2 << MonitorRegisters.ScaleScaleLog2Shift;
            case MonitorRegisters.Status: // commands take effect at once: none waits or is lost
                return MonitorRegisters.StatusIdle
                    | (Model.EpochReady ? MonitorRegisters.StatusEpochReady : 0)
                    | (Model.EpochDue ? MonitorRegisters.StatusEpochDue : 0)
                    | (Model.Overflow ? MonitorRegisters.StatusOverflow : 0)
                    | (Model.Frozen ? MonitorRegisters.StatusFrozen : 0);
            case MonitorRegisters.Epoch:
                return Model.Epoch;
            case MonitorRegisters.EpochOutside:
                return Model.EpochOutside;
            case MonitorRegisters.EpochUnsampled:
                return Model.EpochUnsampled;
            case MonitorRegisters.EpochDropped: // there is no queue, so no access is dropped
            case MonitorRegisters.Dropped:
            case MonitorRegisters.QueuePeak:
                return 0;
            case MonitorRegisters.EvStatus:
            case MonitorRegisters.EvPending: // a level: pending while it is asserted
                return Model.EpochReady ? MonitorRegisters.EvPendingEpoch : 0;
            case MonitorRegisters.EvEnable:
                return eventEnable;
            default:
                this.LogUnhandledRead(offset);
                return 0;
            }
        }

        public void WriteDoubleWord(long offset, uint value)
        {
            UpdateTime();
            switch(offset)
            {
            case MonitorRegisters.Control:
                control = value & ControlMask;
                Apply();
                break;
            case MonitorRegisters.Command:
                Command(value);
                break;
            case MonitorRegisters.Context:
                context = value & lastContext;
                Model.SetContext(context);
                break;
            case MonitorRegisters.Invalidate:
                invalidated = value & lastFrame;
                Model.Invalidate(invalidated);
                break;
            case MonitorRegisters.EpochLength:
                epochLength = value;
                Model.SetEpochLength(value);
                StartClock();
                break;
            case MonitorRegisters.RangeLower:
                lower = value & lastFrame;
                Model.SetFilter(lower, upper, sampling, Split);
                break;
            case MonitorRegisters.RangeUpper:
                upper = value & lastFrame;
                Model.SetFilter(lower, upper, sampling, Split);
                break;
            case MonitorRegisters.Sampling:
                sampling = value & SamplingMask;
                Model.SetFilter(lower, upper, sampling, Split);
                break;
            case MonitorRegisters.EvPending: // `release` clears the level
                break;
            case MonitorRegisters.EvEnable:
                eventEnable = value & MonitorRegisters.EvEnableEpoch;
                break;
            default:
                this.LogUnhandledWrite(offset, value);
                break;
            }
            UpdateInterrupt();
        }

        [ConnectionRegion("window")]
        public uint ReadWindow(long offset)
        {
            return Model.Window((uint)(offset / 4));
        }

        [ConnectionRegion("window")]
        public void WriteWindow(long offset, uint value)
        {
            this.Log(LogLevel.Warning, "the window is read-only: 0x{0:X} not written at 0x{1:X}", value, offset);
        }

        public GPIO IRQ { get; }

        public long Size => 4L * MonitorRegisters.All.Length;

        public ulong DramAccesses => Model.DramAccesses;

        public ulong HookedAccesses => hooked;

        private void SetRegisters()
        {
            control = MonitorRegisters.ControlHold;
            context = command = invalidated = epochLength = lower = sampling = eventEnable = 0;
            upper = lastFrame;
        }

        private void Apply()
        {
            Model.Control(Enabled, (control & MonitorRegisters.ControlHold) != 0, ByCycles,
                (control & MonitorRegisters.ControlFreeze) != 0, (control & MonitorRegisters.ControlSingleShot) != 0);
            Model.SetFilter(lower, upper, sampling, Split);
            UpdateHook();
            StartClock();
        }

        private void Command(uint value)
        {
            command = value & CommandMask;
            if((value & MonitorRegisters.CommandClear) != 0)
            {
                Model.Clear();
            }
            if((value & MonitorRegisters.CommandArm) != 0)
            {
                Model.Arm();
            }
            if((value & MonitorRegisters.CommandRelease) != 0)
            {
                Model.Release();
            }
            if((value & MonitorRegisters.CommandEndEpoch) != 0)
            {
                Model.EndEpoch();
            }
        }

        // Epochs measured in cycles; the model itself ends those measured in accesses.
        private void StartClock()
        {
            clock.Enabled = false;
            if(ByCycles && Enabled && epochLength != 0)
            {
                clock.Limit = epochLength;
                clock.Value = epochLength;
                clock.Enabled = true;
            }
        }

        private void OnAccess(ulong address, bool write)
        {
            hooked++;
            UpdateTime();
            if(Model.Access(address, write) != 0)
            {
                UpdateInterrupt();
            }
        }

        private void UpdateInterrupt()
        {
            IRQ.Set(eventEnable != 0 && Model.EpochReady);
        }

        public LiteMrcModel Model
        {
            get
            {
                if(model == null)
                {
                    throw new RecoverableException("the monitor has no model: make models, then: mrc Library @build/models/liblitemrc_model.so");
                }
                return model;
            }
        }

        private static LiteMrcRegister Register(long offset)
        {
            return Array.Find(MonitorRegisters.All, register => register.Offset == offset);
        }

        private bool Enabled => (control & MonitorRegisters.ControlEnable) != 0;
        private bool Split => (control & MonitorRegisters.ControlSplit) != 0;
        private bool ByCycles => (control & MonitorRegisters.ControlEpochUnit) != 0;

        private uint control, context, command, invalidated, epochLength, lower, upper, sampling, eventEnable;
        private ulong hooked;
        private readonly uint capabilities, stackCapabilities, lastFrame, lastContext;
        private readonly AccessHook hook;
        private LiteMrcModel model;
        private readonly Func<string, LiteMrcModel> load;
        private readonly LimitTimer clock;

        private const uint ControlMask = MonitorRegisters.ControlEnable | MonitorRegisters.ControlHold
            | MonitorRegisters.ControlEpochUnit | MonitorRegisters.ControlFreeze | MonitorRegisters.ControlSingleShot
            | MonitorRegisters.ControlSplit;
        private const uint CommandMask = MonitorRegisters.CommandClear | MonitorRegisters.CommandEndEpoch
            | MonitorRegisters.CommandRelease | MonitorRegisters.CommandArm | MonitorRegisters.CommandAcknowledge;
        private static readonly uint SamplingMask = Register(MonitorRegisters.Sampling).Mask;
    }
}
