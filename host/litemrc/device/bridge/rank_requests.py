# SPDX-License-Identifier: BSD-2-Clause
"""Requests about power domains, answered by the registers of rank meter and rank power."""

from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import Answer, Handlers, RefusedError, layout
from litemrc.device.link.protocol import Message, device_messages

_POLICY_FIELDS = {"kind": "policy", "static_state": "state", "mrc_state": "state", "mrc_base": "policy"}


class RankRequests:
    """The requests that firmware/baremetal/ranks.c performs.

    A bridge does not know which pages hold data that somebody needs: all count as live, and no domain may
    lose data.

    Attributes
    ----------
    domains
        number of power domains.
    handlers
        by request.
    """

    def __init__(self, ranks: RegisterBlock, soc: SoCMap, page_shift: int, groups: int) -> None:
        self._ranks, self._soc, self._groups = ranks, soc, groups
        found = ranks.fields("capabilities")
        self.domains = 1 << found["domains_log2"]
        self._virtual, self._states = found["virtual"], found["states"]
        self._pages = (soc.region("main_ram")[1] >> page_shift) // self.domains
        self.handlers: Handlers = {
            "get_dram": self._get_dram,
            "get_rank_policy": self._get_policy,
            "set_rank_policy": self._set_policy,
            "set_rank_state": self._set_state,
            "set_rank_loss": self._set_loss,
            "get_working_set": self._get_working_set,
            "set_working_set": self._set_working_set,
        }

    def snapshot(self) -> list[dict[str, Any]]:
        """Return what the meter counted in the epoch of its window, for each domain."""
        row = len(layout().meter_words)
        words = self._ranks.window(0, self.domains * row)
        clocks, working = self._ranks.read("snapshot_clocks"), self._ranks.read("working")
        states, overflow = self._ranks.read("state"), self._ranks.fields("meter_status")["overflow"]
        bits = layout().state_bits
        return [
            {
                "domain": domain,
                "clocks": clocks,
                "state": _state_name(states >> bits * domain & (1 << bits) - 1),
                "working": bool(working >> domain & 1),
                "live_pages": self._pages,
                "overflow": bool(overflow),
                "counters": words[row * domain : row * (domain + 1)],
            }
            for domain in range(self.domains)
        ]

    def _get_dram(self, _: Message) -> Answer:
        chips, phases = self._soc.number("config_dram_chips"), self._soc.number("config_dram_phases")
        part = str(self._soc.constants.get("config_dram_part") or "").strip('"')
        kept = self._ranks.read("partial")
        return Answer([self.domains, self._virtual, self._states, chips, phases, kept], part.encode())

    def _get_policy(self, _: Message) -> Answer:
        fields = self._ranks.fields("policy")
        thresholds = [self._ranks.read(f"threshold_{state}") for state in ("power_down", "self_refresh")]
        return Answer([*(fields[name] for name in _POLICY_FIELDS), *thresholds])

    def _set_policy(self, request: Message) -> Answer:
        for state in (request.static_state, request.mrc_state):
            self._check_reachable(state)
        if request.mrc_base == "mrc":
            raise RefusedError("bad_argument", "mrc cannot be its own base")
        policies = layout().numbers["policy"]
        word = self._ranks.word(
            "policy",
            kind=policies[request.policy],
            static_state=_state_number(request.static_state),
            mrc_state=_state_number(request.mrc_state),
            mrc_base=policies[request.mrc_base],
        )
        self._ranks.write("threshold_power_down", request.threshold_power_down)
        self._ranks.write("threshold_self_refresh", request.threshold_self_refresh)
        self._ranks.write("policy", word)
        return self._get_policy(request)

    def _set_state(self, request: Message) -> Answer:
        self._check_domain(request.domain)
        self._check_reachable(request.state)
        if (
            request.state == "self_refresh_partial"
            and not self._ranks.read("partial_allowed") >> request.domain & 1
        ):
            raise RefusedError("bad_argument", "the domain's data would be lost: allow that first")
        state = _state_number(request.state)
        self._ranks.write("command", self._ranks.word("command", domain=request.domain, state=state))
        return Answer()

    def _set_loss(self, request: Message) -> Answer:
        self._check_domain(request.domain)
        if request.allowed:
            raise RefusedError(
                "unsupported", "over a bridge it is not known which pages hold data that are needed"
            )
        self._ranks.write("partial", request.part)
        self._ranks.write("partial_allowed", self._ranks.read("partial_allowed") & ~(1 << request.domain))
        return Answer()

    def _get_working_set(self, _: Message) -> Answer:
        automatic = self._ranks.fields("n_mrc_auto")
        return Answer([automatic["enable"], self._ranks.read("n_mrc"), automatic["epsilon"]])

    def _set_working_set(self, request: Message) -> Answer:
        if request.groups > self._groups:
            raise RefusedError("bad_argument", "the stacks have fewer groups")
        self._ranks.write("n_mrc", request.groups)
        automatic = self._ranks.word("n_mrc_auto", enable=int(request.automatic), epsilon=request.epsilon)
        self._ranks.write("n_mrc_auto", automatic)
        return self._get_working_set(request)

    def _check_domain(self, domain: int) -> None:
        if domain >= self.domains:
            raise RefusedError("bad_argument", "there is no such domain")

    def _check_reachable(self, state: str) -> None:
        if not self._states >> _state_number(state) & 1:
            raise RefusedError("bad_argument", "the DRAM cannot reach that state")


def _state_number(name: str) -> int:
    return 0 if name == "awake" else layout().numbers["power_state"][name]


def _state_name(number: int) -> str:
    """Return the name in the schema; a number that is none is left to the check of the message."""
    (choices,) = (f.choices for f in device_messages().types["rank"].body if f.name == "state")
    return {value: name for name, value in choices}.get(number, str(number))
