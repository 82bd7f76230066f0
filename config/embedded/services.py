"""The two embedded services, started under a supervisor."""

from config.embedded import cluster, postgres, valkey
from config.embedded.supervisor import Supervisor

# Seconds. Most starts take one; a database that was killed in the middle of much work recovers.
DATABASE_PATIENCE = 300
BROKER_PATIENCE = 30


def start_services(
    supervisor: Supervisor, *, database: bool, broker: bool, throwaway: bool = False
) -> None:
    """Start what is asked for and wait until both answer. THROWAWAY is for tests."""
    if database:
        supervisor.start(postgres.program(cluster.prepare(throwaway=throwaway)))
    if broker:
        supervisor.start(valkey.program())
        supervisor.wait_until(valkey.accepts_connections, name="valkey", seconds=BROKER_PATIENCE)
    if database:
        supervisor.wait_until(
            postgres.accepts_connections, name="postgres", seconds=DATABASE_PATIENCE
        )
        cluster.settle(may_create_databases=throwaway)
