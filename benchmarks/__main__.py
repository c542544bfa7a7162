"""Run the benchmarks and keep their table in RESULTS.md, with date and machine."""

import argparse
import datetime
import os
import platform
from pathlib import Path

import numpy as np

from . import daily, fedplt, masked, networks, strategies, submodel, zeroth_order
from .workloads import Row, rows


def processor() -> str:
    """The processor's name as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def table(found: list[Row]) -> str:
    """A Markdown table of the rows."""
    lines = ["| what | value | unit | promised |", "|---|---:|---|---|"]
    lines += [f"| {row.name} | {row.value:.3g} | {row.unit} | {row.limit} |" for row in found]
    return "\n".join(lines)


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__).parse_args()
    others = (fedplt, submodel, masked, zeroth_order, networks, strategies, daily)
    every = [*rows(), *(row for module in others for row in module.rows())]
    text = (
        "# Benchmarks\n\n"
        f"{datetime.date.today().isoformat()}, {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, NumPy {np.__version__}; `make bench`.\n\n"
        f"{table(every)}\n"
    )
    Path(__file__).with_name("RESULTS.md").write_text(text)
    print(text)
