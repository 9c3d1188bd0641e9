"""A figure that shows itself in a notebook, whether or not `%matplotlib inline` was said, and once only."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure of matplotlib that no window and no list of open figures knows: what is returned is what is shown."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """As PNG, with the words of `repr` beside it."""
        out = BytesIO()
        self.savefig(out, format="png", dpi=96, bbox_inches="tight")
        return {"image/png": out.getvalue(), "text/plain": repr(self)}
