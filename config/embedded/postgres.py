"""The embedded PostgreSQL 18: where it is, and how it is laid out and run.

It listens on a Unix socket only, in a folder that other users cannot enter, and asks everybody
for a password all the same.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded import paths
from config.embedded.account import Account, make_folder, make_root_folder, server_account
from config.embedded.binaries import postgres_programs
from config.embedded.secrets import secret

ROLE = DATABASE = "inquest"
SUPERUSER = "postgres"
# No TCP port is opened: the number is only part of the socket's name.
PORT = "5432"
INITDB = (
    f"--username={SUPERUSER}",
    "--auth-local=scram-sha-256",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    # Sorts by code point, knows the letters of every script, and needs no locale installed.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)
# For a small machine that also runs everything else.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "128MB",
    "max_connections": "60",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
