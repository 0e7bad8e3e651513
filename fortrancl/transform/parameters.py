"""Steps on scalar arguments and on what only the user knows about the data."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.affine import to_set
from fortrancl.ir.expr import Expr, Literal_, scalar_names, subscripts, substitute
from fortrancl.ir.inames import map_expressions, map_rule
from fortrancl.ir.kernel import Argument, Dim, FixedParameter, Kernel, Statement
from fortrancl.ir.layout import map_dims
from fortrancl.ir.text import find_array, literal_of, parse_condition, parse_expression
from fortrancl.poly import Aff, Set


def fix_parameters(kernel: Kernel, **values: bool | int | float) -> Kernel:
    """Set scalar arguments to constants of their declared types; they stay dummies and are checked at run time.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "n", {"i": "n"})])
    >>> print(dump_tree(fix_parameters(kernel, n=8)))
    for i = 0 .. 7
      s0: x[i] = 8

    Errors: FCL268 (no such scalar), FCL269 (written, or a value of another type).
    """
    for name, value in values.items():
        kernel = _fix(kernel, name, value)
    return kernel


def _fix(kernel: Kernel, name: str, value: object) -> Kernel:
    argument = _scalar(kernel, name)
    if argument.name in kernel.written:
        raise StepError("FCL269", f"the kernel writes '{argument.name}', so it has no fixed value", argument=name)
    literal = literal_of(value, argument.type)
    if literal is None:
        raise StepError(
            "FCL269", f"{value!r} is no value of '{argument.name}', which is {argument.type}", argument=name
        )
    values: dict[str, Expr] = {argument.name: literal}

    def in_statement(statement: Statement) -> Statement:
        changed = map_expressions(statement, lambda expr: substitute(expr, values))
        return replace(changed, domain=_fixed(statement.domain, argument.name, literal))

    def in_shape(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
        return tuple(
            Dim(substitute(d.lower, values), None if d.extent is None else substitute(d.extent, values)) for d in shape
        )

    return replace(
        kernel,
        arguments=tuple(map_dims(a, in_shape) for a in kernel.arguments),
        temporaries=tuple(replace(t, shape=in_shape(t.shape)) for t in kernel.temporaries),
        statements=tuple(in_statement(s) for s in kernel.statements),
        rules=tuple(map_rule(rule, values) for rule in kernel.rules),
        assumptions=_fixed(kernel.assumptions, argument.name, literal),
        inames=tuple(replace(i, start=None if i.start is None else substitute(i.start, values)) for i in kernel.inames),
        promised_extents=tuple((array, substitute(count, values)) for array, count in kernel.promised_extents),
        rewrites=tuple((old, substitute(expr, values)) for old, expr in kernel.rewrites),
        fixed=(*kernel.fixed, FixedParameter(argument.name, literal)),
    )


def _fixed(domain: Set, name: str, literal: Literal_) -> Set:
    if not isinstance(literal.value, int) or isinstance(literal.value, bool):
        return domain
    return (domain & Aff.name(name).eq(literal.value)).project_out([name])


def _scalar(kernel: Kernel, name: str) -> Argument:
    found = next((a for a in kernel.arguments if a.name.lower() == name.lower()), None)
    if found is None or found.shape:
        scalars = [a.name for a in kernel.arguments if not a.shape]
        raise StepError(
            "FCL268",
            f"kernel '{kernel.name}' has no scalar argument '{name}'",
            argument=name,
            notes=(f"its scalars are {', '.join(scalars)}",) if scalars else (),
            hints=did_you_mean(name, scalars),
        )
    return found


def assume(kernel: Kernel, assumptions: str) -> Kernel:
    """Take a condition on the sizes as given: ``"n >= 1 and n mod 16 = 0"``.

    Errors: FCL250, FCL258 where it is not affine in integer arguments that the kernel never writes.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> assume(kernel, "n mod 4 = 0").assumptions.sample()
    {'n': 0}
    """
    condition = parse_condition(assumptions, kernel, argument="assumptions")
    found = to_set(condition, frozenset(kernel.parameters).__contains__)
    if found is None:
        raise StepError(
            "FCL258",
            f"'{assumptions}' is no condition that is affine in {', '.join(kernel.parameters) or 'the sizes'}",
            argument="assumptions",
        )
    together = kernel.assumptions & found
    if together.is_empty():
        raise StepError(
            "FCL258", f"no sizes satisfy '{assumptions}' and what was assumed before", argument="assumptions"
        )
    return replace(kernel, assumptions=together)


def assume_extent(kernel: Kernel, array: str, extent: str) -> Kernel:
    """Promise how many elements an assumed-size array has, as an expression in scalar arguments.

    Errors: FCL250, FCL268 (no such array argument), FCL252 (the expression reads arrays or loops).

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(*)", [("x[i]", "0", {"i": "n"})])
    >>> assume_extent(kernel, "x", "1+(n-1)*2").promised_extents[0][0]
    'x'
    """
    name = _array(kernel, array, "array")
    count = parse_expression(extent, kernel, argument="extent")
    allowed = {a.name for a in kernel.arguments if not a.shape} | {e.name for e in kernel.extents}
    if any(subscripts(count)) or not scalar_names(count) <= allowed:
        raise StepError("FCL252", "the element count is an expression in scalar arguments", argument="extent")
    others = tuple(pair for pair in kernel.promised_extents if pair[0] != name)
    return replace(kernel, promised_extents=(*others, (name, count)))


def assume_injective(kernel: Kernel, array: str) -> Kernel:
    """Promise that an integer array argument never holds a value twice, so x(map(i)) and x(map(j)) are one element only
    where i = j.

    Errors: FCL268, FCL252 where it is no integer array or the kernel writes it.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); int map(n)", [("x[map[i]-1]", "0", {"i": "n"})])
    >>> sorted(assume_injective(kernel, "map").injective)
    ['map']
    """
    name = _array(kernel, array, "array")
    if kernel.declaration(name).type.base != "integer" or name in kernel.written:
        raise StepError(
            "FCL252", f"'{name}' is no integer array that the kernel only reads", argument="array", value=name
        )
    return replace(kernel, injective=kernel.injective | {name})


def assume_no_alias(kernel: Kernel, *arrays: str) -> Kernel:
    """Fortran forbids aliased dummies where one is written, so nothing is left to promise; the names are checked.

    Errors: FCL268.
    """
    for array in arrays:
        _array(kernel, array, "arrays")
    return kernel


def _array(kernel: Kernel, name: str, argument: str) -> str:
    found = find_array(kernel, name)
    if found is None or found not in kernel.argument_by_name:
        arrays = [a.name for a in kernel.arguments if a.shape]
        raise StepError(
            "FCL268",
            f"kernel '{kernel.name}' has no array argument '{name}'",
            argument=argument,
            value=name,
            hints=did_you_mean(name, arrays),
        )
    return found
