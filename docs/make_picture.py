"""Make docs/report.png: a picture of a report on two simulated models.

    python docs/make_picture.py

Needs the package with its extra [report], and Chromium. The models are simulated, with hallucination
probabilities that rise with depth, as in the paper; the report says everywhere that they are.
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
WIDTH, HEIGHT = 1200, 1150


def _probabilities(shift: float) -> str:
    """YAML that maps labels of configurations to probabilities."""
    return "".join(f"depth{depth}: {0.05 * depth + shift:.2f}\n" for depth in (2, 4, 6, 8))


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
            command = [str(BINARIES / "inspect"), "eval", "treecut_tasks/paired"]
            command += ["--model", f"treecut/{model}", "-M", f"probabilities={probabilities}"]
            command += ["-M", f"accuracy={0.85 - shift}", "-T", "num_problems=60"]
            command += ["--log-dir", str(folder / "logs")]
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
