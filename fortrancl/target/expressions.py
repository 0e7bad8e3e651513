"""From the IR's expressions to C's, with Fortran's meaning."""

from __future__ import annotations

from fortrancl.target.host_expressions import host_integer_expression

__all__ = ["host_integer_expression"]
