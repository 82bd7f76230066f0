"""When a key of the case page is ours, and when it belongs to somebody else."""

from __future__ import annotations

import pytest

from attribution import keys
from tests.browser.conftest import Person
from tests.reviews.scenes import make_candidate, make_scene

# An event that no keyboard of Playwright's makes; answers whether the page took it.
SYNTHETIC = """([key, more, selector]) => {
    const { keyCode, graph, ...rest } = more;
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...rest,
                                                 modifierAltGraph: Boolean(graph) });
    if (keyCode) Object.defineProperty(event, "keyCode", { value: keyCode });
    const target = selector ? document.querySelector(selector) : document.activeElement;
    target.dispatchEvent(event);
    return event.defaultPrevented;
}"""


# Where letters are written or choose an entry; `.tried` has the focus.
FIELDS = (
    "<input class=tried>",
    "<input class=tried type=search>",
    "<input class=tried type=number>",
    "<textarea class=tried></textarea>",
    "<select class=tried><option>a<option>job</select>",
    "<div class=tried contenteditable>x</div>",
    "<div contenteditable><b class=tried tabindex=0>x</b></div>",
    "<div class=tried tabindex=0 role=textbox>x</div>",
    "<ul role=listbox><li class=tried role=option tabindex=0>a</ul>",
    "<div role=menu><button class=tried role=menuitem>a</button></div>",
    "<details data-menu open><summary>m</summary><a class=tried href='#x'>a</a></details>",
    "<div popover=manual id=pop><button class=tried>a</button></div>",
)


@pytest.fixture
def ada(people) -> Person:
    case = make_scene(signatures=2)
    make_candidate(case.run)
    ada = people("ada")
    ada.goes_to(case.get_absolute_url())
    ada.presses("t")
    ada.sees("Your claim")
    ada.sees_in("#s0.sel", "owner")
    return ada


def takes(ada: Person, key: str, selector: str = "", **more: object) -> bool:
    return ada.page.evaluate(SYNTHETIC, [key, more, selector])


def add(ada: Person, html: str) -> None:
    """Put something with the focus on the page."""
    ada.page.evaluate(
        """html => {
            document.querySelector(".trial")?.remove();
            const trial = Object.assign(document.createElement("div"), { className: "trial" });
            trial.innerHTML = html;
            document.getElementById("panel").prepend(trial);
            trial.querySelector("[popover]")?.showPopover();
            trial.querySelector(".tried").focus();
        }""",
        html,
    )


def at(ada: Person, number: int) -> bool:
    ada.page.locator(f"#s{number}.sel").wait_for()
    return True


def stays(ada: Person, number: int) -> bool:
    """Nothing was selected after some frames either."""
    ada.page.wait_for_timeout(120)
    return ada.page.locator(f"#s{number}.sel").count() == 1


def test_no_key_fires_while_typing_or_choosing(ada):
    for field in FIELDS:
        add(ada, field)
        fired = [key for key in ("j", "f", "/", "[", "?", "s") if takes(ada, key)]
        assert (field, fired) == (field, [])
    ada.presses("j")
    assert stays(ada, 0)


def test_what_takes_no_letters_does_not_keep_them(ada):
    for number, kind in enumerate(("radio", "checkbox", "button"), start=1):
        add(ada, f"<input class=tried type={kind}>")
        ada.presses("j")
        assert at(ada, number)


def test_a_dialog_keeps_all_keys(ada):
    add(ada, "<dialog id=asks><button class=tried>x</button></dialog>")
    ada.page.evaluate("document.getElementById('asks').showModal()")
    for key in ("j", "f", "?", "Escape"):
        assert not takes(ada, key), key
    ada.presses("Escape", "j")
    assert at(ada, 1)


def test_no_key_fires_while_an_input_method_composes(ada):
    assert not takes(ada, "j", isComposing=True)
    assert not takes(ada, "j", keyCode=229)
    assert takes(ada, "j")
    assert at(ada, 1)


def test_no_key_fires_with_a_modifier(ada):
    for modifier in ("ctrlKey", "metaKey", "altKey"):
        for key in ("j", "f", "s", "[", "?", "1"):
            assert not takes(ada, key, **{modifier: True}), (modifier, key)
    assert stays(ada, 0)
    assert "/sign/" not in ada.page.url


def test_what_alt_gr_writes_counts(ada):
    """On a German keyboard: Linux tells AltGr alone, Windows as Ctrl with Alt."""
    assert takes(ada, "$", graph=True)
    assert at(ada, 3)
    assert takes(ada, "0", graph=True, ctrlKey=True, altKey=True)
    assert at(ada, 0)
    assert not takes(ada, "$", graph=True, metaKey=True)


def test_option_writes_on_a_mac(ada):
    ada.page.evaluate("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })")
    assert takes(ada, "$", altKey=True)
    assert not takes(ada, "$", altKey=True, ctrlKey=True)


def test_going_back_and_forward_stays_the_browsers(ada):
    for key in ("ArrowLeft", "ArrowRight"):
        assert not takes(ada, key, altKey=True)
    ada.presses("j", "Alt+j", "Alt+ArrowLeft")
    assert at(ada, 1)


def test_a_held_key_works_once_unless_it_moves(ada):
    for _ in range(3):
        ada.page.keyboard.down("j")
        ada.page.wait_for_timeout(60)
    assert at(ada, 3)
    ada.page.keyboard.up("j")
    sent = []
    ada.page.on("request", lambda request: sent.append(request.method))
    for _ in range(3):
        ada.page.keyboard.down("f")
    ada.page.keyboard.up("f")
    ada.sees_in("#claim", "#3 verifier")
    assert sent.count("POST") == 1


