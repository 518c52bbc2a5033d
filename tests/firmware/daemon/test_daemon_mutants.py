# SPDX-License-Identifier: BSD-2-Clause
"""Seeded faults of the daemon; the test named with each must find it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation import mutated_source
from tests.products import alone_in

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
MUTANTS = ROOT / "build" / "daemon-mutants"

SEEDED = {
    "repeats": (
        "service/service.c",
        "if (message->sequence != service->last_request)",
        "if (true)",
        "test_daemon_hello.py::test_a_repeated_request_gets_the_same_answer_and_is_done_once",
    ),
    "forgets lost epochs": (
        "daemon/driver/record.c",
        "next = record->epoch + 1;",
        "next++;",
        "test_daemon_epochs.py::test_epochs_that_the_driver_lost_are_missing_by_their_numbers",
    ),
    "half an epoch": (
        "daemon/messages/hosts.c",
        "if (hosts[host].joined && outbox_has_room_for_record(&hosts[host].outbox, bytes))",
        "if (hosts[host].joined)",
        "test_daemon_epochs.py::test_a_host_that_does_not_read_loses_whole_epochs_and_stops_nothing",
    ),
    "done too early": (
        "daemon/processes/runs.c",
        "(run->seen && now->state == LITEMRC_CONTEXT_ENDED)",
        "now->state",
        "test_daemon_programs.py::test_a_program_is_followed_before_it_runs_and_done_behind_its_last_epoch",
    ),
    "one frame too many": (
        "service/requests.c",
        'CHECK_BELOW(device->parameters.frames, body->words[0], "there is no such frame");',
        'CHECK_BELOW(device->parameters.frames + 1, body->words[0], "there is no such frame");',
        "test_daemon_settings.py::test_what_cannot_be_is_refused_before_it_reaches_the_driver",
    ),
    "short epochs": (
        "service/requests.c",
        "wanted->length < device->parameters.epoch_least",
        "false",
        "test_daemon_settings.py::test_what_cannot_be_is_refused_before_it_reaches_the_driver",
    ),
    "one user": (
        "daemon/processes/starter.c",
        "privileges_take(programs_user, own_user);",
        "(void)own_user;",
        "test_daemon_programs.py::test_it_is_followed_as_itself_not_as_the_daemon",
    ),
    "sizes of this version": (
        "daemon/driver/record.c",
        "record->header_bytes < sizeof(*record) ||",
        "record->header_bytes != sizeof(*record) ||",
        "test_daemon_epochs.py::test_a_record_whose_parts_have_grown_is_read",
    ),
    "any cgroup": (
        "daemon/port/processes.c",
        "listed_find(path) < 0",
        "!*path",
        "test_daemon_budgets.py::test_what_is_not_listed_is_refused",
    ),
    "lifted, not restored": (
        "daemon/budgets/lease.c",
        "budget_restore(&group->files, &entry->before)",
        "budget_set(&group->files, UINT32_MAX)",
        "test_daemon_budgets.py::test_a_budget_is_guarantee_and_limit_and_the_lease_restores_both",
    ),
    "policy kept": (
        "service/requests.c",
        "restore(device, DEVICE_RANK_POLICY, device->saved_policy);",
        "true;",
        "test_daemon_ranks.py::test_a_lease_covers_policy_and_working_set",
    ),
    "any end of a record": (
        "daemon/driver/record.c",
        "return end == length && rows",
        "return rows",
        "test_daemon_epochs.py::test_a_record_with_parts_that_do_not_fit_ends_the_daemon",
    ),
    "ranks of one size": (
        "daemon/driver/record.c",
        "(is_rank && parts[i].item_bytes < sizeof(struct litemrc_rank))",
        "(is_rank && parts[i].item_bytes != sizeof(struct litemrc_rank))",
        "test_daemon_ranks.py::test_the_counters_of_the_ranks_are_in_the_record_of_the_epoch",
    ),
    "bits of another epoch": (
        "daemon/driver/pages.c",
        "if (!error && (int32_t)(image->words[0] - epoch) > 0)\n\t\t\treturn -ESTALE;",
        "if (!error && (int32_t)(image->words[0] - epoch) > 0)\n\t\t\treturn 0;",
        "test_daemon_pages.py::test_pages_of_a_later_epoch_are_never_sent_for_an_earlier_one",
    ),
    "no deadline": (
        "daemon/driver/pages.c",
        "tries < TRIES && on",
        "tries < 1 && on",
        "test_daemon_pages.py::test_the_daemon_waits_for_pages_that_the_driver_stores_after_the_record",
    ),
    "bits before the selection": (
        "daemon/messages/page_messages.c",
        "is_from(epoch, accessed_from) && ",
        "",
        "test_daemon_pages.py::test_the_epochs_before_a_selection_have_no_pages",
    ),
    "a list that hides more": (
        "daemon/messages/epoch_messages.c",
        "(list.more ? LITEMRC_EPOCH_HOT_MORE : 0)",
        "0",
        "test_daemon_pages.py::test_frames_and_hot_pages_are_parts_of_the_record_of_their_epoch",
    ),
    "written is accessed": (
        "daemon/messages/epoch_messages.c",
        "add_part(LITEMRC_PART_WRITTEN, bitmap.written,",
        "add_part(LITEMRC_PART_WRITTEN, bitmap.accessed,",
        "test_daemon_pages.py::test_frames_and_hot_pages_are_parts_of_the_record_of_their_epoch",
    ),
    "half the settings": (
        "daemon/driver/pages.c",
        "for (; error && at >= 0 && at < HOT_SETTINGS; at++)",
        "for (; false; at++)",
        "test_daemon_hot.py::test_settings_that_the_driver_refuses_leave_those_before",
    ),
    "programs among writes": (
        "service/requests.c",
        "if (!error && context >= device_owners(device))",
        "if (false)",
        "test_daemon_hot.py::test_contexts_of_writes_are_given_to_nobody",
    ),
    "readers that set": (
        "service/service.c",
        "if (service->read_only && !request_reads(message->type))",
        "if (false)",
        "test_daemon_socket.py::test_what_changes_anything_is_refused_on_the_socket",
    ),
    "all wait for the slowest": (
        "daemon/messages/hosts.c",
        "\tfor (unsigned int host = 0; host < HOSTS; host++)\n"
        "\t\tif (hosts[host].joined && outbox_has_room_for_record",
        "\tfor (unsigned int host = 0; host < HOSTS; host++)\n"
        "\t\tif (hosts[host].joined && !outbox_has_room_for_record(&hosts[host].outbox, bytes))\n"
        "\t\t\treturn;\n\tfor (unsigned int host = 0; host < HOSTS; host++)\n"
        "\t\tif (hosts[host].joined && outbox_has_room_for_record",
        "test_daemon_socket.py::test_a_client_that_stops_loses_epochs_of_its_own_only",
    ),
    "any file is a socket": (
        "daemon/system/unix_socket.c",
        "if (!S_ISSOCK(found.st_mode))",
        "if (false)",
        "test_daemon_socket_file.py::test_a_file_in_the_way_of_the_socket_stays_as_it_is",
    ),
    "context kept": (
        "daemon/run_command.c",
        "leave(&files, child.pid);",
        "(void)leave;",
        "test_run_command.py::test_it_is_followed_before_it_runs_and_its_context_left_free",
    ),
}


def build(name: str, built: Path) -> Path:
    """Build the daemon with that fault: one file is recompiled, the others are those of the other tests."""
    file, old, new, _ = SEEDED[name]
    folder = MUTANTS / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source = folder / Path(file).name
    source.write_text(mutated_source(ROOT / "firmware" / file, old, new))
    dry = ["make", "-n", "-B", "-C", HERE, f"OUT={built}"]
    unset = ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "LDFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    commands = subprocess.run(
        dry, capture_output=True, text=True, env=environment, check=True
    ).stdout.splitlines()
    original = str(built / file.removeprefix("daemon/").replace(".c", ".o"))
    target = str(source.with_suffix(".o"))
    (compile_it,) = (line for line in commands if line.endswith(f"-o {original}"))
    (link_it,) = (line for line in commands if line.endswith(f"-o {built / 'litemrcd'}"))
    compile_it = compile_it.replace(f"{ROOT}/firmware/{file}", str(source)).replace(original, target)
    link_it = link_it.replace(original, target).replace(f"-o {built}/", f"-o {folder}/")
    for command in (compile_it, link_it):
        subprocess.run(command, shell=True, check=True, cwd=HERE)
    return folder / "litemrcd"


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_fault_is_found(litemrcd, name):
    with alone_in(MUTANTS):
        mutant = build(name, litemrcd.parent)
    test = ["-q", "-x", "-p", "no:cacheprovider", str(HERE / SEEDED[name][3])]
    run = [sys.executable, "-m", "pytest", *test]
    environment = {**os.environ, "LITEMRCD": str(mutant), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, cwd=ROOT)

    assert done.returncode == 1, done.stdout
    assert "AssertionError" in done.stdout or "Failed" in done.stdout
