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

step 'the token is known' is "$OWNER" as_owner user --jq .login
step 'a repository is made' is "$name" as_owner user/repos -f name=by-gh -F auto_init=true --jq .full_name

step 'a collaborator is invited' is write as_owner -X PUT "$repo/collaborators/$GUEST" -f permission=push --jq .permissions
id=$(as_owner "$repo/invitations" --jq '.[0].id')
step 'the invitation gets another permission' is admin as_owner -X PATCH "$repo/invitations/$id" -f permissions=admin --jq .permissions
step 'the invitation is withdrawn' as_owner -X DELETE "$repo/invitations/$id"
step 'nobody accepts it any more' refused as_guest -X PATCH "user/repository_invitations/$id"
step 'the collaborator is invited again' as_owner -X PUT "$repo/collaborators/$GUEST"
id=$(as_guest user/repository_invitations --jq '.[0].id')
step 'the invitation is accepted' as_guest -X PATCH "user/repository_invitations/$id"
step 'the collaborator is one' as_owner "$repo/collaborators/$GUEST"

step 'the guest clones' clone "$GUEST" "$GUEST_TOKEN" "$name" "$theirs"
git -C "$theirs" switch -qc topic
step 'the guest commits' commit "$theirs" topic.txt
step 'the guest pushes' git -C "$theirs" push -q origin topic
sha=$(git -C "$theirs" rev-parse HEAD)

step 'a status is made' is pending as_guest "$repo/statuses/$sha" -f state=pending -f context=ci --jq .state
step 'a later one counts' is success as_guest "$repo/statuses/$sha" -f state=success -f context=ci --jq .state
step 'statuses are listed page by page' is 'success pending' as_owner --paginate "$repo/commits/$sha/statuses?per_page=2" --jq '[.[].state] | join(" ")'
step 'statuses are combined' is success as_owner "$repo/commits/topic/status" --jq .state

step 'a pull is opened' is 1 as_guest "$repo/pulls" -f title=Topic -f head=topic -f base=main --jq .number
step 'a second one of the same branch is refused' refused as_guest "$repo/pulls" -f title=Topic -f head=topic -f base=main
step 'the pull is listed' is Topic as_owner "$repo/pulls" --jq '.[0].title'
step 'the pull is edited' is Better as_owner -X PATCH "$repo/pulls/1" -f title=Better --jq .title
step 'its files are listed' is topic.txt as_owner "$repo/pulls/1/files" --jq '.[0].filename'
step 'its commits are listed' is "$sha" as_owner "$repo/pulls/1/commits" --jq '.[0].sha'

step 'the owner clones' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"
step 'the base moves on' commit "$mine" base.txt
step 'the owner pushes' git -C "$mine" push -q origin main
step 'the pull is brought up to date' as_guest -X PUT "$repo/pulls/1/update-branch" -H 'Accept: application/vnd.github.lydian-preview+json'
step 'it is not merged yet' refused as_owner "$repo/pulls/1/merge"
step 'the pull is merged' is true as_owner -X PUT "$repo/pulls/1/merge" -f merge_method=squash --jq .merged
step 'it is merged now' as_owner "$repo/pulls/1/merge"
step 'git has it' git -C "$mine" pull -q --ff-only
step 'and what it brought' test -f "$mine/topic.txt"
step 'the events tell it' is closed as_owner "$repo/events" --jq '[.[] | select(.type == "PullRequestEvent")][0].payload.action'
