"""The embedded services: PostgreSQL and Valkey from wheels, and the processes of `manage.py up`.

Everything here is plain Python that works before Django's settings exist, because the settings
ask it where the database and the broker are. It starts nothing by being imported, and keeps all
it knows in the state folder of the installation.
"""
