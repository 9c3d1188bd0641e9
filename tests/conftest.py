"""Random tests draw the same examples in every run."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, print_blob=True, deadline=None)
settings.load_profile("fixed")
