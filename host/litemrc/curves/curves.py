"""Several curves by name."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from litemrc.curves.curve import Curve
from litemrc.errors import UserError, choose_from

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class NoCurveError(UserError, KeyError):
    """`Curves` has no curve of that name."""


class Curves(Mapping[str, Curve]):
    """Curves by name, in order; immutable.

    Parameters:
        curves: any number. Of those with equal names, the second is called "name #2", and so on.
    """

    def __init__(self, curves: Iterable[Curve] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        for curve in curves:
            name, number = curve.name, 1
            while name in self._curves:
                number += 1
                name = f"{curve.name} #{number}"
            self._curves[name] = curve if name == curve.name else replace(curve, name=name)

    def __getitem__(self, name: str) -> Curve:
        if name not in self._curves:
            raise NoCurveError(
                f"no curve is named {name!r}",
                where="Curves",
                remedy=choose_from(name, self._curves) if self._curves else "there is no curve",
            )
        return self._curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a pandas.DataFrame, a row for each curve and size: name, pages, memory_bytes, miss_ratio.

        Raises:
            UserError: pandas is not installed.
        """
        from litemrc.curves.frames import joined_frame

        return joined_frame({name: curve.to_pandas() for name, curve in self.items()})

    def plot(self, ax: "Axes | str | PathLike[str] | None" = None) -> "Axes":
        """Draw all curves into `ax` and return the axes.

        `ax` may be the path of a picture to write, such as "curve.png"; None: a new figure of pyplot.

        Raises:
            UserError: matplotlib is not installed, or the file cannot be written.
        """
        from litemrc.curves.drawing import draw

        return draw(list(self.values()), ax)

    def __repr__(self) -> str:
        lines = [f"\n  {curve.summary()}" for curve in self.values()]
        return f"<Curves: {len(self)}{''.join(lines)}>"

    def _repr_html_(self) -> str:
        from litemrc.curves.html import curves_html

        return curves_html(list(self.values()))
