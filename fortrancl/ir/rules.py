"""Substitution rules, put in place."""

from __future__ import annotations

from fortrancl.ir.expr import Expr, RuleCall, substitute, transform
from fortrancl.ir.kernel import Kernel


def expand_rules(expr: Expr, kernel: Kernel) -> Expr:
    """Every rule call replaced by the rule's body, innermost arguments first."""

    def expand(node: Expr) -> Expr | None:
        if not isinstance(node, RuleCall):
            return None
        rule = kernel.rule_by_name[node.rule]
        return substitute(expand_rules(rule.body, kernel), dict(zip(rule.parameters, node.arguments, strict=True)))

    return transform(expr, expand) if kernel.rules else expr
