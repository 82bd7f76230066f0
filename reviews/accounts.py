from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedAccountAdapter(DefaultAccountAdapter):
    """Accounts are made by a lead or the site's staff, never by a visitor."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
