"""The registers of the monitor and of the ranks as C#, for the peripherals of Renode."""


def registers_csharp(blocks, enums, constants, repair):
    """Return the text of Registers.cs.

    Parameters
    ----------
    blocks : dict
        what ``litemrc_gateware.export.registers.registers`` returns.
    enums : dict
        enumerations by the name they get.
    constants : dict
        numbers by the name they get.
    repair : str
        the command that writes the file.
    """
    lines = [
        "// SPDX-License-Identifier: BSD-2-Clause",
        f"// Generated from the gateware by: {repair}. Do not edit.",
        "namespace Antmicro.Renode.Peripherals.Miscellaneous",
        "{",
        "    // One register of a block: bytes from its base, bits, and what it holds after reset.",
        "    public class LiteMrcRegister",
        "    {",
        "        public LiteMrcRegister(string name, long offset, int bits, bool readOnly, ulong reset)",
        "        {",
        "            Name = name;",
        "            Offset = offset;",
        "            Bits = bits;",
        "            Mask = bits >= 32 ? uint.MaxValue : (1u << bits) - 1;",
        "            ReadOnly = readOnly;",
        "            Reset = reset;",
        "        }",
        "",
        "        public readonly string Name;",
        "        public readonly long Offset;",
        "        public readonly int Bits;",
        "        public readonly uint Mask;",
        "        public readonly bool ReadOnly;",
        "        public readonly ulong Reset;",
        "    }",
        "",
        *_block("MonitorRegisters", blocks["mrc"]),
        "",
        *_block("RankRegisters", blocks["ranks"]),
        "",
        "    public static class LiteMrcConstants",
        "    {",
        *(f"        public const int {name} = {value};" for name, value in constants.items()),
        "    }",
    ]
    for name, enum in enums.items():
        members = [
            f"        {_camel(member)} = {int(number)}," for member, number in enum.__members__.items()
        ]
        lines += ["", f"    public enum LiteMrc{name}", "    {", *members, "    }"]
    return "\n".join([*lines, "}", ""])


def _block(name, found):
    lines = [f"    public static class {name}", "    {"]
    for register in found:
        camel = _camel(register.name)
        lines.append(f"        public const long {camel} = 0x{register.offset:02X};")
        for field in register.fields:
            mask = ((1 << field.size) - 1) << field.offset
            lines.append(f"        public const int {camel}{_camel(field.name)}Shift = {field.offset};")
            lines.append(f"        public const uint {camel}{_camel(field.name)} = 0x{mask:08X};")
    lines += ["", "        public static readonly LiteMrcRegister[] All =", "        {"]
    for register in found:
        read_only = str(register.access == "read-only").lower()
        lines.append(
            f'            new LiteMrcRegister("{register.name}", {_camel(register.name)}, {register.size}, '
            f"{read_only}, 0x{register.reset:X}),"
        )
    return [*lines, "        };", "    }"]


def _camel(name):
    return "".join(part.capitalize() for part in name.split("_"))
