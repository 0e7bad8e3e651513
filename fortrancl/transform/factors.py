"""Factors common to all updates of a sum, multiplied once where the sum is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import accesses_of, expand_rules, reduction_of
from fortrancl.analysis.legality import reads_of
from fortrancl.diagnostics import StepError
from fortrancl.ir.expr import (
    Binary,
    Expr,
    Literal_,
    RuleCall,
    Subscript,
    Unary,
    Var,
    scalar_names,
    substitute,
    transform,
    walk,
)
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Kernel, Note, Statement, Temporary
from fortrancl.ir.typeof import type_of
from fortrancl.transform.copy_domain import in_bounds
from fortrancl.transform.rules import drop_uncalled, expand_only
from fortrancl.transform.temporaries import find_temporaries


def collect_common_factors_on_increment(
    kernel: Kernel, var_name: str, vary_by_axes: Sequence[int | str] = ()
) -> Kernel:
    """Take the factors that all updates ``x = x + f*g`` of a local variable share out of them, and multiply where it is
    read.

    A factor reads nothing that the kernel writes, and is one value for all updates of an element: it depends on loops
    that the variable is private to, and on the subscripts of the axes in ``vary_by_axes`` (numbers from 0).

    >>> from fortrancl.analysis.privatise import privatise
    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = privatise(build_kernel("k", "n; x(n); y(n); z(n); temp s", [("s", "0", {"i": "n"}),
    ...     ("s", "s + y[i]*z[j]", {"i": "n", "j": "n"}), ("x[i]", "s", {"i": "n"})]))
    >>> print(dump_tree(collect_common_factors_on_increment(kernel, "s")))
    for i = 0 .. n - 1
      s0: s = 0
      for j = 0 .. n - 1
        s1: s = s + z[j]
      s2: x[i] = s*y[i]

    The sums round otherwise: a note tells. Errors: FCL252 (axes), FCL261 (no common factor), FCL268, FCL286
    (assignments other than 0 and updates, or the product cannot be computed at a read). Source: ARRAY'16, section 3;
    design section 5.5.
    """
    temporary = find_temporaries(kernel, var_name, "var_name")[0]
    axes = _axes(temporary, vary_by_axes)
    updates = _updates(kernel, temporary)
    terms = [term for update in updates for term in _terms(kernel, update)]
    common = _common(kernel, temporary, terms, axes)
    if not common:
        raise StepError(
            "FCL261",
            f"the updates of '{temporary.name}' have no factor in common that can be taken out",
            argument="var_name",
            hints=("vary_by_axes names the axes along which a factor may vary",) if temporary.shape else (),
        )
    changed = {update.id: _without(kernel, temporary, update, common, axes) for update in updates}
    result = _multiplied(kernel.with_statements(changed), temporary, common, set(changed))
    note = Note(
        f"the updates of '{temporary.name}' are summed without their common factor, and multiplied once: the sums "
        "round otherwise",
        updates[0].span,
    )
    return drop_uncalled(replace(result, notes=(*kernel.notes, note)))


@dataclass(frozen=True)
class _Term:
    """One summand of an update: its factors, and what each is over ``$0`` … for the subscripts of the target."""

    update: Statement
    factors: tuple[Expr, ...]


def _axes(temporary: Temporary, given: Sequence[int | str]) -> frozenset[int]:
    names = list(temporary.axis_names)
    found = set()
    for axis in given:
        number = names.index(axis) if axis in names else int(axis) if str(axis).isdigit() else -1
        if not 0 <= number < len(temporary.shape):
            raise StepError(
                "FCL252",
                f"'{temporary.name}' has {len(temporary.shape)} axes, and none is {axis!r}",
                argument="vary_by_axes",
                value=str(axis),
            )
        found.add(number)
    return frozenset(found)


def _updates(kernel: Kernel, temporary: Temporary) -> list[Statement]:
    """Statements that add to the variable; all others that write it set 0. Errors: FCL286."""
    result = []
    for statement in kernel.statements:
        if statement.target_name != temporary.name:
            continue
        value = statement.value
        if isinstance(value, Literal_) and value.value == 0:
            continue
        if reduction_of(statement, kernel) == "+" and type_of(value, kernel) == temporary.type:
            result.append(replace(statement, value=_opened(kernel, value)))
            continue
        where = statement.where
        raise StepError(
            "FCL286", f"{where} sets '{temporary.name}' to neither 0 nor a sum with itself", argument="var_name"
        )
    if not result:
        raise StepError("FCL261", f"nothing is added to '{temporary.name}'", argument="var_name")
    return result


def _opened(kernel: Kernel, value: Expr) -> Expr:
    """Calls of rules that are products, among the factors of the summands, replaced by those products."""
    if isinstance(value, Binary) and value.op in ("+", "-", "*"):
        return Binary(value.op, _opened(kernel, value.left), _opened(kernel, value.right))
    if isinstance(value, Binary) and value.op == "/":
        return Binary("/", _opened(kernel, value.left), value.right)
    if isinstance(value, Unary) and value.op in ("-", "+"):
        return Unary(value.op, _opened(kernel, value.operand))
    if isinstance(value, RuleCall):
        rule = kernel.rule_by_name[value.rule]
        body = _opened(kernel, substitute(rule.body, dict(zip(rule.parameters, value.arguments, strict=True))))
        if len(list(_factors(body))) > 1:
            return body
    return value


def _summands(value: Expr) -> Iterator[Expr]:
    if isinstance(value, Binary) and value.op in ("+", "-"):
        yield from _summands(value.left)
        yield from _summands(value.right)
    else:
        yield value


def _terms(kernel: Kernel, update: Statement) -> Iterator[_Term]:
    for summand in _summands(update.value):
        if summand != update.target:
            yield _Term(update, tuple(_factors(summand)))


def _factors(value: Expr) -> Iterator[Expr]:
    """Factors of a product, signs and divisors left out."""
    if isinstance(value, Binary) and value.op == "*":
        yield from _factors(value.left)
        yield from _factors(value.right)
    elif isinstance(value, Binary) and value.op == "/":
        yield from _factors(value.left)
    elif isinstance(value, Unary) and value.op in ("-", "+"):
        yield from _factors(value.operand)
    else:
        yield value


def _canonical(
    kernel: Kernel, temporary: Temporary, update: Statement, factor: Expr, axes: frozenset[int]
) -> Expr | None:
    """The factor over the element (``$0`` … are its subscripts) and the variable's own loops; None if it is no function
    of them, or may change."""
    expanded = expand_rules(factor, kernel)
    if any(_name(read) in kernel.written for read in reads_of(expanded, kernel)) or isinstance(expanded, Literal_):
        return None
    indices = update.target.indices if isinstance(update.target, Subscript) else ()
    places: dict[str, Expr] = {}
    for axis in sorted(axes):
        index = indices[axis]
        if isinstance(index, Var) and index.name not in temporary.private_to:
            places.setdefault(index.name, Var(f"${axis}"))
    allowed = {*temporary.private_to, *places, *kernel.parameters}
    free = scalar_names(expanded) & ({*kernel.iname_by_name} | {*kernel.parameters})
    return substitute(expanded, places) if free <= allowed else None


def _name(read: Subscript | Var) -> str:
    return read.array if isinstance(read, Subscript) else read.name


def _common(kernel: Kernel, temporary: Temporary, terms: Sequence[_Term], axes: frozenset[int]) -> list[Expr]:
    """Factors, over the element, that every term has (as often as the term with the fewest)."""
    shared: list[Expr] | None = None
    for term in terms:
        found = [_canonical(kernel, temporary, term.update, factor, axes) for factor in term.factors]
        # Without a factor the rest of the product must still have its type: real(4) must not replace real(8).
        wide = [
            canonical
            for factor, canonical in zip(term.factors, found, strict=True)
            if canonical is not None and type_of(factor, kernel) == temporary.type and len(term.factors) > 1
        ]
        rest_types = {type_of(factor, kernel) for factor in term.factors}
        if rest_types != {temporary.type}:
            wide = []
        if shared is None:
            shared = wide
        else:
            left = list(wide)
            kept = []
            for factor in shared:
                if factor in left:
                    left.remove(factor)
                    kept.append(factor)
            shared = kept
    return shared or []


def _without(
    kernel: Kernel, temporary: Temporary, update: Statement, common: Sequence[Expr], axes: frozenset[int]
) -> Statement:
    """The update with the common factors left out of each term."""

    def summand(value: Expr) -> Expr:
        if isinstance(value, Binary) and value.op in ("+", "-"):
            return Binary(value.op, summand(value.left), summand(value.right))
        if value == update.target:
            return value
        rest = product(value, list(common))
        return rest if rest is not None else _one(temporary)

    def product(value: Expr, gone: list[Expr]) -> Expr | None:
        """What is left of a product, or None for 1; takes the factors that it meets out of ``gone``."""
        if isinstance(value, Binary) and value.op == "*":
            left, right = product(value.left, gone), product(value.right, gone)
            if left is None or right is None:
                return right if left is None else left
            return Binary("*", left, right)
        if isinstance(value, Binary) and value.op == "/":
            return Binary("/", product(value.left, gone) or _one(temporary), value.right)
        if isinstance(value, Unary) and value.op in ("-", "+"):
            return Unary(value.op, product(value.operand, gone) or _one(temporary))
        canonical = _canonical(kernel, temporary, update, value, axes)
        if canonical is not None and canonical in gone:
            gone.remove(canonical)
            return None
        return value

    return replace(update, value=summand(update.value))


def _one(temporary: Temporary) -> Literal_:
    return Literal_(1 if temporary.type.base == "integer" else 1.0, temporary.type)


def _multiplied(kernel: Kernel, temporary: Temporary, common: Sequence[Expr], updates: set[str]) -> Kernel:
    """Every read, but those of the updates themselves, times the factors. Errors: FCL286."""
    readers = {a.statement for a in accesses_of(kernel, temporary.name) if not a.is_write} - updates
    guards = {guard.name for statement in kernel.statements for guard in statement.guards}
    if temporary.name in guards or not readers:
        raise StepError("FCL286", f"nothing reads '{temporary.name}' but its updates", argument="var_name")
    reading = frozenset(
        rule.name
        for rule in kernel.rules
        if any(_is_read(node, temporary.name) for node in walk(expand_rules(rule.body, kernel)))
    )

    def change(statement: Statement) -> Statement:
        def times(node: Expr) -> Expr | None:
            if not _is_read(node, temporary.name):
                return None
            indices = node.indices if isinstance(node, Subscript) else ()
            result = node
            for factor in common:
                here = substitute(factor, {f"${axis}": index for axis, index in enumerate(indices)})
                _require_computable(kernel, temporary, statement, here)
                result = Binary("*", result, here)
            return result

        return map_expressions(statement, lambda expr: transform(expand_only(expr, kernel, reading), times))

    changed = {name: change(kernel.statement_by_id[name]) for name in readers}
    return kernel.with_statements(changed)


def _is_read(node: Expr, name: str) -> bool:
    return (isinstance(node, Subscript) and node.array == name) or node == Var(name)


def _require_computable(kernel: Kernel, temporary: Temporary, statement: Statement, factor: Expr) -> None:
    """The factor stays in bounds wherever the variable is read, also where nothing was added."""
    inside = in_bounds(kernel, factor, set())
    strangers = scalar_names(factor) & ({*kernel.iname_by_name} - set(statement.inames))
    if strangers or inside is None or not statement.domain & kernel.assumptions <= inside:
        where = statement.where
        raise StepError(
            "FCL286",
            f"the common factor is not proved to be in bounds where {where} reads '{temporary.name}'",
            argument="var_name",
            hints=("lp.assume or lp.fix_parameters can bound the sizes",),
        )
