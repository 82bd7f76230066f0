"""What reviews do when a run arrives. Imported once the apps are ready."""

from reviews.adjudication import open_cases
from traces.subscriptions import on_new_run

on_new_run(open_cases)
