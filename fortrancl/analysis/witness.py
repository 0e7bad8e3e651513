"""A concrete pair of iterations behind a refusal, and the sentence that tells it in Fortran's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fortrancl.analysis.accesses import Access
from fortrancl.analysis.dependences import index_affs, primed
from fortrancl.diagnostics import Related, StepError
from fortrancl.ir.expr import Binary, Expr, Literal_, Unary, Var
from fortrancl.ir.kernel import Argument, Kernel
from fortrancl.ir.layout import declared_shape, join_items, splits_of
from fortrancl.poly import Aff, Set


@dataclass(frozen=True)
class Witness:
    """Two instances that touch one element: the source comes first in the order that must hold.

    Values are of inames (from 0); ``element`` is 0-based, None where a subscript is not affine.
    """

    array: str
    source_statement: str
    source_values: Mapping[str, int]
    sink_statement: str
    sink_values: Mapping[str, int]
    parameters: Mapping[str, int]
    element: tuple[int, ...] | None
    source_writes: bool
    sink_writes: bool


class LegalityError(StepError):
    """A step that was not proved, with its witness where the dependence is affine."""

    witness: Witness | None = None


def find_witness(kernel: Kernel, source: Access, sink: Access, violation: Set) -> Witness | None:
    """A member of ``violation`` (source inames primed) as a `Witness`."""
    values = violation.sample()
    if values is None:
        return None
    first = kernel.statement_by_id[source.statement].inames
    second = kernel.statement_by_id[sink.statement].inames
    sink_values = {name: values.get(name, 0) for name in second}
    parameters = {name: values.get(name, 0) for name in kernel.parameters}
    element: list[int] | None = []
    for index in index_affs(kernel, sink.indices, (), prime=False):
        value = None if index is None else _value(index, {**sink_values, **parameters})
        if value is None:
            element = None
            break
        assert element is not None
        element.append(value)
    affine_source = all(aff is not None for aff in index_affs(kernel, source.indices, first, prime=True))
    return Witness(
        sink.array,
        source.statement,
        {name: values.get(primed(name), 0) for name in first},
        sink.statement,
        sink_values,
        parameters,
        tuple(element) if element is not None and affine_source else None,
        source.is_write,
        sink.is_write,
    )


def _value(aff: Aff, values: Mapping[str, int]) -> int | None:
    fixed = (Aff.name("$value").eq(aff)).where({name: values[name] for name in aff.names if name in values})
    low, high = fixed.range("$value")
    return low if low == high else None


def integer_value(expr: Expr, values: Mapping[str, int]) -> int | None:
    """Value of an integer expression of ``+ - *`` over known names, or None.

    >>> from fortrancl.ir.expr import integer
    >>> integer_value(Binary("+", Var("i"), integer(1)), {"i": 2})
    3
    """
    if isinstance(expr, Literal_):
        return expr.value if isinstance(expr.value, int) else None
    if isinstance(expr, Var):
        return values.get(expr.name)
    if isinstance(expr, Unary):
        operand = integer_value(expr.operand, values)
        return None if operand is None or expr.op == "not" else (-operand if expr.op == "-" else operand)
    if isinstance(expr, Binary):
        left, right = integer_value(expr.left, values), integer_value(expr.right, values)
        if left is None or right is None:
            return None
        return {"+": left + right, "-": left - right, "*": left * right}.get(expr.op)
    return None


def iteration_text(kernel: Kernel, statement: str, values: Mapping[str, int], parameters: Mapping[str, int]) -> str:
    """``i=2, k=1`` in Fortran's do-variables where the loops are the user's, in inames where a step made them."""
    known: dict[str, int] = {**parameters, **values}
    rewrites = dict(kernel.rewrites)
    parts: list[str] = []
    told: set[str] = set()
    for iname in kernel.retired:
        current = rewrites.get(iname.name)
        value = None if current is None else integer_value(current, known)
        if value is not None and iname.variable is not None:
            parts.append(f"{iname.variable}={_do_value(iname.start, iname.step, value, known)}")
            assert current is not None
            told |= _names(current)
    for name in kernel.statement_by_id[statement].inames:
        if name in told:
            continue
        iname = kernel.iname_by_name[name]
        if iname.variable is not None:
            parts.append(f"{iname.variable}={_do_value(iname.start, iname.step, values[name], known)}")
        else:
            parts.append(f"{name}={values[name]}")
    return ", ".join(parts)


def _names(expr: Expr) -> set[str]:
    from fortrancl.ir.expr import scalar_names

    return set(scalar_names(expr))


def _do_value(start: Expr | None, step: int, value: int, known: Mapping[str, int]) -> int:
    first = 0 if start is None else integer_value(start, known)
    return (first or 0) + step * value


def element_text(kernel: Kernel, array: str, element: tuple[int, ...] | None, parameters: Mapping[str, int]) -> str:
    """``a(1,3)`` with Fortran's bounds; ``a(…)`` where the subscript is data; the bare name of a scalar."""
    declaration = kernel.declaration(array)
    if not declaration.shape:
        return array
    if element is None:
        return f"an element of {array}"
    lowers = [integer_value(dim.lower, parameters) for dim in declared_shape(declaration)]
    element = join_items(element, splits_of(declaration), lambda outer, inner, count: count * outer + inner)
    shown = [value + (1 if lower is None else lower) for value, lower in zip(element, lowers, strict=True)]
    return f"{array}({','.join(map(str, shown))})"


