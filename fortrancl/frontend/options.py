"""What the command line says about reading Fortran."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FrontendOptions:
    """``defines``: ``NAME`` or ``NAME=VALUE``; ``include_dirs``: searched for included files and module sources.

    The others are gfortran's flags of those names, which change what a type without a kind means.
    """

    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    default_real_8: bool = False
    default_double_8: bool = False
    default_integer_8: bool = False

    @property
    def default_integer(self) -> int:
        """Bytes of INTEGER, and of LOGICAL."""
        return 8 if self.default_integer_8 else 4

    @property
    def default_real(self) -> int:
        """Bytes of REAL."""
        return 8 if self.default_real_8 else 4

    @property
    def default_double(self) -> int:
        """Bytes of DOUBLE PRECISION (16 under ``-fdefault-real-8`` alone)."""
        return 16 if self.default_real_8 and not self.default_double_8 else 8
