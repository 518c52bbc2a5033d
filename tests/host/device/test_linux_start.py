# SPDX-License-Identifier: BSD-2-Clause
"""Linux starts from a snapshot of exactly these inputs, or boots and says why. The simulator is a script."""

import json

import pytest
from litemrc.device.simulation.dram_files import DRAMLayout
from litemrc.device.simulation.linux_start import LinuxBuild
from litemrc.errors import UserError

# A boot prints what a restored run prints at once; its state is the number of boots so far.
VSIM = """\
#!/bin/sh
echo 4321 > link.port
case "$1" in +restore=*) echo "restored $(cat "${1#+restore=}")"; read line; exit 0;; esac
trap 'cp BOOTS snapshot.new; mv snapshot.new snapshot.state' USR1
trap 'exit 0' TERM
echo boot >> BOOTS
echo 'LiteMRC: Linux 6.1.0, init done after 1.0 s'
echo 'litemrcd: serves /dev/ttyLXU1, 4 programs'
printf '# '
while :; do sleep 0.01; done
"""
LAYOUT = DRAMLayout(["bank0", "bank1"], word_bytes=4, row_words=2, bytes=64, base=0x4000_0000)
LISTED = [{"file": "Image", "address": 0x4000_0000, "bytes": 3}]


@pytest.fixture
def build(tmp_path):
    gateware, images = tmp_path / "sim/gateware", tmp_path / "images"
    for folder in (gateware / "obj_dir", gateware / "modules", images):
        folder.mkdir(parents=True)
    write_simulator(tmp_path, VSIM)
    (gateware / "modules/console.so").write_bytes(b"console")
    (gateware / "sim_config.js").write_text("[]")
    (tmp_path / "sim/dram.json").write_text(json.dumps(vars(LAYOUT)))
    (tmp_path / "shim.bin").write_bytes(b"shim")
    (images / "Image").write_bytes(b"abc")
    (images / "images.json").write_text(json.dumps(LISTED))
    return LinuxBuild(tmp_path / "sim", tmp_path / "shim.bin", images)


def write_simulator(folder, script):
    binary = folder / "sim/gateware/obj_dir/Vsim"
    binary.write_text(script.replace("BOOTS", str(folder / "boots")))
    binary.chmod(0o755)


def boots(build):
    return (build.sim.parent / "boots").read_text().count("boot")


def start(build, **options):
    """Start, and return what is said of a boot, and the lines of its console that are shown."""
    notices, lines = [], []
    simulator = build.simulator(
        build.sim.parent / "run", on_boot=notices.append, on_line=lines.append, **options
    )
    with simulator as running:
        running.wait_console("# " if options.get("cold") else "restored boot", 30)
    return notices, lines


def test_the_first_start_boots_and_the_next_do_not(build):
    notices, lines = start(build)
    assert len(notices) == 1 and "there is no snapshot" in notices[0] and "console.log" in notices[0]
    assert [line.split(":")[0] for line in lines] == ["LiteMRC", "litemrcd"]
    assert start(build) == start(build) == ([], [])
    assert boots(build) == 1


def test_a_cold_start_boots_and_leaves_the_snapshot_alone(build):
    start(build)
    before = sorted((path.name, path.read_bytes()) for path in build.snapshots.glob("*.*"))
    assert start(build, cold=True) == ([], [])
    assert boots(build) == 2
    assert before == sorted((path.name, path.read_bytes()) for path in build.snapshots.glob("*.*"))


@pytest.mark.parametrize("changed", ["images/Image", "shim.bin", "sim/gateware/modules/console.so"])
def test_a_snapshot_of_other_inputs_is_not_used_and_this_is_said(build, changed):
    start(build)
    path = build.sim.parent / changed
    path.write_bytes(path.read_bytes()[::-1])
    (notice,), _ = start(build)
    name = "simulator" if changed.startswith("sim/") else path.name
    assert "is stale" in notice and name in notice
    assert boots(build) == 2 and start(build) == ([], [])
    assert len(list(build.snapshots.glob("*.state"))) == 1


def test_a_changed_simulator_is_another_input(build):
    start(build)
    write_simulator(build.sim.parent, VSIM + "# another\n")
    (notice,), _ = start(build)
    assert "is stale (simulator changed)" in notice


def flip_a_bit(build):
    (state,) = build.snapshots.glob("*.state")
    state.write_bytes(bytes([state.read_bytes()[0] ^ 1]) + state.read_bytes()[1:])


def cut(build):
    (state,) = build.snapshots.glob("*.state")
    state.write_bytes(state.read_bytes()[:-1])


def remove(build):
    for state in build.snapshots.glob("*.state"):
        state.unlink()


def spoil_the_index(build):
    (build.snapshots / "snapshot.json").write_text('{"inputs": {}}')


@pytest.mark.parametrize("damage", [flip_a_bit, cut, remove, spoil_the_index])
def test_a_damaged_snapshot_is_not_used_and_this_is_said(build, damage):
    start(build)
    damage(build)
    (notice,), _ = start(build)
    assert "is damaged" in notice
    assert boots(build) == 2 and start(build) == ([], [])


def test_a_machine_that_ends_before_its_prompt_leaves_no_snapshot(build):
    write_simulator(build.sim.parent, "#!/bin/sh\necho panic\n")
    with pytest.raises(UserError, match=r"did not come to its prompt: the machine ended.*--cold"):
        start(build)
    assert not list(build.snapshots.glob("*.state"))


def test_inputs_that_change_during_the_boot_leave_no_snapshot(build):
    image = build.images / "Image"
    with pytest.raises(UserError, match="inputs changed while Linux booted"):
        build.simulator(build.sim.parent / "run", on_line=lambda line: image.write_bytes(b"xyz"))
    assert not list(build.snapshots.glob("*.state"))


def test_what_is_not_built_is_said(build):
    (build.sim / "gateware/obj_dir/Vsim").unlink()
    with pytest.raises(UserError, match=r"the simulator is not built.*make sim-linux"):
        start(build)
