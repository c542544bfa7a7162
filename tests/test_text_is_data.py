"""Text is data: nothing in the package executes it, but the loader of a file that the user names.

`executing` walks a syntax tree and tells every place that could run text as code, or put it into a
page unescaped. What is allowed is listed with its reason; the second half plants such places.
"""

import ast
from pathlib import Path

import pytest

import fedbounds

PACKAGE = Path(fedbounds.__path__[0])

_BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint"}
# modules whose use is told wherever they are imported
_MODULES = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml", "runpy", "code", "codeop",
            "subprocess", "ctypes", "cffi", "builtins"}  # fmt: skip
_OF_OS = {"system", "popen", "startfile", "posix_spawn", "posix_spawnp", "fork"}
# of SymPy: they evaluate text, whatever it says
_READERS = {"parse_expr", "eval_expr", "stringify_expr", "sympify", "nsimplify", "parse_latex",
            "parse_mathematica", "parse_maxima", "S"}  # fmt: skip

# (file, what is called there): why it may
ALLOWED = {
    ("verify/own/load.py", "compile"): "the file that the user names on the command line",
    ("verify/own/load.py", "exec"): "the file that the user names on the command line",
    ("verify/own/run_fractions.py", "builtins"): "what that file imports, but for its Fraction",
    (
        "verify/setups/script_output.py",
        "subprocess",
    ): "the script of a user's own file, for his own eyes",
    ("verify/setups/script_output.py", "exec"): "the same script, while it is shortened",
    ("verify/setups/script_branches.py", "compile"): "the same script, while it is shortened",
    (
        "verify/setups/script_lines_of.py",
        "Environment without autoescape",
    ): "makes Python, not HTML",
    ("verify/page/formulas.py", "Markup"): "MathML, every token of which is escaped",
    ("verify/page/settled_formulas.py", "Markup"): "MathML, every token of which is escaped",
    ("verify/page/proof_steps.py", "Markup"): "MathML, every token of which is escaped",
    ("verify/page/written.py", "Markup"): "the script of the package itself",
    ("verify/page/exports/coq/run.py", "subprocess"): "coqc, on lemmas that the package writes",
    ("__init__.py", "import_module"): "modules of a table in that file",
    (
        "theory/language/registry.py",
        "import_module",
    ): "modules that a catalogue names, of the package or of a folder that the user names",
    ("verify/own/folder.py", "import_module"): "modules of a folder that the user names",
    ("theory/proof/library.py", "import_module"): "the same, of a key of the catalogue",
    ("theory/proof/multipliers.py", "import_module"): "a package of the catalogue, for its folder",
    ("verify/commands/__init__.py", "import_module"): "modules of a table in that file",
    ("verify/measure/trace.py", "import_module"): "an algorithm that a view of the package names",
    (
        "verify/commands/selftest/algorithm_errors.py",
        "import_module",
    ): "an algorithm for which a theory of the package plants an error",
}


def _name(node: ast.expr) -> str:
    """What is called: the last name of a.b.c."""
    return getattr(node, "attr", getattr(node, "id", ""))


def _owner(node: ast.expr) -> str:
    return _name(node.value) if isinstance(node, ast.Attribute) else ""


def _says(call: ast.Call, keyword: str) -> bool:
    """Whether an argument is the word True."""
    return any(k.arg == keyword and getattr(k.value, "value", None) is True for k in call.keywords)


def _is_safe(call: ast.Call) -> bool:
    """Calls that do not read text, by what they are called with."""
    match _name(call.func):
        case "sympify":
            return _says(call, "strict")
        case "lambdify":
            return _says(call, "dummify")
        case "import_module":
            return bool(call.args) and isinstance(call.args[0], ast.Constant)
        case "Environment":
            return _says(call, "autoescape")
        case "load":  # of NumPy
            return not _says(call, "allow_pickle")
    return False


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        top = (node.module or "").partition(".")[0]
        return [top, *(alias.name for alias in node.names if top in {"sympy", "builtins"})]
    return []


