"""The exception for everything that the user can correct: what is wrong, where, and what to do."""


class UserError(Exception):
    """Bad input or a broken environment; the CLI prints it without a traceback and exits with `exit_code`.

    Parameters:
        what: what is wrong, one sentence without a full stop.
        where: file and line, byte offset, port, frame number ...; empty if no place is known.
        remedy: what the user can do; empty if nothing is known to help.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.remedy})" if self.remedy else text


class OutputError(UserError):
    """A result cannot be written: the disk is full, the reader has gone; the input may be good."""

    exit_code = 1
