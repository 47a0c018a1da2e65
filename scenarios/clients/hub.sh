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

step 'the token is known' is "$OWNER" field user .login
step 'a repository is made' as_owner api user/repos -f name=by-hub -F auto_init=true
step 'the owner clones' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"

step 'a collaborator is invited' as_owner api -X PUT "$repo/collaborators/$GUEST"
id=$(field "$repo/invitations" '.[0].id')
step 'the invitation is accepted' as_guest api -X PATCH "user/repository_invitations/$id"
step 'it is gone then' refused as_guest api -X PATCH "user/repository_invitations/$id"
step 'the collaborator is one' as_owner api "$repo/collaborators/$GUEST"

step 'the guest clones' clone "$GUEST" "$GUEST_TOKEN" "$name" "$theirs"
git -C "$theirs" switch -qc topic
step 'the guest commits' commit "$theirs" topic.txt
step 'the guest pushes' git -C "$theirs" push -q -u origin topic
sha=$(git -C "$theirs" rev-parse HEAD)

status_is() {
  local expected=$1 word
  word=$(as_guest ci-status "$sha") || true
  is "$expected" echo "$word"
}
step 'there is no status' status_is 'no status'
step 'a status is made' as_guest api "$repo/statuses/$sha" -f state=pending -f context=ci
step 'it is pending' status_is pending
step 'a later one is made' as_guest api "$repo/statuses/$sha" -f state=success -f context=ci
step 'it counts' status_is success

step 'a pull is opened' is "https://$HOB_HOST/$name/pull/1" as_guest pull-request -m 'Topic' -b "$OWNER:main" -h "$OWNER:topic"
step 'a second one of the same branch is refused' refused as_guest pull-request -m 'Topic' -b "$OWNER:main" -h "$OWNER:topic"
step 'the pull is listed' is '1 Topic' as_owner pr list -f '%I %t%n'
step 'the pull is shown' is "topic $sha" as_owner pr show -f '%H %sH%n' 1
step 'its branch is checked out' as_owner pr checkout 1
step 'and has what it brings' test -f "$mine/topic.txt"
step 'the pull is merged' as_owner api -X PUT "$repo/pulls/1/merge"
git -C "$mine" switch -q main
step 'git has it' git -C "$mine" pull -q --ff-only origin main
step 'and what it brought' test -f "$mine/topic.txt"
step 'no pull is open' is '' as_owner pr list
