"""`manage.py up`: the whole of Inquest on this machine, with nothing else installed."""

import os
import socket
from argparse import ArgumentParser, ArgumentTypeError
from typing import TextIO

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command, get_commands
from django.db import connections
from django.db.utils import OperationalError

from config import environment
from config.embedded import application, roster
from config.embedded.lock import announce, only_one
from config.embedded.paths import StartRefused, state_dir
from config.embedded.secrets import demo_password
from config.embedded.services import start_services
from config.embedded.supervisor import ChildFailed, StopAsked, Supervisor

# Seconds until the workers and the web server must be there.
PATIENCE = 60
# What one listens on is not always what one can ask.
ANY_ADDRESS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def port_number(value: str) -> int:
    if not value.isdigit() or int(value) > 65535:
        raise ArgumentTypeError(f"a port is a number from 0 to 65535, not {value!r}")
    return int(value)


class Command(BaseCommand):
    """Starts what is missing, says where it is, and stops it all on Ctrl-C."""

    help = "Start the database, the broker, the workers and the web server; Ctrl-C stops them."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        port = os.environ.get("INQUEST_PORT") or "8000"
        parser.add_argument("--port", type=port_number, default=port, help="0 takes a free one")
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
        parser.add_argument("--no-samples", action="store_true", help="load no sample project")
        parser.add_argument(
            "--services-only",
            action="store_true",
            help="for developers: only the embedded services, with the database up to date",
        )

    def handle(
        self, *, host: str, port: int, no_samples: bool, services_only: bool, **_: object
    ) -> None:
        try:
            with only_one() as lock, Supervisor() as supervisor:
                self._stop_orphans()
                if services_only:
                    self._run_services(supervisor, lock)
                else:
                    with application.listen(host, port) as listener:
                        self._run_all(supervisor, lock, listener, samples=not no_samples)
                supervisor.watch()
        except StopAsked:
            self._say("Everything is stopped.")
        except (StartRefused, ChildFailed) as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            reason = " ".join(str(error).split())
            raise CommandError(f"The database does not answer: {reason}") from error

    def _stop_orphans(self) -> None:
        left = roster.stop_orphans()
        if left:
            self._say(f"Stopped what an earlier start had left running: {', '.join(left)}.")

    def _run_services(self, supervisor: Supervisor, lock: TextIO) -> None:
        announce(lock, address="only its services")
        self._migrate(supervisor)
        self._say("The services are ready. Ctrl-C stops them.")

    def _run_all(
        self, supervisor: Supervisor, lock: TextIO, listener: socket.socket, *, samples: bool
    ) -> None:
        host, port = listener.getsockname()[:2]
        self._admit(host)
        host = ANY_ADDRESS.get(host, host)
        address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
        announce(lock, address=address)
        self._migrate(supervisor)
        self._start_application(supervisor, listener)
        samples = samples and "load_samples" in get_commands()
        if samples:
            self._load_samples(supervisor)
        supervisor.wait_until(application.worker_is_ready, name="worker", seconds=PATIENCE)
        supervisor.wait_until(lambda: application.answers(host, port), name="web", seconds=PATIENCE)
        self._welcome(address, samples=samples)

    def _admit(self, host: str) -> None:
        """Let the web server answer to the address it was told to listen on."""
        if host in ANY_ADDRESS:
            self._say("Set INQUEST_HOSTS to the names that others will use for this machine.")
        elif host not in settings.ALLOWED_HOSTS:
            os.environ["INQUEST_HOSTS"] = ",".join([*settings.ALLOWED_HOSTS, host])

    def _migrate(self, supervisor: Supervisor) -> None:
        self._say("Starting the services and bringing the database up to date.")
        start_services(
            supervisor,
            database=not settings.DATABASE_URL,
            broker=not environment.text("CELERY_BROKER_URL"),
        )
        with supervisor.interruptible():
            call_command("migrate", interactive=False, verbosity=0)
        connections.close_all()

    def _start_application(self, supervisor: Supervisor, listener: socket.socket) -> None:
        self._say("Starting the workers and the web server.")
        supervisor.start(application.worker())
        supervisor.start(application.beat())
        supervisor.start(application.web(listener))
        # Theirs alone now: when the web server ends, the port is free.
        listener.close()

    def _load_samples(self, supervisor: Supervisor) -> None:
        self._say("Loading the sample project.")
        with supervisor.interruptible():
            call_command("load_samples", verbosity=0)
        connections.close_all()

    def _welcome(self, address: str, *, samples: bool) -> None:
        self._say(f"\nInquest is ready: {address}")
        if samples:
            self._say("  Sign in as viewer (reads), ada or ben (review), or lead (decides);")
            self._say(f"  the password of all four: {demo_password()}")
        self._say(f"  Logs: {state_dir() / 'logs'}\n  Ctrl-C stops everything.")

    def _say(self, line: str) -> None:
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError:
            # The terminal has gone. That must not keep anything from being stopped.
            return
