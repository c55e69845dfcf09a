"""Make docs/report.png: a picture of a report on two simulated models.

    python docs/make_picture.py

Needs the package with its extra [report], and Chromium. The models are simulated, with hallucination
probabilities that rise with depth and with the complexity of the tree, so that the picture has the
paper's shape; the report says everywhere that they are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).with_name("report.png")
BINARIES = Path(sys.executable).parent
WIDTH, HEIGHT = 1200, 2400


def _probabilities(shift: float) -> str:
    """YAML that maps labels of configurations to probabilities."""
    lines = []
    for depth in (2, 4, 6, 8):
        lines.append(f"ans_depth_{depth}: {0.04 * depth + shift:.2f}")
    for depth in (4, 5, 6, 7, 8):
        for num_vars, complexity in ((depth, 0.0), (depth + 2, 0.15)):
            for names, more in (("composite_name", 0.1), ("simple_name", 0.0)):
                value = 0.05 * depth + complexity + more + shift - 0.1
                lines.append(f"ans_depth_{depth}_num_vars_{num_vars}_{names}: {value:.2f}")
    for depth in (7, 8):
        for cut in range(1, depth):
            value = 0.6 - 0.05 * abs(cut - depth / 2) + shift
            lines.append(f"ans_depth_{depth}_cut_depth_{cut}: {value:.2f}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the simulated models, make the report, and take its picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
    if browser is None:
        sys.exit("No chromium was found: install it first.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "INSPECT_DISPLAY": "none", "HF_HUB_OFFLINE": "1"}
        for model, shift in (("simulated-weak", 0.15), ("simulated-strong", -0.05)):
            probabilities = folder / f"{model}.yaml"
            probabilities.write_text(_probabilities(shift), encoding="utf-8")
            for task in ("unanswerable", "structure", "cut_location"):
                command = [str(BINARIES / "inspect"), "eval", f"treecut_tasks/{task}"]
                command += ["--model", f"treecut/{model}", "-M", f"probabilities={probabilities}"]
                command += ["-T", "num_problems=40", "--log-dir", str(folder / "logs")]
                subprocess.run(command, env=environment, cwd=folder, check=True)
        report = [str(BINARIES / "treecut"), "report", str(folder / "logs"), "--format", "html"]
        subprocess.run([*report, "-o", str(folder / "report")], cwd=folder, check=True)
        page = next((folder / "report").glob("*.html"))
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        flags += ["--no-first-run", "--disable-background-networking", "--disable-sync"]
        flags += [f"--user-data-dir={folder / 'browser'}", f"--window-size={WIDTH},{HEIGHT}"]
        shot = [browser, *flags, f"--screenshot={PICTURE}", page.as_uri()]
        subprocess.run(shot, cwd=folder, check=True)
    print(PICTURE)


if __name__ == "__main__":
    main()
