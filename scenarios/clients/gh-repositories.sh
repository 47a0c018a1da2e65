#!/usr/bin/env bash
# The commands of `gh` on repositories, labels and clones, and those for which Hob has nothing.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

export GH_HOST=$HOB_HOST GH_PROMPT_DISABLED=1 GH_CONFIG_DIR=$HOB_WORK/gh-repositories NO_COLOR=1 GH_NO_UPDATE_NOTIFIER=1
as_owner() { GH_ENTERPRISE_TOKEN=$OWNER_TOKEN gh "$@"; }
as_guest() { GH_ENTERPRISE_TOKEN=$GUEST_TOKEN gh "$@"; }
# refused_readably COMMAND…: fails, and not with an error of the server.
refused_readably() {
  local said
  said=$("$@" 2>&1) && { printf 'this was let through: %s\n' "$said"; return 1; }
  [[ $said == *'HTTP 5'* || $said == *panic* || -z $said ]] && { printf '%s\n' "$said"; return 1; }
  return 0
}

name=$OWNER/gh-repositories
at=$HOB_HOST/$name
mine=$HOB_WORK/gh-repositories-mine

step 'repo create --add-readme' as_owner repo create "$at" --public --add-readme
# `gh repo clone` takes a host with a port for a path of SSH.
step 'the owner clones the repository' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"
git -C "$mine" switch -qc topic
step 'the owner commits' commit "$mine" topic.txt
step 'the owner pushes' git -C "$mine" push -q origin topic
as_owner api -X PATCH "repos/$name" -F is_template=true >/dev/null
step 'repo create --template' as_guest repo create "$HOB_HOST/$GUEST/gh-from-template" --public --template "$at"
step 'it names its template' is gh-repositories as_guest repo view "$HOB_HOST/$GUEST/gh-from-template" --json templateRepository --jq .templateRepository.name
step 'it has one commit' is 'Initial commit' as_guest api "repos/$GUEST/gh-from-template/commits" --jq '.[].commit.message'
step 'label create' as_owner label create urgent --color ff0000 -R "$at"
step 'label edit' as_owner label edit urgent --name soon --color 00ff00 -R "$at"
step 'label list' is '00ff00 soon' as_owner label list -R "$at" --search soon --json name,color --jq '.[] | .color + " " + .name'
step 'repo create of another one' as_owner repo create "$HOB_HOST/$OWNER/gh-labels" --private
step 'label clone' as_owner label clone "$at" -R "$HOB_HOST/$OWNER/gh-labels"
step 'the label is there' is soon as_owner label list -R "$HOB_HOST/$OWNER/gh-labels" --search soon --json name --jq '.[].name'
step 'label delete' as_owner label delete soon -R "$at" --yes

step 'pr create' as_owner pr create -R "$at" --head topic --base main --title Topic --body ''
step 'pr review --request-changes' as_guest pr review 1 -R "$at" --request-changes --body No
step 'pr review --approve' as_guest pr review 1 -R "$at" --approve
step 'the review decides' is APPROVED as_owner pr view 1 -R "$at" --json latestReviews --jq '.latestReviews[].state'
as_owner api -X PUT "repos/$name/collaborators/$GUEST" >/dev/null
as_guest api -X PATCH "user/repository_invitations/$(as_guest api user/repository_invitations --jq '.[0].id')" >/dev/null
step 'pr edit --add-reviewer' as_owner pr edit 1 -R "$at" --add-reviewer "$GUEST"
step 'the review is asked for' is "$GUEST" as_owner pr view 1 -R "$at" --json reviewRequests --jq '.reviewRequests[].login'
step 'pr lock' as_owner pr lock 1 -R "$at"
step 'pr unlock' as_owner pr unlock 1 -R "$at"
step 'pr merge --delete-branch' as_owner pr merge 1 -R "$at" --merge --delete-branch
step 'issue create' as_owner issue create -R "$at" --title Broken --body ''
step 'issue delete of a guest is refused' refused_readably as_guest issue delete 2 -R "$at" --yes
step 'issue delete' as_owner issue delete 2 -R "$at" --yes
step 'the issue is gone' refused as_owner api "repos/$name/issues/2"
step 'issue create of one that moves' as_owner issue create -R "$at" --title Moving --body '' --assignee "$OWNER"
step 'issue transfer of a guest is refused' refused_readably as_guest issue transfer 3 "$HOB_HOST/$GUEST/gh-from-template" -R "$at"
step 'issue transfer' is "https://$HOB_HOST/$OWNER/gh-labels/issues/1" as_owner issue transfer 3 "$HOB_HOST/$OWNER/gh-labels" -R "$at"
step 'the old number leads to it' is "$OWNER/gh-labels Moving" as_owner api "repos/$name/issues/3" --jq '(.repository_url | sub(".*/repos/"; "")) + " " + .title'
step 'a guest does not see where it went' refused as_guest api "repos/$name/issues/3"

step 'repo fork' as_guest repo fork "$at" --clone=false
step 'the fork is the guest'"'"'s' is "$GUEST/gh-repositories" as_guest repo view "$HOB_HOST/$GUEST/gh-repositories" --json nameWithOwner --jq .nameWithOwner
step 'repo sync' as_guest repo sync "$HOB_HOST/$GUEST/gh-repositories"
step 'repo rename' as_owner repo rename gh-renamed -R "$at" --yes
step 'repo archive' as_owner repo archive "$HOB_HOST/$OWNER/gh-renamed" --yes
step 'the repository is archived' is true as_owner repo view "$HOB_HOST/$OWNER/gh-renamed" --json isArchived --jq .isArchived

other=$HOB_HOST/$OWNER/gh-labels
echo x >"$HOB_WORK/gh-gist.txt"
step 'gist create is refused' refused_readably as_owner gist create "$HOB_WORK/gh-gist.txt"
step 'secret list is refused' refused_readably as_owner secret list -R "$other"
step 'workflow list is refused' refused_readably as_owner workflow list -R "$other"
step 'run list is refused' refused_readably as_owner run list -R "$other"
