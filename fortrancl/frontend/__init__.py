"""Fortran in: files read, taken apart, and procedures made into kernels.

The public face of this room: `read_source`, `scan`, `lower`, `c_preprocess` and the types they give.
fparser is imported by the first `lower`.
"""

from __future__ import annotations

from fortrancl.frontend.blocks import Inputs, SourceUnit, scan
from fortrancl.frontend.lines import read_source
from fortrancl.frontend.options import FrontendOptions
from fortrancl.frontend.script_blocks import ScriptText, TagRegion
from fortrancl.frontend.units import UnitOutline
from fortrancl.ir.procedure import Procedure

__all__ = [
    "FrontendOptions",
    "Inputs",
    "ScriptText",
    "SourceUnit",
    "TagRegion",
    "UnitOutline",
    "c_preprocess",
    "lower",
    "read_source",
    "scan",
]


def lower(unit: SourceUnit, procedure: UnitOutline, options: FrontendOptions | None = None) -> Procedure:
    """The sequential kernel of one procedure, with what the host side needs to know.

    ``options`` other than those the file was scanned with change only what types without a kind mean.
    Raises `CompileError`: FCL103, FCL109 … FCL135, all that was found at once.
    """
    from dataclasses import replace

    from fortrancl.frontend.lowering import lower as lower_procedure

    return lower_procedure(unit if options is None else replace(unit, options=options), procedure)


def c_preprocess(text: str, defines: tuple[str, ...] = (), include_dirs: tuple[str, ...] = (), path: str = "") -> str:
    """``text`` after a C preprocessor; line markers tell what came from elsewhere. Raises `CompileError`: FCL136."""
    from fortrancl.frontend.preprocess import preprocess
    from fortrancl.source import SourceFile

    return preprocess(SourceFile(path, text), FrontendOptions(tuple(defines), tuple(include_dirs))).text
