#!/usr/bin/env bash
# The life of an invitation, a status and a pull by `gh api`.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

export GH_HOST=$HOB_HOST GH_PROMPT_DISABLED=1 GH_CONFIG_DIR=$HOB_WORK/gh NO_COLOR=1
as_owner() { GH_ENTERPRISE_TOKEN=$OWNER_TOKEN gh api "$@"; }
as_guest() { GH_ENTERPRISE_TOKEN=$GUEST_TOKEN gh api "$@"; }

name=$OWNER/by-gh
repo=repos/$name
mine=$HOB_WORK/gh-mine
theirs=$HOB_WORK/gh-theirs

step 'authenticates with the token' is "$OWNER" as_owner user --jq .login
step 'creates a repository' is "$name" as_owner user/repos -f name=by-gh -F auto_init=true --jq .full_name

step 'invites a collaborator' is write as_owner -X PUT "$repo/collaborators/$GUEST" -f permission=push --jq .permissions
id=$(as_owner "$repo/invitations" --jq '.[0].id')
step 'updates the permission of the invitation' is admin as_owner -X PATCH "$repo/invitations/$id" -f permissions=admin --jq .permissions
step 'cancels the invitation' as_owner -X DELETE "$repo/invitations/$id"
step 'a cancelled or declined invitation cannot be accepted' refused as_guest -X PATCH "user/repository_invitations/$id"
step 'invites the collaborator again' as_owner -X PUT "$repo/collaborators/$GUEST"
id=$(as_guest user/repository_invitations --jq '.[0].id')
step 'accepts the invitation' as_guest -X PATCH "user/repository_invitations/$id"
step 'the guest is a collaborator' as_owner "$repo/collaborators/$GUEST"

step 'the guest clones the repository' clone "$GUEST" "$GUEST_TOKEN" "$name" "$theirs"
git -C "$theirs" switch -qc topic
step 'the guest commits' commit "$theirs" topic.txt
step 'the guest pushes' git -C "$theirs" push -q origin topic
sha=$(git -C "$theirs" rev-parse HEAD)

step 'creates a commit status' is pending as_guest "$repo/statuses/$sha" -f state=pending -f context=ci --jq .state
step 'the later status of the same context is the combined one' is success as_guest "$repo/statuses/$sha" -f state=success -f context=ci --jq .state
step 'lists statuses page by page' is 'success pending' as_owner --paginate "$repo/commits/$sha/statuses?per_page=2" --jq '[.[].state] | join(" ")'
step 'shows the combined status' is success as_owner "$repo/commits/topic/status" --jq .state

step 'opens a pull request' is 1 as_guest "$repo/pulls" -f title=Topic -f head=topic -f base=main --jq .number
step 'a second pull request of the same branch is rejected' refused as_guest "$repo/pulls" -f title=Topic -f head=topic -f base=main
step 'lists the pull request' is Topic as_owner "$repo/pulls" --jq '.[0].title'
step 'updates the title of the pull request' is Better as_owner -X PATCH "$repo/pulls/1" -f title=Better --jq .title
step 'lists the files of the pull request' is topic.txt as_owner "$repo/pulls/1/files" --jq '.[0].filename'
step 'lists the commits of the pull request' is "$sha" as_owner "$repo/pulls/1/commits" --jq '.[0].sha'

step 'the owner clones the repository' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"
step 'the owner commits to the base branch' commit "$mine" base.txt
step 'the owner pushes' git -C "$mine" push -q origin main
step 'updates the branch of the pull request' as_guest -X PUT "$repo/pulls/1/update-branch" -H 'Accept: application/vnd.github.lydian-preview+json'
step 'the pull request is not merged' refused as_owner "$repo/pulls/1/merge"
step 'merges the pull request' is true as_owner -X PUT "$repo/pulls/1/merge" -f merge_method=squash --jq .merged
step 'the pull request is merged' as_owner "$repo/pulls/1/merge"
step 'the merge is in git' git -C "$mine" pull -q --ff-only
step 'the merged file is in the clone' test -f "$mine/topic.txt"
step 'the activity lists the events' is closed as_owner "$repo/events" --jq '[.[] | select(.type == "PullRequestEvent")][0].payload.action'
