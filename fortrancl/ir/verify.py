"""Invariants of the IR, checked by machine: what every frontend, script step and pass must leave true.

A broken one is a fault of fortrancl, never of the user's input: hence an exception of its own, not a diagnostic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fortrancl.ir.expr import (
    COMPARISONS,
    LOGICAL_OPS,
    Binary,
    Call,
    Expr,
    Literal_,
    RuleCall,
    Subscript,
    Unary,
    Var,
    rule_names,
    walk,
)
from fortrancl.ir.kernel import Argument, Declaration, Dim, Kernel, Statement
from fortrancl.ir.layout import declared_shape
from fortrancl.ir.rules import expand_rules
from fortrancl.ir.tree import Loop, Run
from fortrancl.ir.tree import walk as walk_tree
from fortrancl.ir.typeof import type_of
from fortrancl.ir.types import ScalarType

_REAL_ARGUMENTS = frozenset(
    {
        "sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "hypot", "gamma", "log_gamma", "erf", "erfc", "erfc_scaled", "aint", "anint",
        "nint", "floor", "ceiling", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"
    }
)  # fmt: skip
_NUMBER_ARGUMENTS = frozenset({"abs", "min", "max", "mod", "modulo", "sign", "dim"})
_INTEGER_ARGUMENTS = frozenset(
    {
        "iand", "ior", "ieor", "not", "ishft", "ishftc", "btest", "ibset", "ibclr", "ibits", "shiftl", "shiftr",
        "shifta", "popcnt", "leadz", "trailz", "floordiv", "floormod"
    }
)  # fmt: skip
_ARGUMENT_COUNTS = {"atan2": 2, "hypot": 2, "mod": 2, "modulo": 2, "sign": 2, "dim": 2, "iand": 2, "ior": 2, "ieor": 2,
                    "ishft": 2, "btest": 2, "merge": 3, "floordiv": 2, "floormod": 2}  # fmt: skip


class InvalidKernel(Exception):
    """Broken invariants of a kernel, all of them, each one sentence."""

    def __init__(self, kernel: Kernel, violations: Iterable[str]) -> None:
        self.violations = tuple(violations)
        super().__init__(f"kernel '{kernel.name}' breaks invariants of the IR:\n  " + "\n  ".join(self.violations))


def verify(kernel: Kernel) -> None:
    """Check every invariant of the IR. Raises `InvalidKernel` with all that are broken.

    >>> from fortrancl.ir.tree import Block
    >>> verify(Kernel("k", (), (), (), (), Block((Run("s7"),))))
    Traceback (most recent call last):
    ...
    fortrancl.ir.verify.InvalidKernel: kernel 'k' breaks invariants of the IR:
      the tree runs 's7', which is no statement
    """
    violations = list(violations_of(kernel))
    if violations:
        raise InvalidKernel(kernel, violations)


def violations_of(kernel: Kernel) -> Iterator[str]:
    """The broken invariants, structure first: where that is wrong, expressions are not looked at."""
    structure = [*_names(kernel), *_tree(kernel), *_declarations(kernel), *_rules(kernel)]
    yield from structure
    if not structure:
        for statement in kernel.statements:
            yield from (f"statement '{statement.id}': {text}" for text in _statement(kernel, statement))
        yield from _private_uses(kernel)


# -- names and declarations -------------------------------------------------------------------------------------
def _names(kernel: Kernel) -> Iterator[str]:
    declared = [
        *(argument.name for argument in kernel.arguments),
        *(temporary.name for temporary in kernel.temporaries),
        *(iname.name for iname in kernel.inames),
        *(extent.name for extent in kernel.extents),
        *(rule.name for rule in kernel.rules),
        *kernel.temporaries_by_base,
    ]
    for name, count in Counter(name.lower() for name in declared).items():
        if count > 1:
            yield f"'{name}' names {count} things"
    for identifier, count in Counter(statement.id for statement in kernel.statements).items():
        if count > 1:
            yield f"{count} statements are called '{identifier}'"


def _variables(kernel: Kernel) -> tuple[Declaration, ...]:
    return (*kernel.arguments, *kernel.temporaries)


def _declarations(kernel: Kernel) -> Iterator[str]:
    sizes = {*kernel.parameters, *(a.name for a in kernel.arguments if not a.shape and a.type.base == "integer")}
    for name in sorted(kernel.assumptions.names - set(kernel.parameters)):
        yield f"the assumptions mention '{name}', which is no parameter"
    for declaration in _variables(kernel):
        yield from _shape(kernel, declaration.name, declaration.shape, sizes)
        yield from _layout(declaration)
    for extent in kernel.extents:
        array = kernel.argument_by_name.get(extent.array)
        if array is None or extent.axis >= len(declared_shape(array)):
            yield f"extent '{extent.name}' belongs to no axis of a dummy"
    for temporary in kernel.temporaries:
        for name in temporary.private_to:
            if name not in kernel.iname_by_name:
                yield f"'{temporary.name}' is private to '{name}', which is no iname"
        if temporary.values and temporary.name in kernel.written:
            yield f"constant '{temporary.name}' is written"
    for base, members in kernel.temporaries_by_base.items():
        if len({member.type for member in members}) > 1 or any(member.values for member in members):
            yield f"storage '{base}' is shared by values of several types, or by constants"
    for iname in kernel.inames:
        if iname.tag is not None and iname.tag.axis is not None and not 0 <= iname.tag.axis <= 2:
            yield f"iname '{iname.name}' has axis {iname.tag.axis}"
        if iname.trip is not None:
            trip = kernel.temporary_by_name.get(iname.trip)
            if trip is None or trip.shape or trip.type.base != "integer":
                yield f"the trip count of '{iname.name}' is '{iname.trip}', no integer scalar temporary"
    for argument in kernel.arguments:
        if argument.intent == "in" and argument.name in kernel.written:
            yield f"intent(in) argument '{argument.name}' is written"


def _shape(kernel: Kernel, name: str, shape: tuple[Dim, ...], sizes: set[str]) -> Iterator[str]:
    for position, dim in enumerate(shape):
        if dim.extent is None and position != len(shape) - 1:
            yield f"'{name}' has an unknown extent that is not its last"
        for expr in (dim.lower, dim.extent):
            for node in walk(expr) if expr is not None else ():
                if isinstance(node, Var) and node.name not in sizes:
                    yield f"the shape of '{name}' mentions '{node.name}', which is no size"
                elif isinstance(node, Subscript | RuleCall):
                    yield f"the shape of '{name}' reads an array or calls a rule"


def _layout(declaration: Declaration) -> Iterator[str]:
    rank = len(declaration.shape)
    for what, count in (("axis names", len(declaration.axis_names)), ("axis places", len(declaration.layout))):
        if count not in (0, rank):
            yield f"'{declaration.name}' has {count} {what} for rank {rank}"
    if isinstance(declaration, Argument) and len(declared_shape(declaration)) + len(declaration.splits) != rank:
        yield f"'{declaration.name}' has rank {rank} after {len(declaration.splits)} splits"


# -- the tree ---------------------------------------------------------------------------------------------------
def _tree(kernel: Kernel) -> Iterator[str]:
    lanes = {iname.name for iname in kernel.inames if iname.tag is not None and iname.tag.is_lane}
    counts: Counter[str] = Counter()
    for _, loops, node in walk_tree(kernel.tree):
        if isinstance(node, Run):
            counts[node.statement] += 1
            if node.statement not in kernel.statement_by_id:
                yield f"the tree runs '{node.statement}', which is no statement"
            else:
                yield from _surroundings(kernel, kernel.statement_by_id[node.statement], loops, lanes)
        elif isinstance(node, Loop):
            if node.iname not in kernel.iname_by_name:
                yield f"the tree loops over '{node.iname}', which is no iname"
            elif node.iname in lanes:
                yield f"iname '{node.iname}' is tagged {kernel.iname_by_name[node.iname].tag} but stands in the tree"
            if node.iname in loops:
                yield f"a loop over '{node.iname}' stands inside another"
            if not node.body.children:
                yield f"a loop over '{node.iname}' is empty"
            yield from _length(kernel, node.iname, {*loops, *lanes})
    for statement in kernel.statements:
        if counts[statement.id] != 1:
            yield f"statement '{statement.id}' stands {counts[statement.id]} times in the tree"


def _length(kernel: Kernel, name: str, around: set[str]) -> Iterator[str]:
    iname = kernel.iname_by_name.get(name)
    trip = kernel.temporary_by_name.get(iname.trip) if iname is not None and iname.trip is not None else None
    for owner in trip.private_to if trip is not None else ():
        if owner not in around:
            yield f"the loop over '{name}' stands outside '{owner}', which computes its length"


def _surroundings(kernel: Kernel, statement: Statement, loops: tuple[str, ...], lanes: set[str]) -> Iterator[str]:
    around, own = set(loops), set(statement.inames)
    if len(own) != len(statement.inames):
        yield f"statement '{statement.id}' lists an iname twice"
    for name in sorted(own - set(kernel.iname_by_name)):
        yield f"statement '{statement.id}' has '{name}', which is no iname"
    for name in sorted(around - own):
        yield f"statement '{statement.id}' stands in a loop over '{name}', which is not among its inames"
    for name in sorted((own - around - lanes) & set(kernel.iname_by_name)):
        yield f"statement '{statement.id}' has iname '{name}', but no loop over it stands round it"
    axes = Counter(str(kernel.iname_by_name[name].tag) for name in own & lanes)
    for axis, count in axes.items():
        if count > 1:
            yield f"statement '{statement.id}' has {count} inames on {axis}"


# -- rules ------------------------------------------------------------------------------------------------------
def _rules(kernel: Kernel) -> Iterator[str]:
    known = kernel.rule_by_name
    for rule in kernel.rules:
        if len(set(rule.parameters)) != len(rule.parameters):
            yield f"rule '{rule.name}' has one parameter twice"
        yield from _calls(kernel, f"rule '{rule.name}'", rule.body)
    for statement in kernel.statements:
        for expr in _expressions(statement):
            yield from _calls(kernel, f"statement '{statement.id}'", expr)
    depth = dict.fromkeys(known, 0)
    for _ in known:  # a chain of calls is no longer than there are rules, unless it is a circle
        for rule in kernel.rules:
            for callee in rule_names(rule.body) & set(known):
                depth[callee] = max(depth[callee], depth[rule.name] + 1)
    for name in sorted(name for name, value in depth.items() if value >= len(known)):
        yield f"rule '{name}' calls itself"


def _calls(kernel: Kernel, owner: str, expr: Expr) -> Iterator[str]:
    for node in walk(expr):
        if isinstance(node, RuleCall):
            rule = kernel.rule_by_name.get(node.rule)
            if rule is None:
                yield f"{owner} calls '{node.rule}', which is no rule"
            elif len(rule.parameters) != len(node.arguments):
                yield f"{owner} calls '{node.rule}' with {len(node.arguments)} arguments, not {len(rule.parameters)}"


# -- statements -------------------------------------------------------------------------------------------------
def _expressions(statement: Statement) -> tuple[Expr, ...]:
    return (statement.target, statement.value, *(index for guard in statement.guards for index in guard.indices))


def _statement(kernel: Kernel, statement: Statement) -> Iterator[str]:
    for name in sorted(statement.domain.names - set(statement.inames) - set(kernel.parameters)):
        yield f"its domain mentions '{name}', neither an iname of it nor a parameter"
    target = statement.target
    if isinstance(target, Var) and target.name not in {variable.name for variable in _variables(kernel)}:
        yield f"it assigns '{target.name}', which is no variable"
    for guard in statement.guards:
        declared = kernel.temporary_by_name.get(guard.name)
        if declared is None or declared.type.base != "logical":
            yield f"its guard '{guard.name}' is no logical temporary"
        elif len(guard.indices) != len(declared.shape):
            yield f"its guard '{guard.name}' has {len(guard.indices)} subscripts for rank {len(declared.shape)}"
    expressions = [expand_rules(expr, kernel) for expr in _expressions(statement)]
    broken = [text for expr in expressions for text in _references(kernel, statement, expr)]
    yield from broken
    if broken:
        return
    faults = [text for expr in expressions for text in _types(kernel, expr)]
    yield from faults
    if faults:
        return
    to, value = type_of(target, kernel), type_of(expressions[1], kernel)
    if to.is_numeric != value.is_numeric:
        yield f"a {value} value goes into a {to} variable"


def _references(kernel: Kernel, statement: Statement, expr: Expr) -> Iterator[str]:
    variables = _variables(kernel)
    scalars = {variable.name for variable in variables if not variable.shape}
    scalars |= {extent.name for extent in kernel.extents}
    arrays = {variable.name: len(variable.shape) for variable in variables if variable.shape}
    for node in walk(expr):
        if isinstance(node, Var) and node.name not in scalars and node.name not in statement.inames:
            what = "an iname of other statements" if node.name in kernel.iname_by_name else "not declared"
            yield f"'{node.name}' is {'an array' if node.name in arrays else what}"
        elif isinstance(node, Subscript):
            if node.array not in arrays:
                yield f"'{node.array}' is no array"
            elif len(node.indices) != arrays[node.array]:
                yield f"'{node.array}' has {len(node.indices)} subscripts for rank {arrays[node.array]}"


def _private_uses(kernel: Kernel) -> Iterator[str]:
    """A variable with a value of its own in each iteration has none outside the loop."""
    private = {t.name: set(t.private_to) for t in kernel.temporaries if t.private_to}
    for statement in kernel.statements:
        for name in sorted(_mentioned(kernel, statement) & set(private)):
            missing = sorted(private[name] - set(statement.inames))
            if missing:
                yield f"statement '{statement.id}' uses '{name}', private to '{missing[0]}', outside that loop"


def _mentioned(kernel: Kernel, statement: Statement) -> set[str]:
    names = {guard.name for guard in statement.guards}
    for expr in _expressions(statement):
        for node in walk(expand_rules(expr, kernel)):
            if isinstance(node, Var):
                names.add(node.name)
            elif isinstance(node, Subscript):
                names.add(node.array)
    return names


# -- types ------------------------------------------------------------------------------------------------------
def _types(kernel: Kernel, expr: Expr) -> Iterator[str]:
    """Operations on types that Fortran has none for. Operands first: a broken one has no type to ask for."""
    for node in reversed(list(walk(expr))):
        broken = _type_fault(kernel, node)
        if broken is not None:
            yield broken
            return


def _type_fault(kernel: Kernel, node: Expr) -> str | None:
    if isinstance(node, Literal_):
        return _literal_fault(node)
    if isinstance(node, Subscript):
        bad = [t for t in (type_of(index, kernel) for index in node.indices) if t.base != "integer"]
        return f"a subscript of '{node.array}' is {bad[0]}" if bad else None
    if isinstance(node, Unary):
        operand = type_of(node.operand, kernel)
        return f"'{node.op}' on {operand}" if operand.is_numeric == (node.op == "not") else None
    if isinstance(node, Binary):
        left, right = type_of(node.left, kernel), type_of(node.right, kernel)
        wants_numbers = node.op not in LOGICAL_OPS
        good = left.is_numeric == right.is_numeric == wants_numbers
        if good and node.op in COMPARISONS - {"==", "/="}:
            good = "complex" not in (left.base, right.base)
        return None if good else f"'{node.op}' on {left} and {right}"
    if isinstance(node, Call):
        return _call_fault(node.function, tuple(type_of(argument, kernel) for argument in node.arguments))
    return None


def _literal_fault(node: Literal_) -> str | None:
    kinds = {"integer": int, "real": float | int, "logical": bool, "complex": complex}
    fits = isinstance(node.value, kinds[node.type.base])
    if isinstance(node.value, bool) and node.type.base != "logical":
        fits = False
    return None if fits else f"literal {node.value!r} of type {node.type}"


def _call_fault(function: str, types: tuple[ScalarType, ...]) -> str | None:
    shown = f"{function}({', '.join(str(t) for t in types)})"
    wanted = _ARGUMENT_COUNTS.get(function)
    if wanted is not None and len(types) != wanted:
        return f"{shown} needs {wanted} arguments"
    bases = {t.base for t in types}
    if function == "merge":
        good = types[2].base == "logical" and types[0].base == types[1].base
    elif function in _INTEGER_ARGUMENTS:
        good = bases == {"integer"}
    elif function in _REAL_ARGUMENTS:
        good = bases == {"real"} or bases == {"complex"}
    elif function in _NUMBER_ARGUMENTS:
        good = len(bases) == 1 and bases <= {"integer", "real", "complex"}
    else:
        good = bool(types)
    return None if good else f"{shown} is not an operation of Fortran"
