"""The agent runs on nodes that have none of the server's packages."""

import subprocess
import sys
from pathlib import Path


def test_agent_imports_without_any_installed_package(root: Path) -> None:
    modules = sorted(path.relative_to(root) for path in (root / "agent").rglob("*.py"))
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in modules]
    # -I and -S: neither the environment nor site-packages, so only the standard library is there.
    code = f"import sys, importlib; sys.path.insert(0, {str(root)!r}); [importlib.import_module(n) for n in {names}]"

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )

    assert names
    assert (done.returncode, done.stderr) == (0, "")