def test_a_held_key_does_not_write_into_the_field_it_leads_to(ada):
    for _ in range(4):
        ada.page.keyboard.down("e")
    ada.page.keyboard.up("e")
    assert ada.page.input_value("#note") == ""
    ada.page.keyboard.type("e")
    assert ada.page.input_value("#note") == "e"


def test_a_control_keeps_enter_and_space_and_leaves_letters(ada):
    controls = ("<button class=tried>a</button>", "<a class=tried href='#x'>a</a>")
    for number, control in enumerate(controls, start=1):
        add(ada, control)
        for key in ("Enter", " ", "Tab", "ArrowDown", "Home", "PageDown"):
            assert not takes(ada, key), key
        ada.presses("j")
        assert at(ada, number)


def test_a_fold_opens_with_enter_and_space(ada):
    add(ada, "<details><summary class=tried>more</summary>x</details>")
    for key, is_open in (("Enter", True), ("Space", False)):
        ada.presses(key)
        assert ada.page.locator("details:has(> .tried)").evaluate("one => one.open") is is_open


def test_escape_leaves_a_menu_before_it_leaves_for_the_trace(ada):
    add(
        ada, "<details class=menu open><summary>m</summary><a class=tried href='#x'>a</a></details>"
    )
    ada.presses("j", "Escape")
    assert ada.page.evaluate("document.activeElement.textContent") == "m"
    ada.presses("Escape")
    ada.page.locator("#s0:focus").wait_for()


def test_a_key_that_has_nothing_to_do_is_left_alone(ada):
    assert not takes(ada, "t"), "the case is taken already"
    assert not takes(ada, "2"), "there is one candidate"
    assert not takes(ada, "%")
    ada.page.evaluate("document.querySelector('[data-key=f]').disabled = true")
    assert not takes(ada, "f")


def test_a_pressed_key_lights_its_button(ada):
    ada.presses("f")
    ada.page.locator("[data-key=f].pressed").wait_for()
    ada.page.locator("[data-key=f]:not(.pressed)").wait_for()


def test_it_lights_up_without_motion_for_those_who_want_none(ada):
    lasts = "getComputedStyle(document.querySelector('[data-key=f]')).transitionDuration"
    for motion, seconds in (("reduce", "0s"), ("no-preference", "0.18s")):
        ada.page.emulate_media(reduced_motion=motion)
        assert ada.page.evaluate(lasts).split(",")[0] == seconds


def test_the_sheet_lists_what_the_page_has_and_gives_the_focus_back(ada):
    ada.focuses("#panel a, #panel button")
    before = ada.page.evaluate("document.activeElement.outerHTML")
    ada.presses("?")
    sheet = ada.page.locator("#keys")
    assert sheet.evaluate("one => one.matches(':modal')")
    assert sheet.get_by_text("first upstream step").is_visible()
    assert sheet.get_by_text("take the case").is_hidden()
    assert ada.page.evaluate("document.activeElement.textContent") == "Close"
    ada.presses("Escape")
    assert not sheet.evaluate("one => one.open")
    assert ada.page.evaluate("document.activeElement.outerHTML") == before


def test_the_link_to_all_keys_opens_the_sheet(ada):
    ada.focuses("[data-action=all-keys]")
    ada.presses("Enter")
    assert ada.page.locator("#keys").evaluate("one => one.open")
    assert "/keys/" not in ada.page.url


def test_without_a_script_the_link_leads_to_a_page(people):
    case = make_scene()
    vera = people("vera", java_script_enabled=False)
    vera.goes_to(case.get_absolute_url())
    vera.page.locator("[data-action=all-keys]").click()
    for action in keys.ACTIONS:
        row = vera.page.locator(f"#key-{action.name}")
        assert action.instead in row.inner_text()


def test_all_keys_can_be_switched_off(ada):
    ada.presses("?")
    ada.focuses("#keys-on")
    ada.presses("Space", "Escape", "j")
    assert stays(ada, 0)
    ada.page.reload()
    ada.presses("j")
    assert stays(ada, 0)
    ada.focuses("[data-action=all-keys]")
    ada.presses("Enter")
    ada.focuses("#keys-on")
    ada.presses("Space", "Escape", "j")
    assert at(ada, 1)


def test_every_key_of_the_registry_is_bound(people):
    """The page complains at its end; `people` sees to it that nobody heard any complaint."""
    case = make_scene()
    ada = people("ada")
    for address in (case.get_absolute_url(), f"/p/demo/runs/{case.run.pk}/"):
        ada.goes_to(address)
        ada.page.wait_for_load_state("load")
        ada.page.wait_for_timeout(100)


def test_the_script_refuses_what_the_start_refuses(ada):
    """Two actions of one key, a name that nobody knows, and one that is bound twice."""
    found = ada.page.evaluate(
        """async () => {
            const source = performance.getEntriesByType("resource")
                .map(one => one.name).find(name => name.includes("js/keys"));
            const registry = document.getElementById("key-registry");
            const told = [];
            const tried = async one => {
                try { await one(); told.push("taken"); } catch (error) { told.push(error.message); }
            };
            const keys = await import(source);
            await tried(() => keys.bind("fly", () => {}));
            await tried(() => keys.bind("sign", () => {}));
            await tried(() => keys.bind("all-keys", () => {}));
            const one = name => ({ name, keys: ["j"] });
            registry.textContent = JSON.stringify({ actions: [one("a"), one("b")], elsewhere: [] });
            await tried(() => import(source + "?again"));
            return told;
        }"""
    )
    assert found == [
        "No action of the registry is called fly.",
        "sign presses a button: nothing can be bound to it.",
        "all-keys is bound twice.",
        "The key j has two actions: a, b.",
    ]
