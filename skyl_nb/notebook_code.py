"""What the code of a notebook uses: names, magics and statements, read from the syntax tree.

A word in a string, a comment or a sentence is no use of it; `import time as t` followed by
`t.sleep` is. So every use is given by its full dotted name, such as `time.sleep`, whatever the
notebook calls it. Imports of earlier cells count in later ones, as they do in a kernel. Magics and
shell lines are turned into calls first, by IPython itself.

Three kinds of use have no dotted name, and get one here, so that one table can speak of all:
`magic.NAME` for `%NAME` and `%%NAME`; `IPython.display_id` for a display that will be updated; and
`IPython.display_handle` for what such a display returned.
"""

import ast
import io
import itertools
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from IPython.core.inputtransformer2 import TransformerManager

# What IPython puts into every notebook, and the one builtin that matters to us. A notebook may use
# such a name for something of its own; then it is that.
_BUILTINS = {"input": "builtins.input", "display": "IPython.display.display"}
_MAGIC_CALLS = {"run_line_magic", "run_cell_magic"}
_BLANK_TOKENS = {tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
_LINE_ENDS = {tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Code:
    """A cell's code: plain Python, in which magics are calls, and its syntax tree."""

    python: str
    tree: ast.Module


@dataclass
class Names:
    """What the names of a notebook stand for, learnt cell by cell.

    Attributes:
        imported: dotted origin by the name the notebook uses.
        starred: modules of which everything was imported.
        bound: names that the notebook gives a meaning of its own.
    """

    imported: dict[str, str] = field(default_factory=dict)
    starred: list[str] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)


def parse(source: str) -> Code | None:
    """Return the code of a cell, None if it is no valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a cell is not our reader's concern
            python = TransformerManager().transform_cell(source)
            return Code(python, ast.parse(python))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # ValueError: a null byte, or half a surrogate pair


def uses(code: Code, names: Names) -> frozenset[str]:
    """Return the dotted names that a cell uses, and add to `names` what it imports and binds."""
    for node in ast.walk(code.tree):
        _learn(node, names)
    return frozenset(found for node in ast.walk(code.tree) for found in _found(node, names))


def has_trailing_semicolon(code: Code) -> bool:
    """Tell whether a line of the cell ends in `;`, which hides the cell's output."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(code.python).readline)
        if token.type not in _BLANK_TOKENS
    ]
    return any(
        token.string == ";" and after.type in _LINE_ENDS
        for token, after in itertools.pairwise(tokens)
    )


def shows_something(code: Code) -> bool:
    """Tell whether a cell's last statement must leave an output: a value, a print, or a display.

    Any other call may return None, so it proves nothing.
    """
    last = code.tree.body[-1] if code.tree.body else None
    if not isinstance(last, ast.Expr):
        return False
    match last.value:
        case ast.Call(func=ast.Name(id="print"), keywords=keywords):
            return not {"end", "file"} & {keyword.arg for keyword in keywords}
        case ast.Call(func=ast.Name(id="display"), args=args):
            return bool(args)
        case ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.Constant(value=None):
            return False
    return True


def _learn(node: ast.AST, names: Names) -> None:
    """Add to `names` what one node of the tree imports or binds."""
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                root = alias.name.partition(".")[0]
                names.imported[alias.asname or root] = alias.name if alias.asname else root
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            for alias in aliases:
                if alias.name == "*":
                    names.starred.append(module)
                else:
                    names.imported[alias.asname or alias.name] = f"{module}.{alias.name}"
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            names.bound.add(name)
            for origin in _meanings(value, names)[:1]:
                names.imported[name] = origin
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            names.bound.add(name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            names.bound.add(name)


def _meanings(value: ast.expr, names: Names) -> list[str]:
    """Return what an assigned value stands for: a module's other name, or a display's handle."""
    if isinstance(value, ast.Call):
        return ["IPython.display_handle"] if _is_handle(value, names) else []
    return _origins(value, names)


def _found(node: ast.AST, names: Names) -> Iterator[str]:
    """Yield the dotted names that one node of the tree stands for."""
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            yield from (f"{module}.{alias.name}" for alias in aliases)
        case ast.Name() | ast.Attribute():
            yield from _origins(node, names)
        case ast.Call(
            func=ast.Attribute(attr=method), args=[ast.Constant(value=str(magic)), *_]
        ) if method in _MAGIC_CALLS:
            yield f"magic.{magic}"
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Name(id="get_ipython")), attr="system" | "getoutput"
            )
        ):
            yield "magic.!"
        case ast.Call() if _is_handle(node, names):
            yield "IPython.display_id"


def _is_handle(call: ast.Call, names: Names) -> bool:
    """Tell whether a call displays something that will be updated."""
    displays = "IPython.display.display" in _origins(call.func, names)
    return displays and any(keyword.arg == "display_id" for keyword in call.keywords)


def _origins(node: ast.expr, names: Names) -> list[str]:
    """Return what a name or an attribute can stand for, as dotted names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return []
    if node.id in names.imported:
        roots = [names.imported[node.id]]
    elif node.id in names.bound:
        roots = []
    else:
        roots = [f"{module}.{node.id}" for module in names.starred]
        roots += [_BUILTINS[node.id]] if node.id in _BUILTINS else []
    return [".".join((root, *parts)) for root in roots]
