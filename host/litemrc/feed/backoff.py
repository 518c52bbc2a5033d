# SPDX-License-Identifier: BSD-2-Clause
"""How long a feed waits before it opens a lost or failed link again."""

from litemrc.device.errors import DeviceFaultError, VersionMismatchError, WrongDeviceError
from litemrc.errors import UserError

FIRST_S = 0.5
MOST_S = 5.0  # somebody may be plugging it in
MOST_UNFIT_S = 60.0  # a device that answers, and cannot be used: it will say the same again
SOUND_S = 60.0  # a session of that length was a good one: the next wait is the first again
_UNFIT = (DeviceFaultError, VersionMismatchError, WrongDeviceError)


class Backoff:
    """Waits that double from one try to the next."""

    def __init__(self) -> None:
        self._next_s = FIRST_S

    def wait_s(self, error: UserError, session_s: float) -> float:
        """Return the wait after a session that ended by `error`.

        Parameters
        ----------
        session_s
            how long it ran; 0: it did not begin.
        """
        if session_s >= SOUND_S:
            self._next_s = FIRST_S
        most = MOST_UNFIT_S if isinstance(error, _UNFIT) else MOST_S
        wait = min(self._next_s, most)
        self._next_s = min(2 * self._next_s, MOST_UNFIT_S)
        return wait
