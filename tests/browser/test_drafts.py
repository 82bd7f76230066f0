"""What a reviewer writes is never lost: not with the network, not with a reload."""

from __future__ import annotations

import pytest

from reviews.models import Draft
from tests.browser.conftest import SAVED, Person
from tests.reviews.scenes import make_scene

WORDS = "The planner took the retired interface."


@pytest.fixture
def ada(people) -> Person:
    case = make_scene(signatures=2)
    ada = people("ada")
    ada.goes_to(case.get_absolute_url())
    ada.presses("t")
    ada.sees("Your claim")
    return ada


def saved_note() -> str:
    return Draft.objects.get().fields.get("note", "")


def test_writing_is_saved_without_a_press(ada):
    ada.presses("e")
    ada.page.keyboard.type(WORDS)
    ada.sees_saved()
    assert saved_note() == WORDS


def test_a_lost_network_keeps_changes_and_sends_them(ada):
    ada.page.context.set_offline(True)
    ada.presses("e")
    ada.page.keyboard.type(WORDS)
    ada.presses("Escape", "j", "f")
    ada.sees_in("#offline", "kept in this browser")
    assert not Draft.objects.exists()
    ada.page.context.set_offline(False)
    ada.sees_in("#claim", "#1 planner")
    assert saved_note() == WORDS
    assert Draft.objects.get().fields["decisive_step"] == 1
    assert not ada.page.locator("#offline").is_visible()
    forget_network_errors(ada)


def test_a_reload_in_the_middle_loses_nothing(ada):
    ada.page.route("**/draft/**", lambda route: route.abort())
    ada.presses("e")
    ada.page.keyboard.type(WORDS)
    ada.sees_in("#offline", "kept in this browser")
    ada.page.reload()
    assert ada.page.input_value("#note") == WORDS
    ada.page.unroute("**/draft/**")
    ada.sees_saved()
    assert saved_note() == WORDS
    forget_network_errors(ada)


def test_two_tabs_add_to_each_other(ada):
    other = ada.page.context.new_page()
    other.goto(ada.page.url)
    ada.presses("e")
    ada.page.keyboard.type(WORDS)
    ada.sees_saved()
    other.fill("#state_change", "interface: v2 to v1")
    other.locator("#saved", has_text=SAVED).wait_for()
    fields = Draft.objects.get().fields
    assert (fields["note"], fields["state_change"]) == (WORDS, "interface: v2 to v1")


def test_keys_do_nothing_while_typing(ada):
    ada.presses("e")
    ada.page.keyboard.type("fxwmacsrz?")
    ada.sees_saved()
    assert Draft.objects.get().fields.get("decisive_step") is None
    assert "/sign/" not in ada.page.url


def test_a_selection_is_cited_to_the_character(ada):
    ada.page.evaluate("""() => {
        const text = document.querySelector('#s1 .text').firstChild;
        const range = document.createRange();
        range.setStart(text, 29); range.setEnd(text, 51);
        window.getSelection().removeAllRanges(); window.getSelection().addRange(range);
    }""")
    ada.presses("c")
    ada.sees_in("#claim", "Use POST /v1/invoices.")
    quote = Draft.objects.get().fields["evidence"][0]
    assert (quote["step"], quote["start"], quote["end"]) == (1, 29, 51)
    assert quote["text"] == "Use POST /v1/invoices."


def forget_network_errors(ada: Person) -> None:
    """The browser reports the failures that the test made; anything else still counts."""
    ada.complaints[:] = [c for c in ada.complaints if "net::ERR_" not in c]


def test_a_selection_that_cannot_be_quoted_is_refused_aloud(ada):
    ada.page.evaluate("window.getSelection().selectAllChildren(document.querySelector('h1'))")
    ada.presses("c")
    ada.sees_in("#offline", "Nothing was cited")
    assert not Draft.objects.exists()


def test_find_goes_from_hit_to_hit_and_leaves_with_escape(ada):
    ada.presses("/")
    ada.page.keyboard.type("gone")
    ada.presses("Enter")
    ada.sees_in("#s3.sel", "410 Gone")
    ada.sees_in("#found", "1 of 1")
    ada.presses("Escape", "x")
    ada.sees_in("#claim", "#3 verifier")


def test_what_one_person_could_not_send_is_not_shown_to_the_next(ada):
    ada.page.route("**/draft/**", lambda route: route.abort())
    ada.presses("e")
    ada.page.keyboard.type(WORDS)
    ada.sees_in("#offline", "kept in this browser")
    address = ada.page.url
    ada.page.context.clear_cookies()
    ada.signs_in("ben")
    ada.page.unroute("**/draft/**")
    ada.page.goto(address)
    ada.presses("t")
    ada.sees("Your claim")
    assert ada.page.input_value("#note") == ""
    assert not Draft.objects.filter(reviewer__username="ben").exists()
    forget_network_errors(ada)
