"""Other names for what a kernel holds, everywhere at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fortrancl.ir.expr import Expr, RuleCall, Subscript, Var, transform
from fortrancl.ir.kernel import Dim, Guard, Iname, Kernel, Rule, Statement
from fortrancl.ir.layout import map_dims
from fortrancl.ir.tree import Loop, Node, Run, rebuild


def rename(kernel: Kernel, names: Mapping[str, str], statements: Mapping[str, str]) -> Kernel:
    """The same kernel with other names of variables, inames and rules (``names``) and other statement ids.

    New names must not be names of the kernel already, unless those get new names too; the caller sees to it.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); temp t", [("t", "x[i]", {"i": "n"}), ("x[i]", "2*t", {"i": "n"})])
    >>> print(dump_tree(rename(kernel, {"i": "j", "t": "t_1"}, {"s1": "last"})))
    for j = 0 .. n - 1
      s0: t_1 = x[j]
      last: x[j] = 2*t_1
    """
    return _Renaming(names, statements).kernel(kernel)


class _Renaming:
    def __init__(self, names: Mapping[str, str], statements: Mapping[str, str]) -> None:
        self.names, self.statements = names, statements

    def name(self, old: str) -> str:
        return self.names.get(old, old)

    def expression(self, expr: Expr, hidden: frozenset[str] = frozenset()) -> Expr:
        """``hidden`` are parameters of a rule: they are no names of the kernel."""

        def change(node: Expr) -> Expr | None:
            if isinstance(node, Var) and node.name in self.names and node.name not in hidden:
                return Var(self.names[node.name])
            if isinstance(node, Subscript) and node.array in self.names:
                return Subscript(self.names[node.array], node.indices)
            if isinstance(node, RuleCall) and node.rule in self.names:
                return RuleCall(self.names[node.rule], node.arguments)
            return None

        return transform(expr, change)

    def shape(self, shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
        return tuple(
            Dim(self.expression(dim.lower), None if dim.extent is None else self.expression(dim.extent))
            for dim in shape
        )

    def all(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.name(name) for name in names)

    def iname(self, iname: Iname) -> Iname:
        return replace(
            iname,
            name=self.name(iname.name),
            trip=None if iname.trip is None else self.name(iname.trip),
            start=None if iname.start is None else self.expression(iname.start),
        )

    def statement(self, statement: Statement) -> Statement:
        target = self.expression(statement.target)
        assert isinstance(target, Var | Subscript)
        return replace(
            statement,
            id=self.statements.get(statement.id, statement.id),
            target=target,
            value=self.expression(statement.value),
            inames=self.all(statement.inames),
            domain=statement.domain.rename(self.names_of(statement.domain.names)),
            guards=tuple(
                Guard(self.name(guard.name), guard.value, tuple(self.expression(index) for index in guard.indices))
                for guard in statement.guards
            ),
        )

    def names_of(self, used: frozenset[str]) -> dict[str, str]:
        return {old: new for old, new in self.names.items() if old in used}

    def rule(self, rule: Rule) -> Rule:
        body = self.expression(rule.body, frozenset(rule.parameters))
        return Rule(self.name(rule.name), rule.parameters, body)

    def node(self, node: Node) -> tuple[Node, ...] | None:
        if isinstance(node, Loop):
            return (Loop(self.name(node.iname), node.body),)
        if isinstance(node, Run):
            return (Run(self.statements.get(node.statement, node.statement)),)
        return None

    def kernel(self, kernel: Kernel) -> Kernel:
        return replace(
            kernel,
            arguments=tuple(map_dims(replace(a, name=self.name(a.name)), self.shape) for a in kernel.arguments),
            temporaries=tuple(
                replace(
                    t,
                    name=self.name(t.name),
                    shape=self.shape(t.shape),
                    private_to=self.all(t.private_to),
                    base=None if t.base is None else self.name(t.base),
                )
                for t in kernel.temporaries
            ),
            inames=tuple(self.iname(iname) for iname in kernel.inames),
            statements=tuple(self.statement(statement) for statement in kernel.statements),
            tree=rebuild(kernel.tree, self.node),
            extents=tuple(replace(e, name=self.name(e.name), array=self.name(e.array)) for e in kernel.extents),
            rules=tuple(self.rule(rule) for rule in kernel.rules),
            assumptions=kernel.assumptions.rename(self.names_of(kernel.assumptions.names)),
            fixed=tuple(replace(fixed, name=self.name(fixed.name)) for fixed in kernel.fixed),
            promised_extents=tuple((self.name(a), self.expression(count)) for a, count in kernel.promised_extents),
            injective=frozenset(self.name(array) for array in kernel.injective),
            device_order=self.all(kernel.device_order),
            rewrites=tuple((self.name(old), self.expression(expr)) for old, expr in kernel.rewrites),
            retired=tuple(self.iname(iname) for iname in kernel.retired),
        )
