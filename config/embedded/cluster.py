"""Laying out the embedded database: its folders, its cluster, its role and its database."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from psycopg import sql

from config.embedded import paths, postgres
from config.embedded.account import Account, server_account
from config.embedded.binaries import postgres_programs
from config.embedded.folders import claim_data_dir, claim_socket_dir, make_folder
from config.embedded.processes import stop
from config.embedded.secrets import secret

INITDB = (
    f"--username={postgres.SUPERUSER}",
    "--auth-local=scram-sha-256",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    # Sorts by code point, knows the letters of every script, and needs no locale installed.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)


def prepare(*, throwaway: bool = False) -> postgres.Cluster:
    """Make what is missing: the server's user, its folders, its programs and the cluster."""
    account = server_account()
    _make_folders(account)
    data = paths.data_dir() / "postgres"
    cluster = postgres.Cluster(data, postgres_programs(account), account, throwaway)
    if not data.exists():
        _initialise(cluster)
    _free(data)
    return cluster


def settle(*, may_create_databases: bool = False) -> None:
    """Make the application's role and database, or bring its password and rights up to date.

    The role owns its database and nothing else. Only tests may create databases.
    """
    rights = sql.SQL("CREATEDB" if may_create_databases else "NOCREATEDB")
    role, database = sql.Identifier(postgres.ROLE), sql.Identifier(postgres.DATABASE)
    with postgres.connect_as_superuser() as connection:
        # The server never sees the password itself, so no log of its can hold it.
        password = connection.pgconn.encrypt_password(
            secret("database_password").encode(), postgres.ROLE.encode(), b"scram-sha-256"
        )
        if not connection.execute(
            "SELECT FROM pg_roles WHERE rolname = %s", [postgres.ROLE]
        ).rowcount:
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
        alter = "ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEROLE {} PASSWORD {}"
        connection.execute(sql.SQL(alter).format(role, rights, sql.Literal(password.decode())))
        found = "SELECT FROM pg_database WHERE datname = %s"
        if not connection.execute(found, [postgres.DATABASE]).rowcount:
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))


def _make_folders(account: Account) -> None:
    if paths.runs_as_root():
        claim_data_dir()
        make_folder(postgres.socket_dir(), mode=0o700, account=account)
    else:
        claim_socket_dir()


def _initialise(cluster: postgres.Cluster) -> None:
    # Under another name until it is whole: a start that was cut off begins again.
    draft = cluster.data.with_suffix(".new")
    shutil.rmtree(draft, ignore_errors=True)
    make_folder(draft, mode=0o700, account=cluster.account)
    with tempfile.NamedTemporaryFile("w", dir=draft.parent) as password:
        password.write(secret("database_superuser_password"))
        password.flush()
        if cluster.account.identity():
            os.chown(password.name, cluster.account.uid, cluster.account.gid)
        _run_initdb(cluster, draft, Path(password.name))
    draft.rename(cluster.data)


def _run_initdb(cluster: postgres.Cluster, data: Path, password: Path) -> None:
    sync = ["--no-sync"] if cluster.throwaway else []
    made = subprocess.run(
        [cluster.programs / "initdb", "-D", data, f"--pwfile={password}", *INITDB, *sync],
        cwd="/",
        env=postgres.environment(),
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        **cluster.account.identity(),
    )
    if made.returncode:
        raise paths.StartRefused(f"The database could not be laid out: {made.stderr.strip()}")


def _free(data: Path) -> None:
    """Stop a server that still holds the data, and remove the lock file of one that is gone.

    PostgreSQL would remove it too, unless its number now belongs to another process of the same
    user, which in a container that was started anew is the rule.
    """
    left = postgres.running_server(data)
    if left is not None:
        stop(left, hurried=lambda: False)
    (data / "postmaster.pid").unlink(missing_ok=True)
