"""The bench of the trace browser measures the pages that it says, from both of their ends."""

from __future__ import annotations

import pytest
from django.conf import global_settings
from django.contrib.auth.models import User
from django.test import Client, override_settings

from reviews.bench import browse
from tests.chromium import find

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture
def user():
    # As the web server reads it, which is no test.
    with override_settings(PASSWORD_HASHERS=global_settings.PASSWORD_HASHERS):
        return User.objects.create_user(username=browse.USER, password="of the bench")


@pytest.fixture
def client(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_page_that_does_not_answer_is_no_measurement(client):
    page = browse.Opened("run page", 60, "/p/none/runs/")
    with pytest.raises(browse.NotShown, match="404"):
        list(browse.of_server(client, page))


def test_both_pages_are_measured_alone_and_beside_another_run(user, client):
    pages = list(browse.pages_of(user, 60))
    kinds = ["run page", "run page, two runs", "case page", "case page, two runs"]
    assert [page.kind for page in pages] == kinds
    for page in pages:
        figures = {each.name.partition(": ")[2]: each for each in browse.of_server(client, page)}
        assert list(figures) == ["server, first", "server", "queries", "HTML"]
        assert {each.of for each in figures.values()} == {"60 steps"}
        assert (figures["queries"].most, figures["HTML"].most) == (12, 300)
    beside = client.get(pages[1].path).content
    assert b'id="s0"' in beside
    assert b'id="r0"' in beside
    assert b'id="r0"' not in client.get(pages[0].path).content


@pytest.mark.browser
@pytest.mark.skipif(find() is None, reason="There is no Chromium here.")
def test_a_page_is_opened_and_used_in_a_browser(user):
    page = next(browse.pages_of(user, 60))
    figures = list(browse.in_browser([page], "of the bench", opened=1))
    told = {each.name.partition(": ")[2]: each for each in figures}
    assert list(told) == [measure.words for measure in browse.IN_BROWSER]
    assert (told["usable"].most, told["all that is sent"].most) == (0.6, 500)
    assert 0 < told["usable"].value < 30
    assert told["most at any moment"].value >= told["elements at open"].value > 100
