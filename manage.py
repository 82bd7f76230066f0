#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line

from config.embedded.paths import StartRefused

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except StartRefused as refusal:
        sys.exit(str(refusal))
