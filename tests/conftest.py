"""Random tests draw the same examples in every run; those of the largest example count as slow."""

import re

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, print_blob=True, deadline=None)
settings.load_profile("fixed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever is tried on every example takes some seconds on the robot."""
    for item in items:
        if re.search(r"[\[-]robot[\]-]", item.name):
            item.add_marker(pytest.mark.slow)
