"""The embedded services keep others out, and leave the machine as it was."""

import os
import stat
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from config.embedded import binaries, folders, paths, postgres, records, roster, valkey
from config.embedded.account import server_account
from config.embedded.secrets import demo_password, secret
from tests.project.embedded import as_nobody, connect, only_root, passwordless_client, running


@only_root
def test_another_user_cannot_reach_the_database(installation: Path) -> None:
    keys = postgres.connection_settings()
    address = {"host": keys["HOST"], "password": keys["PASSWORD"]}
    assert "Permission denied" in as_nobody(
        lambda: psycopg.connect(user="inquest", dbname="inquest", **address)
    )


@only_root
def test_another_user_cannot_reach_the_broker(installation: Path) -> None:
    assert "Permission denied" in as_nobody(passwordless_client().ping)


@only_root
def test_another_user_cannot_read_a_secret(installation: Path) -> None:
    assert "Permission denied" in as_nobody(lambda: secret("database_password"))


@pytest.mark.parametrize("user", ["inquest", "postgres"])
def test_the_database_refuses_a_wrong_password(installation: Path, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(user=user, password="guess")


@pytest.mark.parametrize("user", ["inquest", "postgres"])
def test_the_database_refuses_no_password(installation: Path, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        connect(user=user, password="")


def test_the_broker_refuses_no_password(installation: Path) -> None:
    with pytest.raises(redis.AuthenticationError):
        passwordless_client().ping()


def test_the_application_is_no_superuser(installation: Path) -> None:
    with connect() as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("CREATE ROLE another LOGIN")


def test_no_tcp_port_is_opened(installation: Path) -> None:
    children = [psutil.Process(row["pid"]) for row in roster.read()]
    assert len(children) == 2
    assert [each.net_connections("tcp") for each in children] == [[], []]


def test_a_socket_folder_open_to_others_is_refused(state: Path) -> None:
    paths.socket_dir().parent.mkdir(parents=True, exist_ok=True)
    paths.socket_dir().mkdir()
    paths.socket_dir().chmod(0o755)
    with pytest.raises(paths.StartRefused, match="is open to other users"):
        folders.claim_socket_dir()


def test_a_temporary_socket_folder_open_to_others_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INQUEST_STATE_DIR", str(tmp_path / "not plain"))
    monkeypatch.setattr(paths, "ROOT_DATA", tmp_path / "not plain")
    folder = paths.socket_dir()
    folder.mkdir(mode=0o700)
    assert paths.socket_dir() == folder
    folder.chmod(0o755)
    with pytest.raises(paths.StartRefused, match="is open to other users"):
        paths.socket_dir()
    assert valkey.broker_url() == "redis+socket:///nonexistent/valkey.sock"
    folder.rmdir()


def test_a_database_made_with_other_passwords_is_refused(state: Path) -> None:
    with running():
        pass
    records.write(state / "secrets" / "database_superuser_password", "another")
    with pytest.raises(paths.StartRefused, match="made with other passwords"), running():
        pass
    assert roster.read() == []


@only_root
def test_an_unreadable_state_folder_gives_an_empty_password(state: Path) -> None:
    assert "'PASSWORD': ''" in as_nobody(postgres.connection_settings)
    assert as_nobody(valkey.broker_url) == "redis+socket:///nonexistent/valkey.sock"


@only_root
def test_an_unreadable_state_folder_is_named_in_one_sentence(state: Path) -> None:
    answer = as_nobody(lambda: secret("secret_key")).strip().split("\n")[-1]
    assert answer.startswith(f"config.embedded.paths.StartRefused: {state}/secrets cannot be used")


# What is written down, and where.


def test_secrets_are_for_their_owner_alone(installation: Path) -> None:
    demo_password()
    files = [*(installation / "secrets").iterdir(), installation / "valkey.conf"]
    assert len(files) == 5
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}


def test_folders_are_for_their_owner_alone(installation: Path) -> None:
    owner = server_account().uid
    ours = [installation, installation / "secrets", installation / "logs", paths.socket_dir()]
    theirs = [paths.data_dir() / "postgres", postgres.socket_dir()]
    assert {(each.stat().st_uid, oct(each.stat().st_mode)) for each in ours} == {
        (os.geteuid(), "0o40700")
    }
    assert {(each.stat().st_uid, oct(each.stat().st_mode)) for each in theirs} == {
        (owner, "0o40700")
    }


def test_no_command_line_holds_a_secret(installation: Path) -> None:
    lines = " ".join(" ".join(psutil.Process(row["pid"]).cmdline()) for row in roster.read())
    assert "postgres" in lines
    assert [
        each.name
        for each in (installation / "secrets").iterdir()
        if each.read_text().strip() in lines
    ] == []


def test_no_folder_of_others_changes_its_mode(state: Path) -> None:
    program = binaries.valkey_program().parent
    folders = {*state.parents, *program.parents, *paths.ROOT_DATA.parents}
    before = {each: (each.stat().st_mode, each.stat().st_uid) for each in folders}
    with running():
        pass
    assert {each: (each.stat().st_mode, each.stat().st_uid) for each in folders} == before
