import pytest

from tests.factories import AT, make_project, make_user
from traces import members
from traces.models import AuditEntry, Membership, Role

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def roles(project):
    return dict(project.memberships.values_list("user__username", "role"))


def test_the_last_lead_can_neither_leave_nor_step_down():
    project = make_project()
    lena = make_user("lena")
    with pytest.raises(members.LastLead):
        members.remove(project=project, user=lena, by=lena, at=AT)
    with pytest.raises(members.LastLead):
        members.set_role(project=project, user=lena, role=Role.VIEWER, by=None, at=AT)
    assert roles(project)["lena"] == "lead"


def test_nobody_changes_their_own_role():
    project, lena = make_project(), make_user("lena")
    members.set_role(project=project, user=make_user("sam"), role=Role.LEAD, by=lena, at=AT)
    with pytest.raises(members.OwnRole):
        members.set_role(project=project, user=lena, role=Role.REVIEWER, by=lena, at=AT)
    assert roles(project)["lena"] == "lead"


def test_a_second_lead_frees_the_first():
    project, lena, sam = make_project(), make_user("lena"), make_user("sam")
    members.set_role(project=project, user=sam, role=Role.LEAD, by=lena, at=AT)
    members.set_role(project=project, user=lena, role=Role.REVIEWER, by=sam, at=AT)
    assert roles(project)["lena"] == "reviewer"


def test_members_are_added_changed_and_removed_with_an_entry_each():
    project, lena, sam = make_project(), make_user("lena"), make_user("sam")
    members.set_role(project=project, user=sam, role=Role.VIEWER, by=lena, at=AT)
    members.set_role(project=project, user=sam, role=Role.REVIEWER, by=lena, at=AT)
    assert roles(project)["sam"] == "reviewer"
    members.remove(project=project, user=sam, by=lena, at=AT)
    members.remove(project=project, user=sam, by=lena, at=AT)
    assert "sam" not in roles(project)
    assert list(AuditEntry.objects.values_list("action", "data__role")) == [
        ("member.role_set", "viewer"),
        ("member.role_set", "reviewer"),
        ("member.removed", None),
    ]


def test_a_role_holds_in_its_project_only():
    first, second = make_project("one"), make_project("two")
    members.remove(project=first, user=make_user("vera"), by=None, at=AT)
    assert Membership.objects.filter(user=make_user("vera"), project=second).exists()
