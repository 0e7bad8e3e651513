"""Who else uses an element while a copy of it stands in for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fortrancl.analysis.accesses import Access
from fortrancl.analysis.dependences import are_affine, earlier, primed, time_of, touching
from fortrancl.analysis.witness import refusal
from fortrancl.ir.kernel import Kernel
from fortrancl.poly import Aff, Set


def require_exclusive(
    kernel: Kernel,
    found: Sequence[Access],
    loops: Iterable[str],
    owners: Iterable[str],
    *,
    argument: str | None = None,
) -> None:
    """Elements that one owner keeps in a copy during an iteration of ``loops`` are no other owner's in that iteration.

    ``owners`` are the inames whose every value has a copy of its own; those that left the tree (lanes) run at the same
    time, so a shared element that one of them writes would be lost by the other. Raises FCL266, with a witness where
    the subscripts are affine. Design section 5, point 3.
    """
    around = set(loops)
    apart = [name for name in owners if name not in around]
    if not apart:
        return
    for source in found:
        for sink in found:
            if not (source.is_write or sink.is_write):
                continue
            pairs = touching(kernel, source, sink)
            for name in around:
                pairs = pairs & Aff.name(primed(name)).eq(name)
            differ = Set.nothing()
            for name in apart:
                differ = differ | Aff.name(primed(name)).ne(name)
            first, last = time_of(kernel, source.statement, True), time_of(kernel, sink.statement)
            pairs = pairs & differ & earlier(first, last, or_same=True)
            if pairs.is_empty():
                continue
            affine = are_affine(kernel, source, sink)
            raise refusal(
                kernel,
                source,
                sink,
                pairs,
                "FCL266",
                f"work-items share elements of '{source.array}', so none can keep its own copy of them"
                if affine
                else f"cannot prove that work-items use different elements of '{source.array}'",
                argument=argument,
                hints=('sum apart from the array: "0" and "base + buffer", where every access is an update',)
                if source.reduction is not None
                else (),
            )
