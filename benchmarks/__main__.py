"""Run every benchmark, or those that are named: python -m benchmarks [NAME ...]."""

import pkgutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(names: list[str]) -> int:
    """Run each in a process of its own, so that none profits from another's warm caches."""
    known = sorted(
        module.name
        for module in pkgutil.iter_modules([str(ROOT / "benchmarks")])
        if not module.name.startswith("_")
    )
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 1
    failed = 0
    for name in names or known:
        print(f"\n== {name} ==", flush=True)
        failed += (
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, check=False).returncode
            != 0
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
