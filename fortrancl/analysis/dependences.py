"""Dependences between statement instances: pairs that touch one element, at least one of them writing.

The source's inames are primed (``i'``), the sink's are plain. Order is the loop tree's: a *moment* of execution is a
vector of Block positions and loop values, compared lexicographically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Binary, Expr, Literal_, Subscript, Var
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.tree import Loop, Path, body_of
from fortrancl.poly import Aff, AffLike, Set


def primed(name: str) -> str:
    """The name that a source instance uses for an iname."""
    return name + "'"


@dataclass(frozen=True)
class Dependence:
    """Ordered conflicts of two accesses: ``instances`` relates the source's primed inames to the sink's plain ones."""

    source: Access
    sink: Access
    instances: Set

    @property
    def kind(self) -> str:
        """``flow`` (read after write), ``anti`` (write after read) or ``output`` (write after write)."""
        if self.source.is_write:
            return "output" if self.sink.is_write else "flow"
        return "anti"


def moment(kernel: Kernel, path: Path, values: Sequence[AffLike]) -> tuple[AffLike, ...]:
    """Positions along ``path`` with the values of the Loops it passes, outermost first."""
    vector: list[AffLike] = []
    node: object = kernel.tree
    remaining = iter(values)
    for position in path:
        vector.append(position)
        body = body_of(node)  # type: ignore[arg-type]
        if body is None or position >= len(body.children):
            break
        node = body.children[position]
        if isinstance(node, Loop):
            value = next(remaining, None)
            if value is None:
                break
            vector.append(value)
    return tuple(vector)


def time_of(kernel: Kernel, statement: str, prime: bool = False) -> tuple[AffLike, ...]:
    """When an instance runs; inames that left the tree (lanes) have no part in it."""
    path, loops = kernel.paths[statement]
    return moment(kernel, path, [primed(name) if prime else name for name in loops])


def earlier(left: Sequence[AffLike], right: Sequence[AffLike], *, or_same: bool = False) -> Set:
    """Where one moment comes before another; a vector that ends first is the entry of what the other goes into.

    >>> earlier((0, "i'", 1), (0, "i", 0)) == (Aff.name("i'") < "i")
    True
    """
    result = Set.nothing()
    equal = Set.universe()
    for a, b in zip(left, right, strict=False):
        if isinstance(a, int) and isinstance(b, int):
            if a == b:
                continue
            return result | equal if a < b else result
        result = result | (equal & (Aff.of(a) < b))
        equal = equal & Aff.of(a).eq(b)
    if len(left) < len(right) or (or_same and len(left) == len(right)):
        return result | equal
    return result


def known_names(kernel: Kernel) -> Callable[[str], bool]:
    """Predicate for `ir.affine`: inames and parameters."""
    names = kernel.__dict__.get("_known")
    if names is None:
        names = frozenset((*kernel.iname_by_name, *kernel.parameters))
        kernel.__dict__["_known"] = names
    return names.__contains__


def index_affs(kernel: Kernel, indices: Iterable[Expr], inames: Iterable[str], prime: bool) -> tuple[Aff | None, ...]:
    """Subscripts as affine expressions, None where not affine; inames primed if asked."""
    known = known_names(kernel)
    names = {name: primed(name) for name in inames} if prime else {}
    result: list[Aff | None] = []
    for index in indices:
        aff = to_aff(index, known)
        result.append(aff if aff is None or not names else aff.rename(names))
    return tuple(result)


def are_affine(kernel: Kernel, *found: Access) -> bool:
    """Whether all subscripts of the accesses are affine, so that a conflict is exact and has a witness."""
    return all(aff is not None for access in found for aff in index_affs(kernel, access.indices, (), prime=False))


def instances(kernel: Kernel, statement: str, prime: bool = False) -> Set:
    """The statement's domain under the assumptions, inames primed if asked."""
    found = kernel.statement_by_id[statement]
    domain = found.domain & kernel.assumptions
    return domain.rename({name: primed(name) for name in found.inames}) if prime else domain


