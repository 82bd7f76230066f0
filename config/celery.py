"""The Celery application. Every setting stands here with its reason."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("inquest")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    # A message is gone only when its work is: a killed worker's task is delivered again.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    # One message at a time, so that a long analysis does not sit on others.
    worker_prefetch_multiplier=1,
    # The row in Postgres is the result; nobody reads Celery's.
    task_ignore_result=True,
    # Seconds. The soft limit lets an attributor's row be marked failed.
    task_soft_time_limit=300,
    task_time_limit=330,
    # A down broker must not hang a web request: the sweeper sends again.
    broker_connection_retry_on_startup=True,
    broker_transport_options={"socket_timeout": 5, "visibility_timeout": 600},
    task_publish_retry=False,
    timezone="UTC",
    beat_schedule={
        "sweep-analyses": {"task": "attribution.tasks.sweep", "schedule": 30.0},
        "sweep-imports": {"task": "traces.tasks.sweep", "schedule": 60.0},
        # A message that nobody took by the next one says nothing new.
        "assemble-traces": {
            "task": "traces.tasks.assemble",
            "schedule": 3.0,
            "options": {"expires": 3.0},
        },
        "read-large-documents": {
            "task": "traces.tasks.read_large",
            "schedule": 3.0,
            "options": {"expires": 3.0},
        },
        # What was cut off the audit chain shows up to the newest checkpoint.
        "checkpoint-audit": {"task": "reviews.tasks.checkpoint", "schedule": 600.0},
    },
)
app.autodiscover_tasks()
