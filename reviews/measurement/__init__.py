"""Figures about people and programs, each with its n and interval."""