def _place(kernel: Kernel, statement: str, values: Mapping[str, int], parameters: Mapping[str, int]) -> str:
    where = kernel.statement_by_id[statement].where
    iteration = iteration_text(kernel, statement, values, parameters)
    return f"iteration {iteration} of {where}" if iteration else where


def describe(kernel: Kernel, witness: Witness) -> str:
    """The two instances as one sentence; the later one first, as a reader meets the problem."""
    element = element_text(kernel, witness.array, witness.element, witness.parameters)
    sink = _place(kernel, witness.sink_statement, witness.sink_values, witness.parameters)
    source = _place(kernel, witness.source_statement, witness.source_values, witness.parameters)
    verb = "writes" if witness.sink_writes else "reads"
    past = "wrote" if witness.source_writes else "read"
    sizes = ", ".join(f"{name}={value}" for name, value in witness.parameters.items())
    return f"{sink} {verb} {element}, which {source} {past}" + (f" (with {sizes})" if sizes else "")


def refusal(
    kernel: Kernel,
    source: Access,
    sink: Access,
    violation: Set,
    code: str,
    message: str,
    *,
    argument: str | None = None,
    value: str | None = None,
    hints: tuple[str, ...] = (),
) -> LegalityError:
    """The error for a violated dependence: a true pair of iterations, or what could not be proved about ``array``."""
    witness = find_witness(kernel, source, sink, violation)
    affine = witness is not None and (witness.element is not None)
    related: list[Related] = []
    for statement, verb in ((source.statement, source.is_write), (sink.statement, sink.is_write)):
        span = kernel.statement_by_id[statement].span
        if span is not None and all(span != known.span for known in related):
            related.append(Related(f"{'writes' if verb else 'reads'} {source.array} here", span))
    if affine:
        assert witness is not None
        notes = (describe(kernel, witness),)
    else:
        notes = (f"a subscript of '{source.array}' is data, so any two iterations may touch one element",)
        injective = _index_array(kernel, source) or _index_array(kernel, sink)
        if injective is not None:
            hints = (*hints, f'if {injective} never holds a value twice, say lp.assume_injective(knl, "{injective}")')
    error = LegalityError(
        code, message, argument=argument, value=value, related=tuple(related), notes=notes, hints=hints
    )
    error.witness = witness if affine else None
    return error


def _index_array(kernel: Kernel, access: Access) -> str | None:
    from fortrancl.ir.expr import subscripts

    for index in access.indices:
        for inner in subscripts(index):
            if isinstance(kernel.declaration(inner.array), Argument):
                return inner.array
    return None
