"""Random tests draw the same examples in every run; those of the largest example count as slow.

`COSTS=file` writes what each test costs, in seconds of the processor; `ORDER=seed` runs the tests in a random order;
`PART=3/10` runs a part of them, the same tests whatever the order; `ROTATION` chooses the share of the large families
(see `rotation.py`).
"""

import os
import random
import re
import resource
import zlib
from collections.abc import Iterator
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # small matrices: more threads only wait for one another

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402
from tests import rotation  # noqa: E402

settings.register_profile("fixed", derandomize=True, print_blob=True, deadline=None)
settings.load_profile("fixed")


def pytest_report_header() -> list[str]:
    """What was left to chance, so that it can be had again."""
    order = os.environ.get("ORDER")
    return [rotation.header(), *([f"order: random; the same again with ORDER={order}"] if order else [])]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever is tried on every example takes some seconds on the robot. Then part and order, as is wished."""
    for item in items:
        if re.search(r"[\[-]robot[\]-]", item.name):
            item.add_marker(pytest.mark.slow)
    if "PART" in os.environ:
        k, n = (int(word) for word in os.environ["PART"].split("/"))
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % n == k]
    if "ORDER" in os.environ:
        random.Random(os.environ["ORDER"]).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what a test costs, where that is asked for."""
    begun = spent()
    answer = yield
    if "COSTS" in os.environ:
        with Path(os.environ["COSTS"]).open("a") as file:
            file.write(f"{spent() - begun:.3f} {item.nodeid}\n")
    return answer


def spent() -> float:
    """Seconds of the processor: of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
