"""Django's command line."""

import errno
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

INTERRUPTED = 130  # what shells report for Ctrl-C
NOBODY_READS = 141  # and for a reader that left, as in `manage.py estimate FILE | head -1`


def main() -> int | str:
    """Run the command; what is for the operator to mend, or ended by them, is no stack trace."""
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        return f"decodeck: {error}"
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return NOBODY_READS
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _drop_output()
        return f"decodeck: cannot write: {error.strerror}"
    return 0


def _drop_output() -> None:
    """What is still buffered has nowhere to go: without this, closing it at exit would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main())