def same_element(kernel: Kernel, source: Access, sink: Access, *, storage: bool = False) -> Set:
    """Where a primed source access and a plain sink access touch one element (an over-approximation where subscripts
    are not affine). ``storage``: one memory cell, so privatised inames do not tell elements apart."""
    source_inames = kernel.statement_by_id[source.statement].inames
    first = index_affs(kernel, source.indices, source_inames, prime=True)
    second = index_affs(kernel, sink.indices, (), prime=False)
    result = Set.universe()
    for position, (a, b) in enumerate(zip(first, second, strict=False)):
        if a is not None and b is not None:
            result = result & a.eq(b)
        elif position < len(source.indices):
            result = result & _same_through_injection(kernel, source, sink, position)
    declaration = kernel.declaration(source.array)
    if not storage and isinstance(declaration, Temporary):
        # Where only one side still has the iname (a loop was distributed), nothing tells the values apart.
        both = {*kernel.statement_by_id[source.statement].inames} & {*kernel.statement_by_id[sink.statement].inames}
        for name in declaration.private_to:
            if name in both:
                result = result & Aff.name(primed(name)).eq(name)
    return result


def _same_through_injection(kernel: Kernel, source: Access, sink: Access, position: int) -> Set:
    """x(map(e1)) meets x(map(e2)) only where e1 = e2, if the user vouched that ``map`` has no value twice."""
    a, first_shift = _without_shift(source.indices[position])
    b, second_shift = _without_shift(sink.indices[position])
    if first_shift != second_shift or not (isinstance(a, Subscript) and isinstance(b, Subscript)):
        return Set.universe()
    if a.array != b.array or a.array not in kernel.injective:
        return Set.universe()
    source_inames = kernel.statement_by_id[source.statement].inames
    result = Set.universe()
    pairs = zip(
        index_affs(kernel, a.indices, source_inames, prime=True),
        index_affs(kernel, b.indices, (), prime=False),
        strict=True,
    )
    for one, two in pairs:
        if one is not None and two is not None:
            result = result & one.eq(two)
    return result


def _without_shift(index: Expr) -> tuple[Expr, int]:
    """``map(i) - 1`` as ``map(i)`` and −1."""
    shift = 0
    while isinstance(index, Binary) and index.op in ("+", "-"):
        constant, rest = (index.right, index.left) if isinstance(index.right, Literal_) else (index.left, index.right)
        if not (isinstance(constant, Literal_) and isinstance(constant.value, int)):
            break
        if index.op == "-" and constant is index.left:
            break
        shift += constant.value if index.op == "+" else -constant.value
        index = rest
    return index, shift


def is_exempt(source: Access, sink: Access) -> bool:
    """Whether the order of two updates is free: one reduction on one variable, with permission or both atomic."""
    if source.reduction is None or source.reduction != sink.reduction:
        return False
    return (source.reorderable and sink.reorderable) or (source.is_atomic and sink.is_atomic)


def shared_values(kernel: Kernel, source: Access, sink: Access) -> frozenset[str] | None:
    """Inames that plainly have one value at both ends wherever the accesses touch one element; None: they never do.

    What is seen from the text alone, so that most pairs need no sets: equal subscripts that are a loop variable,
    constants that differ, loops that a value is private to.
    """
    both = {*kernel.statement_by_id[source.statement].inames} & {*kernel.statement_by_id[sink.statement].inames}
    result: set[str] = set()
    for one, two in zip(source.indices, sink.indices, strict=False):
        if isinstance(one, Var) and one == two and one.name in both:
            result.add(one.name)
        elif isinstance(one, Literal_) and isinstance(two, Literal_) and one.value != two.value:
            return None
    declaration = kernel.declaration(source.array)
    if isinstance(declaration, Temporary):
        result.update(both & {*declaration.private_to})
    return frozenset(result)


def touching(kernel: Kernel, source: Access, sink: Access, *, storage: bool = False) -> Set:
    """All pairs of instances of two accesses that touch one element, in whatever order."""
    key = ("touching", source, sink, storage)
    cache: dict[object, Set] = kernel.__dict__.setdefault("_touching", {})
    if key not in cache:
        cache[key] = (
            same_element(kernel, source, sink, storage=storage)
            & instances(kernel, source.statement, prime=True)
            & instances(kernel, sink.statement)
        )
    return cache[key]


def conflicts(kernel: Kernel, array: str, *, storage: bool = False) -> tuple[Dependence, ...]:
    """All non-empty conflicts on one variable, source before sink in the tree's order.

    ``storage=True`` compares memory cells (for barriers and live ranges), otherwise logical elements.
    """
    result = []
    found = accesses_of(kernel, array)
    for source in found:
        for sink in found:
            if not (source.is_write or sink.is_write):
                continue
            if shared_values(kernel, source, sink) is None:
                continue
            pairs = touching(kernel, source, sink, storage=storage)
            ordered = pairs & earlier(time_of(kernel, source.statement, True), time_of(kernel, sink.statement))
            if not ordered.is_empty():
                result.append(Dependence(source, sink, ordered))
    return tuple(result)
