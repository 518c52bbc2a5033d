"""Curves as data frames of pandas, which is imported here only."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from litemrc.extras import require

if TYPE_CHECKING:
    import pandas


def data_frame(columns: Mapping[str, NDArray[Any]]) -> "pandas.DataFrame":
    """Return the columns as a frame of their own.

    Raises:
        UserError: pandas is not installed.
    """
    require("pandas")
    import pandas as pd

    return pd.DataFrame({name: column.copy() for name, column in columns.items()})


def joined_frame(frames: Mapping[str, "pandas.DataFrame"]) -> "pandas.DataFrame":
    """Return the rows of all frames, the name of each frame in the first column."""
    import pandas as pd

    named = [frame.assign(name=name) for name, frame in frames.items()]
    columns = ["name", "pages", "memory_bytes", "miss_ratio"]
    return pd.concat(named, ignore_index=True)[columns] if named else pd.DataFrame(columns=columns)
