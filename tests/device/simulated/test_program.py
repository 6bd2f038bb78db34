from __future__ import annotations

import pytest

from fewtaps.device.simulated.program import Program, View, button, checkbox, field
from fewtaps.model.screen import WindowKind


def test_two_views_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="one name"):
        Program("a", [View("Main"), View("Main")])


@pytest.mark.parametrize("views", [[], [View("Ask", kind=WindowKind.DIALOG)]])
def test_a_program_starts_with_an_activity(views: list[View]) -> None:
    with pytest.raises(ValueError, match="activity"):
        Program("a", views)


def test_a_button_is_named_after_its_text() -> None:
    assert button("More people").name == "more_people"
    with pytest.raises(ValueError, match="name"):
        button(lambda state: "changing")


def test_fields_and_ticks_are_part_of_the_state() -> None:
    program = Program("a", [View("Main", [field("people", initial="2"), checkbox("tip", "Tip")])], state={"share": 0})
    assert program.initial_state() == {"people": "2", "tip": False, "share": 0}


def test_a_program_is_an_app() -> None:
    app = Program("com.a", [View("Main"), View("Ask", kind=WindowKind.DIALOG), View("Detail")]).app
    assert app.launcher == "com.a.Main"
    assert [activity.name for activity in app.activities] == ["com.a.Main", "com.a.Detail"]
    assert app.ref.package == "com.a"
