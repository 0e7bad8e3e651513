"""How large a script may make a kernel: a script that transforms without end is stopped before it takes forever.

Expressions are measured as they would be with every rule call replaced by the rule's body, without replacing any:
rules that call rules twice grow twofold with each level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fortrancl.ir.expr import Expr, RuleCall, Var, children, walk
from fortrancl.ir.kernel import Kernel
from fortrancl.script.faults import Fault
from fortrancl.script.limits import MAX_NODES, MAX_RULE_DEPTH, MAX_STATEMENT_LOOPS


def require_moderate(kernel: Kernel) -> None:
    """Refuse a kernel that grew out of all proportion. Errors: FCL215, FCL216."""
    for statement in kernel.statements:
        if len(statement.inames) > MAX_STATEMENT_LOOPS:
            raise Fault("FCL216", f"a statement of the kernel now runs inside more than {MAX_STATEMENT_LOOPS} loops")
    if not kernel.rules:
        return
    bodies = (*(statement.value for statement in kernel.statements), *(rule.body for rule in kernel.rules))
    sizes = _Sizes(kernel, max(MAX_NODES, 2 * max(sum(1 for _ in walk(body)) for body in bodies)))
    for rule in kernel.rules:
        sizes.rule(rule.name, 0)
    for statement in kernel.statements:
        sizes.expression(statement.value, 0)


class _Sizes:
    """Nodes of expanded expressions, and how often each scalar name occurs in them."""

    def __init__(self, kernel: Kernel, most: int) -> None:
        self.kernel, self.most = kernel, most
        self.known: dict[str, tuple[int, Mapping[str, int]]] = {}

    def rule(self, name: str, depth: int) -> tuple[int, Mapping[str, int]]:
        if depth > MAX_RULE_DEPTH:
            raise Fault("FCL216", f"rules of the kernel now call each other more than {MAX_RULE_DEPTH} levels deep")
        if name not in self.known:
            self.known[name] = self.expression(self.kernel.rule_by_name[name].body, depth + 1)
        return self.known[name]

    def expression(self, expr: Expr, depth: int) -> tuple[int, Mapping[str, int]]:
        nodes = 1
        names: Counter[str] = Counter()
        if isinstance(expr, Var):
            names[expr.name] = 1
        elif isinstance(expr, RuleCall):
            rule = self.kernel.rule_by_name[expr.rule]
            nodes, inside = self.rule(expr.rule, depth)
            names.update({name: count for name, count in inside.items() if name not in rule.parameters})
            for parameter, argument in zip(rule.parameters, expr.arguments, strict=True):
                times = inside.get(parameter, 0)
                size, of_argument = self.expression(argument, depth)
                nodes += times * (size - 1)
                names.update({name: times * count for name, count in of_argument.items()})
        else:
            for child in children(expr):
                size, of_child = self.expression(child, depth)
                nodes += size
                names.update(of_child)
        if nodes > self.most:
            raise Fault("FCL215", f"an expression of the kernel now has more than {self.most:,} parts")
        return nodes, names
