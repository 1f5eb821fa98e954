"""Ask this container's web server whether it's ready: exit code 0 when it is."""

import os
import sys
from urllib.error import URLError
from urllib.request import urlopen


def main() -> int:
    """Return 0 when /readyz answers 200, else 1."""
    url = f"http://127.0.0.1:{os.environ.get('PORT') or '8000'}/readyz"
    try:
        with urlopen(url, timeout=4) as answer:
            return 0 if answer.status == 200 else 1
    except (URLError, OSError):
        return 1


if __name__ == "__main__":
    sys.exit(main())
