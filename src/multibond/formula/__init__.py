"""Formulas: laws and signals as expressions of named variables that can be saved, printed and differentiated."""

from multibond.formula.capture import means_formula, parse, read_formula
from multibond.formula.limits import require_short
from multibond.formula.table import Table, Table2
from multibond.formula.tree import Formula, variable

__all__ = ["Formula", "Table", "Table2", "means_formula", "parse", "read_formula", "require_short", "variable"]
