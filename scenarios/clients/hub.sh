#!/usr/bin/env bash
# The life of an invitation, a status and a pull by hub.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

export GITHUB_HOST=$HOB_HOST
for who in owner guest; do
  [ "$who" = owner ] && login=$OWNER token=$OWNER_TOKEN || login=$GUEST token=$GUEST_TOKEN
  printf '%s:\n- user: %s\n  oauth_token: %s\n  protocol: https\n' "$HOB_HOST" "$login" "$token" >"$HOB_WORK/hub-$who"
done
mine=$HOB_WORK/hub-mine
theirs=$HOB_WORK/hub-theirs
git config --global --add hub.host "$HOB_HOST"

# In a clone, because hub finds the repository by its remotes.
as_owner() { (cd "$mine" 2>/dev/null || cd "$HOB_WORK" || exit 1; HUB_CONFIG=$HOB_WORK/hub-owner hub "$@"); }
as_guest() { (cd "$theirs" 2>/dev/null || cd "$HOB_WORK" || exit 1; HUB_CONFIG=$HOB_WORK/hub-guest hub "$@"); }
field() { as_owner api --flat "$1" | awk -F '\t' -v path="$2" '$1 == path { print $2; exit }'; }

name=$OWNER/by-hub
repo=repos/$name

step 'authenticates with the token' is "$OWNER" field user .login
step 'creates a repository' as_owner api user/repos -f name=by-hub -F auto_init=true
step 'the owner clones the repository' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"

step 'invites a collaborator' as_owner api -X PUT "$repo/collaborators/$GUEST"
id=$(field "$repo/invitations" '.[0].id')
step 'accepts the invitation' as_guest api -X PATCH "user/repository_invitations/$id"
step 'an accepted invitation is gone' refused as_guest api -X PATCH "user/repository_invitations/$id"
step 'the guest is a collaborator' as_owner api "$repo/collaborators/$GUEST"

step 'the guest clones the repository' clone "$GUEST" "$GUEST_TOKEN" "$name" "$theirs"
git -C "$theirs" switch -qc topic
step 'the guest commits' commit "$theirs" topic.txt
step 'the guest pushes' git -C "$theirs" push -q -u origin topic
sha=$(git -C "$theirs" rev-parse HEAD)

status_is() {
  local expected=$1 word
  word=$(as_guest ci-status "$sha") || true
  is "$expected" echo "$word"
}
step 'the commit has no status' status_is 'no status'
step 'creates a commit status' as_guest api "$repo/statuses/$sha" -f state=pending -f context=ci
step 'the combined status is pending' status_is pending
step 'creates a later status of the same context' as_guest api "$repo/statuses/$sha" -f state=success -f context=ci
step 'the combined status is the later one' status_is success

step 'opens a pull request' is "https://$HOB_HOST/$name/pull/1" as_guest pull-request -m 'Topic' -b "$OWNER:main" -h "$OWNER:topic"
step 'a second pull request of the same branch is rejected' refused as_guest pull-request -m 'Topic' -b "$OWNER:main" -h "$OWNER:topic"
step 'lists the pull request' is '1 Topic' as_owner pr list -f '%I %t%n'
step 'shows the pull request' is "topic $sha" as_owner pr show -f '%H %sH%n' 1
step 'checks out the pull request' as_owner pr checkout 1
step 'the checkout has the changed file' test -f "$mine/topic.txt"
step 'merges the pull request' as_owner api -X PUT "$repo/pulls/1/merge"
git -C "$mine" switch -q main
step 'the merge is in git' git -C "$mine" pull -q --ff-only origin main
step 'the merged file is in the clone' test -f "$mine/topic.txt"
step 'lists no open pull request' is '' as_owner pr list
