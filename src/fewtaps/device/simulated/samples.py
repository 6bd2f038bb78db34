"""The simulated apps of the tutorial and the tests, and functions for apps with a known shortest crashing trace."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.device.simulated.program import (
    AppExit,
    Handler,
    Hang,
    Item,
    Phone,
    Program,
    Throw,
    View,
    button,
    checkbox,
    field,
    label,
)
from fewtaps.model.screen import WindowKind


def bill() -> Program:
    """Splits a bill; zero people are a division by zero. Shortest crash: tap 'Split'."""

    def split(phone: Phone) -> None:
        share = int(phone.state["total"]) // int(phone.state["people"])
        phone.state["share"] = f"{share} each"

    def more(phone: Phone) -> None:
        phone.state["people"] = str(int(phone.state["people"]) + 1)

    main = View(
        "Main",
        [
            field("total", initial="100", hint="Total"),
            field("people", initial="0", hint="People"),
            button("More people", more),
            button("Split", split),
            label(lambda state: state["share"], name="share"),
            button("About", lambda phone: phone.go("About")),
        ],
    )
    about = View("About", [label("Splits bills."), button("Close", lambda phone: phone.back())], WindowKind.DIALOG)
    return Program("com.example.bill", [main, about], state={"share": ""}, label="Bill splitter")


def two_writes() -> Program:
    """Two events write, a third divides, as in ESDroid's example. Shortest crash: 'Set zero', 'Arm', 'Divide'."""

    def set_zero(phone: Phone) -> None:
        phone.reach(0)
        phone.state["divisor"] = 0

    def arm(phone: Phone) -> None:
        phone.reach(1)
        phone.state["armed"] = True

    def divide(phone: Phone) -> None:
        if phone.state["armed"]:
            phone.reach(2)
            phone.state["result"] = 100 // phone.state["divisor"]

    def reset(phone: Phone) -> None:
        phone.reach(3)
        phone.state.update(divisor=1, armed=False)

    main = View(
        "Main",
        [
            button("Set zero", set_zero),
            button("Arm", arm),
            button("Divide", divide),
            button("Reset", reset),
            label(lambda state: f"Result: {state['result']}", name="result"),
        ],
    )
    return Program(
        "com.example.twowrites",
        [main],
        state={"divisor": 1, "armed": False, "result": 0},
        branches=4,
        label="Two writes",
    )


def feed() -> Program:
    """A feed that loads in the background: opening a post before the load is done crashes, in some worlds only.

    Shortest crash: 'Refresh', 'First post', in a world where the load takes longer than the user's pause.
    """

    def loaded(phone: Phone) -> None:
        phone.state["posts"] = ("First", "Second", "Third")

    def refresh(phone: Phone) -> None:
        phone.state["posts"] = ()
        phone.later(200, loaded, jitter_ms=600, thread="loader")

    def first_post(phone: Phone) -> None:
        phone.state["title"] = phone.state["posts"][0]
        phone.go("Post")

    main = View(
        "Feed",
        [
            button("Refresh", refresh),
            button("First post", first_post),
            label(lambda state: f"{len(state['posts'])} posts", name="count"),
        ],
    )
    post = View("Post", [label(lambda state: state["title"], name="title"), button("Back", lambda phone: phone.back())])
    return Program("com.example.feed", [main, post], state={"posts": ("Old",), "title": ""}, label="Feed")


def notes_app() -> Program:
    """An app for the conformance checks: fields, checkboxes, dialogs, menus, long lists, background work."""

    def save(phone: Phone) -> None:
        phone.reach(0)
        phone.log(f"I/Notes: saving {phone.state['title']}")
        if phone.state["urgent"] and not phone.state["title"]:
            raise Throw("java.lang.IllegalStateException", "an urgent note needs a title") from ValueError(
                "empty title"
            )
        phone.state["saved"] = phone.state["saved"] + 1
        phone.toast("Saved")

    def sync(phone: Phone) -> None:
        def done(phone: Phone) -> None:
            phone.state["synced"] = True

        phone.later(400, done, jitter_ms=2000, thread="sync")

    def hang(phone: Phone) -> None:
        raise Hang

    def leave(phone: Phone) -> None:
        raise AppExit

    main = View(
        "Main",
        [
            field("title", hint="Title"),
            checkbox("urgent", "Urgent"),
            button("Save", save, on_long_press=lambda phone: phone.go("Options")),
            button("Sync", sync),
            label(lambda state: f"{state['saved']} notes" + (", synced" if state["synced"] else ""), name="status"),
            button("Archive", lambda phone: phone.go("Archive")),
            button("Hang", hang),
            button("Leave", leave),
        ],
        keys={"MENU": lambda phone: phone.go("Options")},
        on_rotate=lambda phone: phone.log("I/Notes: rotated"),
    )
    options = View(
        "Options", [button("Clear", lambda phone: phone.state.update(saved=0)), button("Cancel")], WindowKind.DIALOG
    )
    archive = View("Archive", [button(f"Note {number}", lambda phone: phone.back()) for number in range(1, 41)])
    return Program(
        "com.example.notes",
        [main, options, archive],
        state={"saved": 0, "synced": False},
        branches=1,
        on_system={"low_memory": lambda phone: phone.log("I/Notes: trimmed")},
        on_intent={"android.intent.action.SEND": lambda phone: phone.state.update(title="Shared")},
        label="Notes",
    )


