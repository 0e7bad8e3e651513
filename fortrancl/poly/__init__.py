"""Integer sets and affine expressions by *name*: the only room that knows islpy.

isl counts dimensions by position. Here every quantity is a named isl *parameter*: loop variables, sizes, and (with
primes, ``i'``) the second instance of a dependence. Sets over different names then align by themselves, a relation is
just a set over both sides' names, and the expressions that isl writes for code carry the right names at once.
"""

from __future__ import annotations

from fortrancl.poly.constraints import Bound, bounds, conjuncts
from fortrancl.poly.sets import Aff, AffLike, PolyhedralError, Set
from fortrancl.poly.terms import slope
from fortrancl.poly.trees import Node, Tree, comparison_tree, condition, expression, linear_tree

__all__ = [
    "Aff",
    "AffLike",
    "Bound",
    "Node",
    "PolyhedralError",
    "Set",
    "Tree",
    "bounds",
    "comparison_tree",
    "condition",
    "conjuncts",
    "expression",
    "linear_tree",
    "slope",
]
