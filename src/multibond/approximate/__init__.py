"""Approximate simplification: what is assumed is said, and what it costs is measured by running both models."""
