# SPDX-License-Identifier: BSD-2-Clause
"""Which monitor a URL names, and what is said if it cannot be reached."""

import json
import socket
import threading
import time

import pytest
from litemrc.cli.main import main
from litemrc.device.bridge.csr_file import read_csr_file
from litemrc.device.bridge.layout import BridgeDownError
from litemrc.device.device import Device
from litemrc.device.errors import VersionMismatchError, WrongDeviceError
from litemrc.errors import UserError

from tests.host.device.bridge.fake_soc import FakeSoC, served
from tests.timeouts import scaled_timeout


@pytest.fixture
def csr(tmp_path):
    path = tmp_path / "csr.json"
    path.write_text(FakeSoC().csr_json())
    return path


@pytest.fixture
def silent():
    """A port where a connection is accepted and nothing is said."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def refused(url):
    with pytest.raises(UserError) as error, Device(url, timeout_s=scaled_timeout(0.5)):
        pass
    return error.value


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("litex://localhost:1234", "must name the csr.json or csr.csv"),
        ("litex://localhost:x?csr=csr.json", "not the URL of a bridge"),
        ("litex://?csr=csr.json", "not the URL of a bridge"),
        ("litex://localhost/path?csr=csr.json", "not the URL of a bridge"),
        ("litex://localhost?csr=csr.json&speed=9", "speed=9 in the URL"),
        ("litex://localhost?csr=a&csr=b", "csr=a,b in the URL"),
        ("litex://localhost?csr=", "csr= in the URL"),
    ],
)
def test_a_wrong_url_is_refused_with_what_to_write(url, what):
    error = refused(url)
    assert what in error.what and error.where == url and error.remedy and error.exit_code == 2


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"csr_registers": 3}', "\0"])
def test_a_file_that_is_no_csr_file_is_named(tmp_path, text):
    path = tmp_path / "csr.json"
    path.write_text(text)
    error = refused(f"litex://localhost:1?csr={path}")
    assert "not a csr.json" in error.what and error.where == str(path)


def test_a_csr_file_that_is_not_there_is_named():
    error = refused("litex://localhost:1?csr=nowhere.json")
    assert "cannot read: No such file" in error.what and error.where == "nowhere.json"


def test_registers_of_8_bits_are_refused(csr):
    csr.write_text(csr.read_text().replace('"config_csr_data_width": 32', '"config_csr_data_width": 8'))
    assert "have 8 bits" in refused(f"litex://localhost:1?csr={csr}").what


def test_csr_csv_says_the_same_as_csr_json(csr, tmp_path):
    soc = read_csr_file(csr)
    lines = ["#---", f"csr_base,mrc,0x{soc.registers['mrc_version'][0]:08x},,"]
    lines += [f"csr_register,{name},0x{at:08x},{words},rw" for name, (at, words) in soc.registers.items()]
    lines += [f"memory_region,{name},0x{base:08x},{size},io" for name, (base, size) in soc.regions.items()]
    lines += [f"constant,{name},{value},," for name, value in soc.constants.items()]
    path = tmp_path / "csr.csv"
    path.write_text("\n".join(lines) + "\n")
    of_csv = read_csr_file(path)
    assert of_csv.registers == soc.registers and of_csv.regions == soc.regions
    assert of_csv.constants == soc.constants


def named(tmp_path, known: str, found: str):
    """The identifier of a SoC that calls itself `found` and whose csr file says `known`."""
    soc, base = FakeSoC(), 0x9000_0000
    soc.words |= {base + 4 * place: ord(letter) for place, letter in enumerate(f"{found}\0".ljust(300, "\0"))}
    with served(soc, tmp_path) as url:
        path = tmp_path / "csr.json"
        described = json.loads(path.read_text())
        described["constants"]["config_identifier"] = known
        described["csr_bases"] = {"identifier_mem": base}
        path.write_text(json.dumps(described))
        with Device(url, timeout_s=scaled_timeout(5)) as device:
            return device.hello.identifier


def test_the_identifier_is_that_of_the_csr_file_in_its_small_letters(tmp_path):
    assert named(tmp_path, "litex soc on ulx3s 2026", "LiteX SoC on ULX3S 2026") == "LiteX SoC on ULX3S 2026"


@pytest.mark.parametrize("found", ["litemrc ulx3s 00000001", "litemrc ulx3s", "litemrc ulx3s 000000001", ""])
def test_the_csr_file_of_another_bitstream_is_refused(tmp_path, found):
    with pytest.raises(WrongDeviceError, match="its csr file 'litemrc ulx3s 00000000'"):
        named(tmp_path, "litemrc ulx3s 00000000", found)


def test_of_two_monitors_the_url_names_one(tmp_path):
    soc = FakeSoC(("mrc", "second"))
    soc.set("second_capabilities", frames_log2=9)
    with served(soc, tmp_path) as url:
        error = refused(url)
        assert error.what == "the SoC has the monitors mrc, second" and "&monitor=mrc" in error.remedy
        assert "has no monitor third" in refused(f"{url}&monitor=third").what
        with Device(f"{url}&monitor=second", timeout_s=scaled_timeout(5)) as device:
            assert device.hello.frames == 512
            soc.end_epoch((1,), "second")
            assert device.receive(0).record.rows["context"].tolist() == [1]
            assert (soc.get("second_status", "epoch_ready"), soc.get("mrc_epoch")) == (0, 0)


def test_a_soc_without_a_monitor_is_refused(tmp_path):
    with served(FakeSoC(()), tmp_path) as url:
        assert "has no monitor" in refused(url).what


def test_another_version_of_the_registers_is_refused(tmp_path):
    soc = FakeSoC()
    soc.set("mrc_version", 0x4E6F)
    with served(soc, tmp_path) as url:
        error = refused(url)
    assert isinstance(error, VersionMismatchError) and "mrc_version reads 20079" in error.what


def test_a_register_that_the_file_lacks_is_named(tmp_path):
    soc = FakeSoC()
    del soc.places["mrc_scale"]
    with served(soc, tmp_path) as url:
        assert "no register mrc_scale" in refused(url).what


def test_a_server_that_is_not_there_gives_one_line_and_exit_code_1(csr, capsys):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"litex://127.0.0.1:{unused.getsockname()[1]}?csr={csr}"
        assert main(["device", "--port", url]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert url in line and "cannot connect: Connection refused; start litex_server" in line


def test_a_server_that_says_nothing_gives_one_line_and_exit_code_1(csr, silent, capsys):
    url = f"litex://127.0.0.1:{silent}?csr={csr}"
    assert main(["device", "--port", url, "--timeout", "1"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "no litex_server said hello within 1 s" in line


def test_a_server_that_is_no_litex_server_is_not_believed(csr):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            there, _ = server.accept()
            there.sendall(b"HTTP/1.1 400 Bad Request\r\n")
            there.recv(4096)
            there.sendall(bytes(range(256)))
            time.sleep(0.2)
            there.close()

        threading.Thread(target=serve, daemon=True).start()
        assert isinstance(refused(f"litex://127.0.0.1:{server.getsockname()[1]}?csr={csr}"), BridgeDownError)


def test_a_bridge_whose_device_stops_to_answer_is_an_error_and_not_zeros(tmp_path):
    soc = FakeSoC()
    with served(soc, tmp_path) as url, Device(url, timeout_s=0.5) as device:
        hangs = threading.Event()
        soc.before_read = lambda address: hangs.wait(5)
        with pytest.raises(BridgeDownError, match=r"no answer within 0\.5 s"):
            device.request("get_range")
        hangs.set()


def test_a_pcie_bridge_reaches_nothing_below_the_registers(tmp_path):
    """LiteX makes addresses relative to the registers then; see litex_client's CommPCIe."""
    soc = FakeSoC()
    soc.regions["csr"] = (0xF000_0000, 65536)
    soc.__class__ = type("CommPCIe", (FakeSoC,), {})  # the server sends the name of the class
    with served(soc, tmp_path) as url:
        assert "PCIe reaches no address below its registers" in refused(url).what


def test_without_litex_the_extra_is_named(csr, monkeypatch):
    import litemrc.extras as extras

    found = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "migen" else found(name))
    with pytest.raises(UserError, match=r"litemrc\[litex\] is not installed: migen missing"):
        extras.require("litex")
