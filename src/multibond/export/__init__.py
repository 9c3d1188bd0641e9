"""Runs as tables, labelled arrays and files, each with the record of how it came about."""