def executing(source: str) -> list[tuple[int, str]]:
    """Line and name of everything that could execute text, or print it as a page's own."""
    tree = ast.parse(source)
    safe = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call) and _is_safe(n)}
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    found = []
    for node in ast.walk(tree):
        found += [(node.lineno, n) for n in _imported(node) if n in _MODULES | _READERS | _BUILTINS]
        if not isinstance(node, ast.Name | ast.Attribute) or id(node) in safe:
            continue
        name, owner = _name(node), _owner(node)
        if isinstance(node, ast.Name) and name in _BUILTINS:
            found.append((node.lineno, name))
        elif owner == "os" and (name in _OF_OS or name.startswith(("exec", "spawn"))):
            found.append((node.lineno, f"os.{name}"))
        elif owner and name in _READERS - {"S"}:
            found.append((node.lineno, name))
        elif id(node) in called and name == "S" and owner in {"sp", "sympy"}:
            found.append((node.lineno, "S"))
        elif id(node) in called and name in {"lambdify", "import_module", "Markup"}:
            found.append((node.lineno, name))
        elif id(node) in called and name == "Environment":
            found.append((node.lineno, "Environment without autoescape"))
        elif id(node) in called and name == "load" and owner in {"np", "numpy"}:
            found.append((node.lineno, "load of pickles"))
    return found


# ---- the package


def test_nothing_in_the_package_executes_text_but_what_is_listed():
    found = {
        (path.relative_to(PACKAGE).as_posix(), what)
        for path in sorted(PACKAGE.rglob("*.py"))
        for _, what in executing(path.read_text("utf-8"))
    }
    assert found == ALLOWED.keys()  # and nothing is listed that is not there


# ---- the checker, on planted lines


@pytest.mark.parametrize(
    "line",
    [
        "eval(text)",
        "exec(text)",
        "compile(text, '', 'eval')",
        "__import__(name)",
        "run = eval",
        "list(map(eval, texts))",
        "import builtins; builtins.eval(text)",
        "from builtins import exec as run",
        "sp.sympify(text)",
        "sp.sympify(text, strict=False)",
        "sp.sympify(text, strict=wanted)",
        "map(sp.sympify, texts)",
        "from sympy import sympify",
        "from sympy.parsing.sympy_parser import parse_expr",
        "sp.parse_expr(text)",
        "sp.parsing.sympy_parser.parse_expr(text)",
        "sp.nsimplify(text)",
        "sp.S(text)",
        "sympy.S('1/2')",
        "from sympy import S",
        "sp.lambdify(symbols, expression)",
        "import pickle",
        "from pickle import loads",
        "import marshal, shelve",
        "import yaml",
        "np.load(path, allow_pickle=True)",
        "os.system(text)",
        "os.popen(text)",
        "os.execvp(text, [])",
        "import subprocess",
        "from subprocess import run",
        "import_module(name)",
        "importlib.import_module(f'fedbounds.{name}')",
        "jinja2.Environment(loader=loader)",
        "Environment(loader=loader, autoescape=False)",
        "Markup(text)",
        "import runpy",
        "def f():\n    return eval(text)",
    ],
)
def test_planted_line_is_caught(line):
    assert executing(line)


@pytest.mark.parametrize(
    "line",
    [
        "re.compile(text)",
        "metric.eval()",
        "sp.sympify(side, strict=True)",
        "sp.S.Half",
        "S_sub = 1",
        "sp.lambdify(symbols, expression, modules=m, dummify=True)",
        "import_module('hypothesis')",
        "Environment(loader=loader, autoescape=True)",
        "np.load(path)",
        "json.loads(text)",
        "os.replace(a, b)",
    ],
)
def test_what_reads_no_text_is_not_told(line):
    assert executing(line) == []
