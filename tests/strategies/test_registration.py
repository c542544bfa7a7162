"""Hypothesis finds the strategies by type; without hypothesis the error says what to install."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"][
    "hypothesis"
]


def run(code: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(folder) for folder in folders] + [str(ROOT / "src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )


def test_the_declared_hook_exists():
    (value,) = DECLARED.values()
    assert callable(EntryPoint("fedbounds", value, "hypothesis").load())


def test_types_are_registered_when_hypothesis_is_imported(tmp_path):
    """As an installed package: its entry point, and a fresh interpreter."""
    installed = tmp_path / "fedbounds_hook-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: fedbounds-hook\nVersion: 1.0\n"
    )
    lines = [f"{name} = {value}" for name, value in DECLARED.items()]
    (installed / "entry_points.txt").write_text("\n".join(["[hypothesis]", *lines, ""]))
    code = """
import hypothesis, sys
assert "sympy" not in sys.modules
assert not any(name.startswith("fedbounds.verify") for name in sys.modules)
from hypothesis import strategies as st, given, settings
from fedbounds import problems
@settings(max_examples=5, database=None, deadline=None)
@given(st.data())
def draw(data):
    for name in ("FederatedQuadratic", "CoupledCosine", "SineBowls", "Bernoulli", "Rolling"):
        kind = getattr(problems, name)
        assert type(data.draw(st.from_type(kind))) is kind
draw()
print("drawn")
"""
    done = run(code, tmp_path)
    assert done.stdout == "drawn\n", done.stderr


def test_without_hypothesis_the_error_says_what_to_install():
    code = """
import sys
sys.modules["hypothesis"] = None
from fedbounds.errors import FedboundsError
try:
    import fedbounds.strategies
except FedboundsError as error:
    print(error)
"""
    expected = (
        "fedbounds.strategies needs hypothesis, which is not installed: pip install hypothesis\n"
    )
    assert run(code).stdout == expected
