// SPDX-License-Identifier: BSD-2-Clause
// Generated from the gateware by: python litex-soc/renode_export.py. Do not edit.
namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    // One register of a block: bytes from its base, bits, and what it holds after reset.
    public class LiteMrcRegister
    {
        public LiteMrcRegister(string name, long offset, int bits, bool readOnly, ulong reset)
        {
            Name = name;
            Offset = offset;
            Bits = bits;
            Mask = bits >= 32 ? uint.MaxValue : (1u << bits) - 1;
            ReadOnly = readOnly;
            Reset = reset;
        }

        public readonly string Name;
        public readonly long Offset;
        public readonly int Bits;
        public readonly uint Mask;
        public readonly bool ReadOnly;
        public readonly ulong Reset;
    }

    public static class MonitorRegisters
    {
        public const long Version = 0x00;
        public const long Capabilities = 0x04;
        public const int CapabilitiesPageShiftShift = 0;
        public const uint CapabilitiesPageShift = 0x0000001F;
        public const int CapabilitiesFramesLog2Shift = 5;
        public const uint CapabilitiesFramesLog2 = 0x000003E0;
        public const int CapabilitiesGroupsLog2Shift = 10;
        public const uint CapabilitiesGroupsLog2 = 0x00003C00;
        public const int CapabilitiesContextsLog2Shift = 14;
        public const uint CapabilitiesContextsLog2 = 0x0003C000;
        public const int CapabilitiesQueueLog2Shift = 18;
        public const uint CapabilitiesQueueLog2 = 0x007C0000;
        public const int CapabilitiesEngineShift = 23;
        public const uint CapabilitiesEngine = 0x07800000;
        public const int CapabilitiesRanksShift = 27;
        public const uint CapabilitiesRanks = 0x78000000;
        public const long StackCapabilities = 0x08;
        public const int StackCapabilitiesPagesLog2Shift = 0;
        public const uint StackCapabilitiesPagesLog2 = 0x0000001F;
        public const int StackCapabilitiesRecentPagesShift = 5;
        public const uint StackCapabilitiesRecentPages = 0x000001E0;
        public const int StackCapabilitiesCommandsLog2Shift = 9;
        public const uint StackCapabilitiesCommandsLog2 = 0x00001E00;
        public const int StackCapabilitiesPageBitmapShift = 13;
        public const uint StackCapabilitiesPageBitmap = 0x00002000;
        public const int StackCapabilitiesHotPagesLog2Shift = 14;
        public const uint StackCapabilitiesHotPagesLog2 = 0x0003C000;
        public const long Control = 0x0C;
        public const int ControlEnableShift = 0;
        public const uint ControlEnable = 0x00000001;
        public const int ControlHoldShift = 1;
        public const uint ControlHold = 0x00000002;
        public const int ControlEpochUnitShift = 2;
        public const uint ControlEpochUnit = 0x00000004;
        public const int ControlFreezeShift = 3;
        public const uint ControlFreeze = 0x00000008;
        public const int ControlSingleShotShift = 4;
        public const uint ControlSingleShot = 0x00000010;
        public const int ControlSplitShift = 5;
        public const uint ControlSplit = 0x00000020;
        public const long Command = 0x10;
        public const int CommandClearShift = 0;
        public const uint CommandClear = 0x00000001;
        public const int CommandEndEpochShift = 1;
        public const uint CommandEndEpoch = 0x00000002;
        public const int CommandReleaseShift = 2;
        public const uint CommandRelease = 0x00000004;
        public const int CommandArmShift = 3;
        public const uint CommandArm = 0x00000008;
        public const int CommandAcknowledgeShift = 4;
        public const uint CommandAcknowledge = 0x00000010;
        public const long Context = 0x14;
        public const long Invalidate = 0x18;
        public const long EpochLength = 0x1C;
        public const long RangeLower = 0x20;
        public const long RangeUpper = 0x24;
        public const long Sampling = 0x28;
        public const long Scale = 0x2C;
        public const int ScaleScaleLog2Shift = 0;
        public const uint ScaleScaleLog2 = 0x0000001F;
        public const long Status = 0x30;
        public const int StatusIdleShift = 0;
        public const uint StatusIdle = 0x00000001;
        public const int StatusCommandPendingShift = 1;
        public const uint StatusCommandPending = 0x00000002;
        public const int StatusEpochReadyShift = 2;
        public const uint StatusEpochReady = 0x00000004;
        public const int StatusEpochDueShift = 3;
        public const uint StatusEpochDue = 0x00000008;
        public const int StatusOverflowShift = 4;
        public const uint StatusOverflow = 0x00000010;
        public const int StatusFrozenShift = 5;
        public const uint StatusFrozen = 0x00000020;
        public const int StatusCommandLostShift = 6;
        public const uint StatusCommandLost = 0x00000040;
        public const int StatusCommandLateShift = 7;
        public const uint StatusCommandLate = 0x00000080;
        public const long Epoch = 0x34;
        public const long EpochDropped = 0x38;
        public const long EpochOutside = 0x3C;
        public const long EpochUnsampled = 0x40;
        public const long Dropped = 0x44;
        public const long QueuePeak = 0x48;
        public const long EvStatus = 0x4C;
        public const int EvStatusEpochShift = 0;
        public const uint EvStatusEpoch = 0x00000001;
        public const int EvStatusHotShift = 1;
        public const uint EvStatusHot = 0x00000002;
        public const long EvPending = 0x50;
        public const int EvPendingEpochShift = 0;
        public const uint EvPendingEpoch = 0x00000001;
        public const int EvPendingHotShift = 1;
        public const uint EvPendingHot = 0x00000002;
        public const long EvEnable = 0x54;
        public const int EvEnableEpochShift = 0;
        public const uint EvEnableEpoch = 0x00000001;
        public const int EvEnableHotShift = 1;
        public const uint EvEnableHot = 0x00000002;
        public const long HotControl = 0x58;
        public const int HotControlEnableShift = 0;
        public const uint HotControlEnable = 0x00000001;
        public const int HotControlReadsShift = 1;
        public const uint HotControlReads = 0x00000002;
        public const int HotControlWritesShift = 2;
        public const uint HotControlWrites = 0x00000004;
        public const int HotControlAlwaysOnShift = 3;
        public const uint HotControlAlwaysOn = 0x00000008;
        public const int HotControlSamplingLog2Shift = 4;
        public const uint HotControlSamplingLog2 = 0x000000F0;
        public const long HotThreshold = 0x5C;
        public const long HotWanted = 0x60;
        public const long HotLower = 0x64;
        public const long HotUpper = 0x68;
        public const long HotWatermark = 0x6C;
        public const long HotCommand = 0x70;
        public const int HotCommandTakeShift = 0;
        public const uint HotCommandTake = 0x00000001;
        public const int HotCommandAcknowledgeShift = 1;
        public const uint HotCommandAcknowledge = 0x00000002;
        public const long HotStatus = 0x74;
        public const int HotStatusListedShift = 0;
        public const uint HotStatusListed = 0x0000FFFF;
        public const int HotStatusMoreShift = 16;
        public const uint HotStatusMore = 0x00010000;
        public const int HotStatusSaturatedShift = 17;
        public const uint HotStatusSaturated = 0x00020000;
        public const int HotStatusQueueOverflowShift = 18;
        public const uint HotStatusQueueOverflow = 0x00040000;
        public const int HotStatusWaitingShift = 19;
        public const uint HotStatusWaiting = 0x00080000;
        public const long HotAccesses = 0x78;
        public const long HotQueue = 0x7C;
        public const int HotQueueFrameShift = 0;
        public const uint HotQueueFrame = 0x7FFFFFFF;
        public const int HotQueueValidShift = 31;
        public const uint HotQueueValid = 0x80000000;

        public static readonly LiteMrcRegister[] All =
        {
            new LiteMrcRegister("version", Version, 16, true, 0x3),
            new LiteMrcRegister("capabilities", Capabilities, 31, true, 0x924D9AC),
            new LiteMrcRegister("stack_capabilities", StackCapabilities, 18, true, 0x1882D),
            new LiteMrcRegister("control", Control, 6, false, 0x2),
            new LiteMrcRegister("command", Command, 5, false, 0x0),
            new LiteMrcRegister("context", Context, 3, false, 0x0),
            new LiteMrcRegister("invalidate", Invalidate, 13, false, 0x0),
            new LiteMrcRegister("epoch_length", EpochLength, 32, false, 0x0),
            new LiteMrcRegister("range_lower", RangeLower, 13, false, 0x0),
            new LiteMrcRegister("range_upper", RangeUpper, 13, false, 0x1FFF),
            new LiteMrcRegister("sampling", Sampling, 4, false, 0x0),
            new LiteMrcRegister("scale", Scale, 5, true, 0x0),
            new LiteMrcRegister("status", Status, 8, true, 0x0),
            new LiteMrcRegister("epoch", Epoch, 32, true, 0x0),
            new LiteMrcRegister("epoch_dropped", EpochDropped, 32, true, 0x0),
            new LiteMrcRegister("epoch_outside", EpochOutside, 32, true, 0x0),
            new LiteMrcRegister("epoch_unsampled", EpochUnsampled, 32, true, 0x0),
            new LiteMrcRegister("dropped", Dropped, 32, true, 0x0),
            new LiteMrcRegister("queue_peak", QueuePeak, 16, true, 0x0),
            new LiteMrcRegister("ev_status", EvStatus, 2, true, 0x0),
            new LiteMrcRegister("ev_pending", EvPending, 2, false, 0x0),
            new LiteMrcRegister("ev_enable", EvEnable, 2, false, 0x0),
            new LiteMrcRegister("hot_control", HotControl, 8, false, 0x6),
            new LiteMrcRegister("hot_threshold", HotThreshold, 20, false, 0x2),
            new LiteMrcRegister("hot_wanted", HotWanted, 7, false, 0x40),
            new LiteMrcRegister("hot_lower", HotLower, 13, false, 0x0),
            new LiteMrcRegister("hot_upper", HotUpper, 13, false, 0x1FFF),
            new LiteMrcRegister("hot_watermark", HotWatermark, 5, false, 0x1),
            new LiteMrcRegister("hot_command", HotCommand, 2, false, 0x0),
            new LiteMrcRegister("hot_status", HotStatus, 20, true, 0x0),
            new LiteMrcRegister("hot_accesses", HotAccesses, 32, true, 0x0),
            new LiteMrcRegister("hot_queue", HotQueue, 32, true, 0x0),
        };
    }

    public static class RankRegisters
    {
        public const long Version = 0x00;
        public const long Capabilities = 0x04;
        public const int CapabilitiesDomainsLog2Shift = 0;
        public const uint CapabilitiesDomainsLog2 = 0x0000000F;
        public const int CapabilitiesVirtualShift = 4;
        public const uint CapabilitiesVirtual = 0x00000010;
        public const int CapabilitiesStatesShift = 5;
        public const uint CapabilitiesStates = 0x00001FE0;
        public const long Policy = 0x08;
        public const int PolicyKindShift = 0;
        public const uint PolicyKind = 0x00000003;
        public const int PolicyStaticStateShift = 2;
        public const uint PolicyStaticState = 0x0000001C;
        public const int PolicyMrcStateShift = 5;
        public const uint PolicyMrcState = 0x000000E0;
        public const int PolicyMrcBaseShift = 8;
        public const uint PolicyMrcBase = 0x00000300;
        public const long ThresholdPowerDown = 0x0C;
        public const long ThresholdSelfRefresh = 0x10;
        public const long Command = 0x14;
        public const int CommandDomainShift = 0;
        public const uint CommandDomain = 0x0000000F;
        public const int CommandStateShift = 4;
        public const uint CommandState = 0x00000070;
        public const long Partial = 0x18;
        public const long PartialAllowed = 0x1C;
        public const long State = 0x20;
        public const long Working = 0x28;
        public const long NMrc = 0x2C;
        public const long NMrcAuto = 0x30;
        public const int NMrcAutoEnableShift = 0;
        public const uint NMrcAutoEnable = 0x00000001;
        public const int NMrcAutoEpsilonShift = 16;
        public const uint NMrcAutoEpsilon = 0xFFFF0000;
        public const long MeterStatus = 0x34;
        public const int MeterStatusOverflowShift = 0;
        public const uint MeterStatusOverflow = 0x00000001;
        public const int MeterStatusSampledShift = 1;
        public const uint MeterStatusSampled = 0x00000002;
        public const long SnapshotClocks = 0x38;

        public static readonly LiteMrcRegister[] All =
        {
            new LiteMrcRegister("version", Version, 16, true, 0x1),
            new LiteMrcRegister("capabilities", Capabilities, 13, true, 0x3E4),
            new LiteMrcRegister("policy", Policy, 10, false, 0x68),
            new LiteMrcRegister("threshold_power_down", ThresholdPowerDown, 32, false, 0x0),
            new LiteMrcRegister("threshold_self_refresh", ThresholdSelfRefresh, 32, false, 0x0),
            new LiteMrcRegister("command", Command, 7, false, 0x0),
            new LiteMrcRegister("partial", Partial, 3, false, 0x0),
            new LiteMrcRegister("partial_allowed", PartialAllowed, 16, false, 0x0),
            new LiteMrcRegister("state", State, 64, true, 0x0),
            new LiteMrcRegister("working", Working, 16, true, 0x0),
            new LiteMrcRegister("n_mrc", NMrc, 9, false, 0x40),
            new LiteMrcRegister("n_mrc_auto", NMrcAuto, 32, false, 0x0),
            new LiteMrcRegister("meter_status", MeterStatus, 2, true, 0x0),
            new LiteMrcRegister("snapshot_clocks", SnapshotClocks, 32, true, 0x0),
        };
    }

    public static class LiteMrcConstants
    {
        public const int RankStateBits = 4;
    }

    public enum LiteMrcPowerState
    {
        ActiveStandby = 0,
        PrechargeStandby = 1,
        PowerDown = 2,
        SelfRefresh = 3,
        SelfRefreshPartial = 4,
    }

    public enum LiteMrcRankPolicy
    {
        None = 0,
        Static = 1,
        Dynamic = 2,
        Mrc = 3,
    }

    public enum LiteMrcMeterWord
    {
        Reads = 0,
        Writes = 1,
        Activates = 2,
        Refreshes = 3,
        ActiveStandby = 4,
        PrechargeStandby = 5,
        PowerDown = 6,
        SelfRefresh = 7,
        SelfRefreshPartial = 8,
        EnteredPowerDown = 9,
        EnteredSelfRefresh = 10,
        EnteredSelfRefreshPartial = 11,
        WakeUps = 12,
        Waking = 13,
        Idle = 14,
        TopPages = 15,
    }
}