def lock(
    code: Sequence[int], *, buttons: int = 8, probability: float = 1.0, package: str = "com.example.lock"
) -> Program:
    """Crashes, with the given probability, once its buttons were tapped in the order of the code, with others between.

    The shortest crashing trace is the launch and the code itself.
    """
    wanted = tuple(code)

    def presses(number: int) -> Handler:
        def press(phone: Phone) -> None:
            place = phone.state["place"]
            if wanted[place] != number:
                return
            phone.reach(place)
            if place + 1 < len(wanted):
                phone.state["place"] = place + 1
            elif probability >= 1.0 or phone.chance(probability):
                raise Throw("java.lang.IllegalStateException", "unlocked")

        return press

    main = View("Lock", [button(f"Button {number}", presses(number)) for number in range(buttons)])
    return Program(package, [main], state={"place": 0}, branches=len(wanted), label="Lock")


def wizard(length: int = 12, *, package: str = "com.example.wizard") -> Program:
    """Guarded pages in a row; 'Next' works only after the page was accepted. The last 'Finish' crashes.

    The shortest crashing trace is the launch and two taps per page.
    """

    def page(number: int) -> View:
        accepted = f"accepted{number}"

        def accept(phone: Phone) -> None:
            phone.state[accepted] = True

        def proceed(phone: Phone) -> None:
            if not phone.state.get(accepted):
                phone.toast("Please accept first")
            elif number == length:
                phone.state["summary"] = phone.state["answers"][number]
            else:
                phone.go(f"Page{number + 1}")

        items: list[Item] = [
            label(f"Page {number} of {length}"),
            button("Accept", accept),
            button("Finish" if number == length else "Next", proceed),
        ]
        return View(f"Page{number}", items)

    return Program(package, [page(number) for number in range(1, length + 1)], state={"answers": ()}, label="Wizard")


def file_browser(*, handles_menu: bool = False, package: str = "com.example.filebrowser") -> Program:
    """The file browser of Figure 1 of the DetReduce paper: a folder, its menu, the options, and a folder of pictures.

    The folders /, /foo and /foo/foo look the same, /foo/foo/foo holds pictures. Branches: 0 the options, 1 a folder of
    folders, 2 a folder of files; with `handles_menu` also 3, the menu opens, and 4, it closes. The memory card with the
    pictures is missing with a probability of 0.2: of the worlds 0 to 10, in world 1 only. There is no crash.
    """
    menu_opens, menu_closes = 3, 4

    def open_menu(phone: Phone) -> None:
        if handles_menu:
            phone.reach(menu_opens)
        phone.go("Menu")

    def close_menu(phone: Phone) -> None:
        if handles_menu:
            phone.reach(menu_closes)

    def open_options(phone: Phone) -> None:
        phone.reach(0)
        phone.go("Options")

    def open_foo(phone: Phone) -> None:
        if phone.state["depth"] < 2:
            phone.reach(1)
            phone.state["depth"] += 1
        elif phone.chance(0.2):
            phone.go("NoCard")
        else:
            phone.reach(2)
            phone.go("Pictures")

    folder = View("Folder", [button("Menu", open_menu), button("foo", open_foo)])
    menu = View("Menu", [button("Menu", close_menu), button("Option", open_options)], WindowKind.DIALOG)
    options = View("Options", [checkbox("hidden", "Show hidden files"), label("Options")])
    pictures = View("Pictures", [button("beach.jpg"), button("forest.jpg"), button("lake.jpg")])
    no_card = View("NoCard", [label("The memory card is missing."), button("Close", lambda phone: phone.back())])
    return Program(
        package,
        [folder, menu, options, pictures, no_card],
        state={"depth": 0},
        branches=5 if handles_menu else 3,
        label="File browser",
    )


def kiosk() -> Program:
    """Crashes on some phones only: without a browser by 'Help' and 'Website', in German by 'Total'."""

    def website(phone: Phone) -> None:
        if phone.differences.get("browser") == "absent":
            raise LookupError("no activity found to handle the website")
        phone.toast("The website is open")

    def total(phone: Phone) -> None:
        is_german = phone.differences.get("locale", "en").startswith("de")
        phone.state["total"] = str(float("12,50" if is_german else "12.50"))

    main = View(
        "Main",
        [
            button("Total", total),
            label(lambda state: state["total"], name="total"),
            button("Help", lambda phone: phone.go("Help")),
        ],
    )
    help_page = View("Help", [button("Website", website), button("Close", lambda phone: phone.back())])
    return Program("com.example.kiosk", [main, help_page], state={"total": ""}, label="Kiosk")


def luggage() -> Program:
    """Forgets its traveller with its process. Shortest crash: 'Pack', process death, 'Label'."""

    def pack(phone: Phone) -> None:
        phone.state["traveller"] = "Ada"
        phone.go("Bag")

    def label_bag(phone: Phone) -> None:
        if phone.state["traveller"] is None:
            raise Throw("java.lang.NullPointerException", "the traveller is not known")
        phone.state["label"] = f"Bag of {phone.state['traveller']}"

    main = View("Main", [button("Pack", pack)])
    bag = View("Bag", [button("Label", label_bag), label(lambda state: state["label"], name="text")])
    state = {"traveller": None, "label": ""}
    return Program("com.example.luggage", [main, bag], state=state, memory=("traveller",), label="Luggage")


SAMPLES: tuple[Program, ...] = (
    bill(),
    two_writes(),
    feed(),
    notes_app(),
    lock((3, 1, 4, 1, 5)),
    lock((2, 7, 1), probability=0.5, package="com.example.flakylock"),
    wizard(),
    file_browser(),
    kiosk(),
    luggage(),
)
"""The default programs of the simulated device."""
