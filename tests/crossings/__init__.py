"""Machines on which features are crossed, each pair on three machines at least, judged by laws of the tests' own."""
