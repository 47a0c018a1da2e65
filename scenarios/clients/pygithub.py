"""The life of an invitation, a status and a pull by PyGithub."""

import os
import sys
import traceback

from github import Github, GithubException

env = os.environ
base_url = "https://%s/api/v3" % env["HOB_HOST"]
owner = Github(base_url=base_url, login_or_token=env["OWNER_TOKEN"])
guest = Github(base_url=base_url, login_or_token=env["GUEST_TOKEN"])


def step(what, got, expected=True):
    if got != expected:
        print("FAILED %s\nexpected %r, got %r" % (what, expected, got))
        sys.exit(1)
    print("ok %s" % what)


def refused(action, status):
    try:
        action()
    except GithubException as error:
        return error.status == status
    return False


def life():
    step("the token is known", owner.get_user().login, env["OWNER"])
    repo = owner.get_user().create_repo("by-pygithub", auto_init=True)
    step("a repository is made", repo.full_name, env["OWNER"] + "/by-pygithub")

    invitation = repo.add_to_collaborators(env["GUEST"], "push")
    step("a collaborator is invited", invitation.permissions, "write")
    repo.remove_invitation(invitation.id)
    step("the invitation is withdrawn", repo.get_pending_invitations().totalCount, 0)
    step("nobody accepts it any more", refused(lambda: guest.get_user().accept_invitation(invitation), 404))
    repo.add_to_collaborators(env["GUEST"], "push")
    (invitation,) = guest.get_user().get_invitations()
    guest.get_user().accept_invitation(invitation)
    step("the invitation is accepted", repo.has_in_collaborators(env["GUEST"]))

    theirs = guest.get_repo(repo.full_name)
    main = theirs.get_branch("main").commit.sha
    theirs.create_git_ref("refs/heads/topic", main)
    made = theirs.create_file("topic.txt", "Add topic.txt", "topic\n", branch="topic")
    sha = made["commit"].sha
    step("the guest commits", theirs.get_branch("topic").commit.sha, sha)

    commit = theirs.get_commit(sha)
    step("a status is made", commit.create_status("pending", context="ci").state, "pending")
    commit.create_status("success", "https://ci.example.test/1", "Built", "ci")
    step("statuses are listed", [status.state for status in commit.get_statuses()], ["success", "pending"])
    combined = commit.get_combined_status()
    step("statuses are combined", (combined.state, combined.total_count), ("success", 1))

    pull = theirs.create_pull(title="Topic", body="", base="main", head="topic")
    step("a pull is opened", pull.number, 1)
    again = lambda: theirs.create_pull(title="Topic", body="", base="main", head="topic")
    step("a second one of the same branch is refused", refused(again, 422))
    step("the pull is listed", [each.title for each in repo.get_pulls()], ["Topic"])
    pull.edit(title="Better")
    step("the pull is edited", repo.get_pull(1).title, "Better")
    step("its files are listed", [file.filename for file in pull.get_files()], ["topic.txt"])
    step("its commits are listed", [each.sha for each in pull.get_commits()], [sha])
    pull.create_issue_comment("Nice")
    step("it is commented on", [each.body for each in pull.get_issue_comments()], ["Nice"])
    repo.create_file("base.txt", "Add base.txt", "base\n")
    step("the pull is brought up to date", pull.update_branch())
    mine = repo.get_pull(1)
    step("it is not merged yet", mine.is_merged(), False)
    merged = mine.merge(merge_method="squash")
    step("the pull is merged", merged.merged)
    step("it is merged now", repo.get_pull(1).is_merged())
    step("git has it", repo.get_contents("topic.txt").decoded_content, b"topic\n")
    step("the merge is at the tip", repo.get_branch("main").commit.sha, merged.sha)
    events = [event.type for event in repo.get_events()]
    step("the events tell it", "PullRequestEvent" in events and "MemberEvent" in events)


try:
    life()
except Exception:
    print("FAILED PyGithub\n%s" % traceback.format_exc())
    sys.exit(1)
