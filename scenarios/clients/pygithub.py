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
    step("authenticates with the token", owner.get_user().login, env["OWNER"])
    repo = owner.get_user().create_repo("by-pygithub", auto_init=True)
    step("creates a repository", repo.full_name, env["OWNER"] + "/by-pygithub")

    invitation = repo.add_to_collaborators(env["GUEST"], "push")
    step("invites a collaborator", invitation.permissions, "write")
    repo.remove_invitation(invitation.id)
    step("cancels the invitation", repo.get_pending_invitations().totalCount, 0)
    step("a cancelled or declined invitation cannot be accepted", refused(lambda: guest.get_user().accept_invitation(invitation), 404))
    repo.add_to_collaborators(env["GUEST"], "push")
    (invitation,) = guest.get_user().get_invitations()
    guest.get_user().accept_invitation(invitation)
    step("accepts the invitation", repo.has_in_collaborators(env["GUEST"]))

    theirs = guest.get_repo(repo.full_name)
    main = theirs.get_branch("main").commit.sha
    theirs.create_git_ref("refs/heads/topic", main)
    made = theirs.create_file("topic.txt", "Add topic.txt", "topic\n", branch="topic")
    sha = made["commit"].sha
    step("the guest commits", theirs.get_branch("topic").commit.sha, sha)

    commit = theirs.get_commit(sha)
    step("creates a commit status", commit.create_status("pending", context="ci").state, "pending")
    commit.create_status("success", "https://ci.example.test/1", "Built", "ci")
    step("lists statuses", [status.state for status in commit.get_statuses()], ["success", "pending"])
    combined = commit.get_combined_status()
    step("shows the combined status", (combined.state, combined.total_count), ("success", 1))

    pull = theirs.create_pull(title="Topic", body="", base="main", head="topic")
    step("opens a pull request", pull.number, 1)
    again = lambda: theirs.create_pull(title="Topic", body="", base="main", head="topic")
    step("a second pull request of the same branch is rejected", refused(again, 422))
    step("lists the pull request", [each.title for each in repo.get_pulls()], ["Topic"])
    pull.edit(title="Better")
    step("updates the title of the pull request", repo.get_pull(1).title, "Better")
    step("lists the files of the pull request", [file.filename for file in pull.get_files()], ["topic.txt"])
    step("lists the commits of the pull request", [each.sha for each in pull.get_commits()], [sha])
    pull.create_issue_comment("Nice")
    step("comments on the pull request", [each.body for each in pull.get_issue_comments()], ["Nice"])
    repo.create_file("base.txt", "Add base.txt", "base\n")
    step("updates the branch of the pull request", pull.update_branch())
    mine = repo.get_pull(1)
    step("the pull request is not merged", mine.is_merged(), False)
    merged = mine.merge(merge_method="squash")
    step("merges the pull request", merged.merged)
    step("the pull request is merged", repo.get_pull(1).is_merged())
    step("the merge is in git", repo.get_contents("topic.txt").decoded_content, b"topic\n")
    step("the base branch points to the merge", repo.get_branch("main").commit.sha, merged.sha)
    events = [event.type for event in repo.get_events()]
    step("the activity lists the events", "PullRequestEvent" in events and "MemberEvent" in events)


try:
    life()
except Exception:
    print("FAILED PyGithub\n%s" % traceback.format_exc())
    sys.exit(1)
