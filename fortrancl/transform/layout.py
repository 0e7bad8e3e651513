"""Steps on arrays in memory: names of axes, split axes, the order of axes, padding.

They change where elements lie and how subscripts name them, never values: an argument whose memory differs from
Fortran's is copied on the device before and after the kernel (`schedule.repack`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd
from typing import Any

from fortrancl.analysis.dependences import known_names
from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.divide import divide
from fortrancl.ir.expr import Expr, Subscript, Var, subscripts, transform
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Argument, AxisSplit, Declaration, Kernel, Statement, Temporary
from fortrancl.ir.layout import constant, normalised, places, split_dims, split_items, split_places, strides
from fortrancl.ir.text import find_array
from fortrancl.poly import Set
from fortrancl.transform.arguments import Names, name_list
from fortrancl.transform.axis_tags import parse_layout, require_sound
from fortrancl.transform.loops import split_iname

Axis = int | str


def set_array_axis_names(kernel: Kernel, ary_names: Names, dim_names: Names) -> Kernel:
    """Name the axes of arrays, so that later steps can say ``"field"`` for axis 3.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; q(8,n)", [("q[0,e]", "0", {"e": "n"})])
    >>> set_array_axis_names(kernel, "q", "field,e").argument_by_name["q"].axis_names
    ('field', 'e')

    ``dim_names``: one name for each axis. Errors: FCL268 (no such array), FCL270.
    """
    names = name_list(dim_names)
    for array in _arrays(kernel, ary_names, "ary_names"):
        declaration = kernel.declaration(array)
        rank = len(declaration.shape)
        odd = next((n for n in names if not n.isidentifier() or not n.isascii() or names.count(n) > 1), None)
        if len(names) != rank or odd is not None:
            what = (
                f"'{array}' has {rank} axes, and {len(names)} names are given" if odd is None else f"axis name '{odd}'"
            )
            raise StepError(
                "FCL270",
                what if odd is None else f"{what} is given twice or is no name",
                argument="dim_names",
                value=odd,
                hints=("give each axis a name of its own",),
            )
        kernel = _with(kernel, replace(declaration, axis_names=names))
    return kernel


def split_array_axis(kernel: Kernel, array_names: Names, axis_nr: Axis, count: int, order: str = "C") -> Kernel:
    """Make two axes of one: subscript ``f`` becomes ``f/count`` and ``mod(f, count)``.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; q(n,8)", [("q[i,4*fo+fi]", "q[i,5]", {"i": "n", "fo": "2", "fi": "4"})])
    >>> print(dump_tree(split_array_axis(kernel, "q", 1, 4)))
    for i = 0 .. n - 1
      for fo = 0 .. 1
        for fi = 0 .. 3
          s0: q[i, fo, fi] = q[i, 1, 1]

    ``axis_nr``: a number from 0, or a name. ``order``: ``"C"`` puts the outer axis (named ``f_outer``) at ``axis_nr``
    and the inner one (``f_inner``) after it; ``"F"`` the inner one first. Elements stay where they are, but that an
    extent which is no multiple is filled up; `tag_array_axes` then moves them. Errors: FCL268, FCL270 (no such axis),
    FCL271 (a vector axis), FCL272 (order, count), FCL273 (assumed-size axis), FCL276 (constant table).
    Source: ARRAY'16, section 3.
    """
    if count < 1:
        raise StepError("FCL272", "an axis is split by a positive integer", argument="count")
    wanted = order.upper()
    if wanted not in ("C", "F"):
        raise StepError("FCL272", f"'{order}' is no order", argument="order", hints=('say "C" or "F"',))
    for array in _arrays(kernel, array_names, "array_names"):
        axis = _axis(kernel.declaration(array), axis_nr, "axis_nr")
        kernel = _split(kernel, array, AxisSplit(axis, count, "C" if wanted == "C" else "F"))
    return kernel


def _split(kernel: Kernel, array: str, split: AxisSplit) -> Kernel:
    declaration = kernel.declaration(array)
    if declaration.shape[split.axis].extent is None:
        raise StepError(
            "FCL273",
            f"axis {split.axis} of '{array}' is assumed-size, so it cannot be split",
            argument="axis_nr",
            hints=("declare its extent",),
        )
    if places(declaration)[split.axis].is_vector:
        raise StepError(
            "FCL271",
            f"axis {split.axis} of '{array}' is a vector already",
            argument="axis_nr",
            hints=("split it before tagging it",),
        )

    def cut(context: Set | None) -> Any:
        def index_pair(index: Expr, count: int) -> tuple[Expr, Expr]:
            return divide(index, count, known_names(kernel), context)

        def element(node: Expr) -> Expr | None:
            if isinstance(node, Subscript) and node.array == array:
                return Subscript(array, split_items(node.indices, split, index_pair))
            return None

        return lambda expr: transform(expr, element)

    def in_statement(statement: Statement) -> Statement:
        changed = map_expressions(statement, cut(statement.domain & kernel.assumptions))
        guards = tuple(
            replace(g, indices=split_items(g.indices, split, lambda i, n: divide(i, n, known_names(kernel), None)))
            if g.name == array
            else g
            for g in changed.guards
        )
        return replace(changed, guards=guards)

    names = declaration.axis_names
    new_names = split_items(names, split, lambda name, _: (f"{name}_outer", f"{name}_inner")) if names else ()
    layout = normalised(split_places(declaration, split))
    shape = split_dims(declaration.shape, split)
    result = replace(declaration, shape=shape, layout=layout, axis_names=new_names)
    if isinstance(declaration, Argument) and isinstance(result, Argument):
        declared = declaration.declared or declaration.shape
        result = replace(result, declared=declared, splits=(*declaration.splits, split))
    kernel = _with(kernel, result)
    return replace(
        kernel,
        statements=tuple(in_statement(statement) for statement in kernel.statements),
        rules=tuple(replace(rule, body=cut(None)(rule.body)) for rule in kernel.rules),
    )


def split_array_dim(
    kernel: Kernel,
    arrays_and_axes: Sequence[Any],
    count: int,
    auto_split_inames: bool = True,
    split_kwargs: Mapping[str, Any] | None = None,
    order: str = "C",
) -> Kernel:
    """Split axes of several arrays, and the loops that run along them.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; q(n,8)", [("q[i,f]", "0", {"i": "n", "f": "8"})])
    >>> print(dump_tree(split_array_dim(kernel, [("q", 1)], 4)))
    for i = 0 .. n - 1
      for f_outer = 0 .. 1
        for f_inner = 0 .. 3
          s0: q[i, f_outer, f_inner] = 0

    ``arrays_and_axes``: pairs of an array and an axis, or one pair; a third part is that axis' order. With
    ``auto_split_inames`` a loop whose variable alone is such a subscript is split likewise, ``split_kwargs`` going to
    `split_iname`. Errors: those of `split_array_axis` and `split_iname`.
    """
    pairs = [arrays_and_axes] if isinstance(arrays_and_axes, tuple) and _is_pair(arrays_and_axes) else arrays_and_axes
    for pair in pairs:
        if not _is_pair(pair):
            raise StepError(
                "FCL270",
                "axes are given as pairs of an array and an axis",
                argument="arrays_and_axes",
                value=str(pair),
                hints=('write [("q", 3), ("rhs", 3)]',),
            )
        arrays = _arrays(kernel, pair[0], "arrays_and_axes")
        for array in arrays:
            axis = _axis(kernel.declaration(array), pair[1], "arrays_and_axes")
            if auto_split_inames:
                for name in _loops_along(kernel, array, axis):
                    kernel = split_iname(kernel, name, count, **dict(split_kwargs or {}))
            kernel = split_array_axis(kernel, array, axis, count, pair[2] if len(pair) == 3 else order)
    return kernel


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, tuple | list)
        and len(pair) in (2, 3)
        and isinstance(pair[1], int | str)
        and isinstance(pair[0], str | tuple | list)
        and (len(pair) == 2 or isinstance(pair[2], str))
    )


def _loops_along(kernel: Kernel, array: str, axis: int) -> tuple[str, ...]:
    """Loops still in the tree whose variables alone are subscripts of an axis."""
    sides = [side for statement in kernel.statements for side in (statement.target, statement.value)]
    found: dict[str, None] = {}
    for side in (*sides, *(rule.body for rule in kernel.rules)):
        for reference in subscripts(side):
            index = reference.indices[axis] if reference.array == array else None
            iname = kernel.iname_by_name.get(index.name) if isinstance(index, Var) else None
            if iname is not None and iname.trip is None and not (iname.tag is not None and iname.tag.is_lane):
                found[iname.name] = None
    return tuple(found)


def tag_array_axes(kernel: Kernel, ary_names: Names, dim_tags: str | Sequence[str]) -> Kernel:
    """Say in which order the axes of arrays lie in memory.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.layout import place_text
    >>> kernel = build_kernel("k", "n; q(n,4,n)", [("q[i,f,e]", "0", {"e": "n", "f": "4", "i": "n"})])
    >>> [place_text(place) for place in tag_array_axes(kernel, "q", "N0,vec,N1").argument_by_name["q"].layout]
    ['N0', 'vec', 'N1']

    One tag for each axis: ``N0`` (varies fastest), ``N1`` …; ``vec``: the innermost axis, of constant extent 2, 4, 8 or
    16, its first element aligned; ``stride:17``: elements from one index to the next; ``f`` or ``c`` for all axes:
    first or last fastest. Tags that end with ``?`` are dropped, left ones first, until there are as many as axes.
    Errors: FCL268, FCL271 (no vector), FCL272 (tags), FCL273 (assumed-size axis not slowest), FCL274 (elements would
    overlap), FCL276. Source: ARRAY'16, section 3.
    """
    for array in _arrays(kernel, ary_names, "ary_names"):
        declaration = kernel.declaration(array)
        layout = parse_layout(declaration, dim_tags)
        changed = replace(declaration, layout=normalised(layout))
        require_sound(changed, "dim_tags")
        kernel = _with(kernel, changed)
    return kernel


def add_padding(kernel: Kernel, variable: str, axis: Axis, align_bytes: int) -> Kernel:
    """Round the distance between neighbours along an axis up to a multiple of ``align_bytes``.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "temp t(5,4)", [("t[i,j]", "0", {"j": "4", "i": "5"})])
    >>> padded = add_padding(kernel, "t", 1, 64)
    >>> [constant(stride) for stride in strides(padded.temporary_by_name["t"])]
    [1, 8]

    Errors: FCL268, FCL270 (no such axis), FCL274, FCL275 (stride not constant; bytes no multiple of the element's),
    FCL276.
    """
    declaration, number, stride = _constant_stride(kernel, variable, axis)
    size = declaration.type.size
    if align_bytes < 1 or align_bytes % size:
        raise StepError(
            "FCL275",
            f"an element of '{declaration.name}' takes {size} bytes: align_bytes is a multiple of that",
            argument="align_bytes",
        )
    elements = align_bytes // size
    layout = list(places(declaration))
    own = layout[number]
    if own.stride is not None:
        layout[number] = replace(own, stride=-(-stride // elements) * elements)
    else:
        vector = next(
            (constant(d.extent) or 1 for d, p in zip(declaration.shape, layout, strict=True) if p.is_vector), 1
        )
        layout[number] = replace(
            own, multiple=_lcm(own.multiple, elements if own.is_vector else _lcm(elements, vector))
        )
    changed = replace(declaration, layout=tuple(layout))
    require_sound(changed, "axis")
    return _with(kernel, changed)


def find_padding_multiple(
    kernel: Kernel, variable: str, axis: Axis, align_bytes: int, allowed_waste: float = 0.1
) -> int:
    """By how many to split an axis so that `add_padding` wastes little: the least number of neighbours along it whose
    bytes, rounded up to ``align_bytes``, grow by ``allowed_waste`` at most.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "temp t(5,4)", [("t[i,j]", "0", {"j": "4", "i": "5"})])
    >>> find_padding_multiple(kernel, "t", 1, 64)
    3

    Errors: FCL268, FCL270, FCL275.
    """
    declaration, _, stride = _constant_stride(kernel, variable, axis)
    if align_bytes < 1 or allowed_waste < 0:
        raise StepError("FCL275", "align_bytes is positive, and waste not negative", argument="align_bytes")
    bytes_each = stride * declaration.type.size
    multiple = 1
    while -bytes_each * multiple % align_bytes > allowed_waste * bytes_each * multiple:
        multiple += 1
    return multiple


# -- look-ups -------------------------------------------------------------------------------------------------------
def _arrays(kernel: Kernel, names: Names, argument: str) -> tuple[str, ...]:
    """Arrays by their declared spelling. Errors: FCL268, FCL276."""
    result = []
    for name in name_list(names):
        array = find_array(kernel, name)
        if array is None:
            declared: tuple[Declaration, ...] = (*kernel.arguments, *kernel.temporaries)
            known = [d.name for d in declared if d.shape]
            raise StepError(
                "FCL268",
                f"kernel '{kernel.name}' has no array '{name}'",
                argument=argument,
                value=name,
                notes=(f"its arrays are {', '.join(known)}",) if known else (),
                hints=did_you_mean(name, known),
            )
        declaration = kernel.declaration(array)
        if isinstance(declaration, Temporary) and declaration.values:
            raise StepError(
                "FCL276",
                f"'{array}' is a table of constants, whose memory stays as it is",
                argument=argument,
                value=name,
            )
        result.append(array)
    return tuple(result)


def _axis(declaration: Declaration, axis: Axis, argument: str) -> int:
    """Number of an axis, given by that or by name. Errors: FCL270."""
    rank = len(declaration.shape)
    names = [name.lower() for name in declaration.axis_names]
    if isinstance(axis, str) and axis.strip().lower() in names:
        return names.index(axis.strip().lower())
    number = int(axis) if isinstance(axis, str) and axis.strip().isdigit() else axis
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < rank:
        return number
    called = f", called {', '.join(declaration.axis_names)}" if names else ""
    raise StepError(
        "FCL270",
        f"'{declaration.name}' has no axis {axis!r}",
        argument=argument,
        value=str(axis),
        notes=(f"its {rank} axes are 0 to {rank - 1}{called}",),
        hints=did_you_mean(axis, declaration.axis_names) if isinstance(axis, str) else (),
    )


def _constant_stride(kernel: Kernel, variable: str, axis: Axis) -> tuple[Declaration, int, int]:
    (array,) = _arrays(kernel, (variable,), "variable")
    declaration = kernel.declaration(array)
    number = _axis(declaration, axis, "axis")
    stride = constant(strides(declaration)[number])
    if stride is None or stride < 1:
        raise StepError(
            "FCL275",
            f"the stride of axis {number} of '{array}' is not known at compile time",
            argument="axis",
            hints=("lp.fix_parameters makes the sizes that it depends on constants",),
        )
    return declaration, number, stride


def _with(kernel: Kernel, changed: Declaration) -> Kernel:
    return replace(
        kernel,
        arguments=tuple(
            changed if isinstance(changed, Argument) and a.name == changed.name else a for a in kernel.arguments
        ),
        temporaries=tuple(
            changed if isinstance(changed, Temporary) and t.name == changed.name else t for t in kernel.temporaries
        ),
    )


def _lcm(one: int, two: int) -> int:
    return one * two // gcd(one, two)
