# SPDX-License-Identifier: BSD-2-Clause
"""What a guest's archive of programs holds: packages made here by dpkg-deb, of this machine's compiler."""

import shutil
import subprocess

import pytest
from litemrc.errors import UserError

from scripts.guests.archives import pack, run
from scripts.guests.debian_guest import LINKS, needed, unpack

for tool in ("cpio", "dpkg-deb", "gcc", "readelf"):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed", allow_module_level=True)


def package(folder, name, files):
    """Make a package of files, whose contents are bytes."""
    tree = folder / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\n"
        "Description: of a test\n"
    )
    for path, contents in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(contents)
    run("dpkg-deb", "--root-owner-group", "--build", tree, folder / f"{name}_1_all.deb")
    shutil.rmtree(tree)


def compiled(output, *options, source="int main(void) { return 0; }"):
    command = [
        "gcc",
        "-nostdlib",
        "-x",
        "c",
        "-",
        "-Wl,--no-as-needed",
        "-o",
        str(output),
        *map(str, options),
    ]
    subprocess.run(command, input=source, text=True, check=True)
    return output.read_bytes()


@pytest.fixture
def root(tmp_path):
    """Unpack a kernel, and a program that needs libouter.so.1, which needs libinner.so."""
    made, packages = tmp_path / "made", tmp_path / "packages"
    made.mkdir()
    packages.mkdir()
    shared = ["-shared", "-L", made]
    for name in ("libinner.so", "libother.so"):
        compiled(made / name, *shared, f"-Wl,-soname,{name}", source="int x;")
    compiled(made / "libouter.so", *shared, "-Wl,-soname,libouter.so.1", "-linner", source="int y;")
    compiled(made / "program", "-L", made, "-louter", "-Wl,--allow-shlib-undefined", "-e", "main")
    library = "usr/lib/some-linux-gnu"
    package(packages, "linux-image-1", {"boot/vmlinuz-1": b"kernel", "lib/modules/1/a.ko": b"module"})
    package(packages, "program", {"usr/bin/program-1": (made / "program").read_bytes()})
    package(packages, "libouter", {f"{library}/libouter.so.1.2": (made / "libouter.so").read_bytes()})
    names = ("libinner.so", "libother.so")
    package(packages, "libinner", {f"{library}/{name}": (made / name).read_bytes() for name in names})
    unpack(packages, tmp_path / "root", tmp_path / "vmlinuz")
    (tmp_path / "root" / library / "libouter.so.1").symlink_to("libouter.so.1.2")
    (tmp_path / "root/usr/bin/program").symlink_to("program-1")
    return tmp_path / "root"


def names(paths):
    return {path.name for path in paths}


def test_of_the_kernels_package_only_the_kernel_is_kept(root):
    assert (root.parent / "vmlinuz").read_bytes() == b"kernel"
    assert not list(root.rglob("*.ko"))
    assert all((root / link).is_symlink() and (root / link).is_dir() for link in LINKS)


def test_programs_come_with_the_libraries_of_their_libraries_and_no_others(root):
    found = needed(root, [(root / "usr/bin/program").relative_to(root)])
    libraries = {"libouter.so.1", "libouter.so.1.2", "libinner.so"}
    assert names(found) == {"program", "program-1", *libraries}


def test_a_library_in_no_package_is_named(root):
    (root / "usr/lib/some-linux-gnu/libinner.so").unlink()
    with pytest.raises(UserError, match=r"needs libinner\.so, which is in none of the packages"):
        needed(root, [(root / "usr/bin/program").relative_to(root)])


def test_a_program_in_no_package_is_named(root):
    missing = (root / "usr/bin/redis-server").relative_to(root)
    with pytest.raises(UserError, match="in none of the packages") as error:
        needed(root, [missing])
    assert error.value.where == "usr/bin/redis-server"


def test_an_archive_has_links_and_the_folders_above_its_files(root, tmp_path):
    archive = tmp_path / "a.cpio"
    pack(root, [(root / "usr/bin/program-1").relative_to(root), (root / "bin").relative_to(root)], archive)
    listed = run("cpio", "--quiet", "--list", "--file", archive).split()
    assert listed == ["bin", "usr", "usr/bin", "usr/bin/program-1"]


def test_a_tool_that_fails_is_reported_with_its_message(tmp_path):
    with pytest.raises(UserError, match="failed: dpkg-deb: error: failed to read archive") as error:
        run("dpkg-deb", "-x", tmp_path / "no-package", tmp_path / "out")
    assert error.value.where.startswith("dpkg-deb ") and error.value.where.endswith("/out")


def test_a_tool_that_is_not_there_is_reported_with_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="install the Debian package binutils"):
        run("readelf", "--version")
