#!/usr/bin/env bash
# The commands of `gh` that speak GraphQL: repositories, labels, issues and pulls.
set -uo pipefail
. "$(dirname "$0")/steps.sh"

export GH_HOST=$HOB_HOST GH_PROMPT_DISABLED=1 GH_CONFIG_DIR=$HOB_WORK/gh-commands NO_COLOR=1 GH_NO_UPDATE_NOTIFIER=1
as_owner() { GH_ENTERPRISE_TOKEN=$OWNER_TOKEN gh "$@"; }
as_guest() { GH_ENTERPRISE_TOKEN=$GUEST_TOKEN gh "$@"; }

name=$OWNER/with-gh
at=$HOB_HOST/$name
mine=$HOB_WORK/gh-commands-mine

step 'repo create' as_owner repo create "$at" --private --description Things
step 'repo view' is "with-gh true ADMIN true" as_owner repo view "$at" --json name,isPrivate,viewerPermission,isEmpty --jq '[.name, (.isPrivate | tostring), .viewerPermission, (.isEmpty | tostring)] | join(" ")'
step 'repo edit' as_owner repo edit "$at" --description Better --delete-branch-on-merge=false
step 'repo view shows the edit' is Better as_owner repo view "$at" --json description --jq .description
step 'repo list' is "$name" as_owner repo list --limit 5 --json nameWithOwner --jq '.[0].nameWithOwner'
step 'a hidden repository is not found' refused as_guest repo view "$at"

step 'the owner clones the repository' clone "$OWNER" "$OWNER_TOKEN" "$name" "$mine"
git -C "$mine" switch -qc main
step 'the owner commits' commit "$mine" base.txt
step 'the owner pushes' git -C "$mine" push -q origin main
git -C "$mine" switch -qc topic
step 'the owner commits to a branch' commit "$mine" topic.txt
step 'the owner pushes the branch' git -C "$mine" push -q origin topic
sha=$(git -C "$mine" rev-parse HEAD)

step 'label create' as_owner label create urgent --color ff0000 --description Now -R "$at"
step 'label list' is ff0000 as_owner label list -R "$at" --search urgent --json color --jq '.[0].color'

step 'issue create' is "https://$at/issues/1" as_owner issue create -R "$at" --title Broken --body 'It is' --label urgent --assignee "$OWNER"
step 'issue list' is 'Broken urgent' as_owner issue list -R "$at" --json title,labels --jq '.[] | .title + " " + .labels[0].name'
step 'issue comment' as_owner issue comment 1 -R "$at" --body 'Still'
step 'issue view' is 'OPEN Still' as_owner issue view 1 -R "$at" --json state,comments --jq '.state + " " + .comments[0].body'
step 'issue view as a text' as_owner issue view 1 -R "$at" --comments
step 'issue edit' as_owner issue edit 1 -R "$at" --title 'Very broken' --remove-label urgent
step 'issue pin' as_owner issue pin 1 -R "$at"
step 'the issue is pinned' is true as_owner api graphql -f query="query { repository(owner: \"$OWNER\", name: \"with-gh\") { issue(number: 1) { isPinned } } }" --jq .data.repository.issue.isPinned
step 'issue unpin' as_owner issue unpin 1 -R "$at"
step 'issue close' as_owner issue close 1 -R "$at" --reason 'not planned'
step 'the issue has the reason' is not_planned as_owner api "repos/$name/issues/1" --jq .state_reason
step 'issue reopen' as_owner issue reopen 1 -R "$at"
step 'issue lock' as_owner issue lock 1 -R "$at" --reason spam
step 'issue unlock' as_owner issue unlock 1 -R "$at"

step 'pr create' is "https://$at/pull/2" as_owner pr create -R "$at" --head topic --base main --title Topic --body 'Fixes #1' --draft
step 'pr list' is 'Topic topic true' as_owner pr list -R "$at" --json title,headRefName,isDraft --jq '.[] | .title + " " + .headRefName + " " + (.isDraft | tostring)'
step 'pr list as a text' as_owner pr list -R "$at"
step 'pr ready' as_owner pr ready 2 -R "$at"
step 'pr ready --undo' as_owner pr ready 2 -R "$at" --undo
step 'pr ready again' as_owner pr ready 2 -R "$at"
step 'pr edit' as_owner pr edit 2 -R "$at" --title 'Better topic' --add-label urgent --add-assignee "$OWNER"
step 'pr comment' as_owner pr comment 2 -R "$at" --body 'Look'
step 'pr review' as_owner pr review 2 -R "$at" --comment --body 'Seen'
step 'pr diff' as_owner pr diff 2 -R "$at"
as_owner api "repos/$name/statuses/$sha" -f state=success -f context=ci >/dev/null
step 'pr checks' as_owner pr checks 2 -R "$at"
step 'pr view' is 'OPEN urgent 1 1 COMMENTED SUCCESS' as_owner pr view 2 -R "$at" --json state,labels,comments,reviews,files,statusCheckRollup --jq '[.state, .labels[0].name, (.comments | length | tostring), (.files | length | tostring), .reviews[0].state, .statusCheckRollup[0].state] | join(" ")'
step 'pr view of a branch' is 2 as_owner pr view topic -R "$at" --json number --jq .number
step 'pr view as a text' as_owner pr view 2 -R "$at" --comments
# Searches, some of them inside of other commands.
step 'pr list --author' is 2 as_owner pr list -R "$at" --author "$OWNER" --json number --jq '.[].number'
step 'pr list --author of somebody else' is '' as_owner pr list -R "$at" --author "$GUEST" --json number --jq '.[].number'
step 'pr list --label' is 2 as_owner pr list -R "$at" --label urgent --json number --jq '.[].number'
step 'pr list --assignee @me' is 2 as_owner pr list -R "$at" --assignee @me --json number --jq '.[].number'
step 'pr list --search' is 2 as_owner pr list -R "$at" --search 'better in:title status:success' --json number --jq '.[].number'
step 'pr status' is 2 as_owner pr status -R "$at" --json number --jq '.createdBy[].number'
step 'pr status as a text' as_owner pr status -R "$at"
step 'issue list --search' is 1 as_owner issue list -R "$at" --search 'broken sort:created-asc' --json number --jq '.[].number'
step 'issue list --search of nothing' is '' as_owner issue list -R "$at" --search 'label:nothing' --json number --jq '.[].number'
step 'issue list --assignee' is 1 as_owner issue list -R "$at" --assignee "$OWNER" --json number --jq '.[].number'
step 'issue list --label' is '' as_owner issue list -R "$at" --label urgent --json number --jq '.[].number'
step 'issue status' is 1 as_owner issue status -R "$at" --json number --jq '.assigned[].number'
step 'search issues' is 1 as_owner search issues broken --repo "$name" --json number --jq '.[].number'
step 'search prs' is 'false 2' as_owner search prs --repo "$name" --state open --author "$OWNER" --json isDraft,number --jq '.[] | (.isDraft | tostring) + " " + (.number | tostring)'
step 'search repos' is "$name" as_owner search repos with-gh --owner "$OWNER" --json fullName --jq '.[].fullName'
step 'search commits' is 'Add base.txt' as_owner search commits base --repo "$name" --json commit --jq '.[0].commit.message'
step 'search code by api' is base.txt as_owner api -X GET search/code -f q="base repo:$name" --jq '.items[].path'
step 'a hidden repository is not searched' refused as_guest search issues broken --repo "$name"

if command -v ssh-keygen >/dev/null; then
  for key in user deploy; do ssh-keygen -q -t ed25519 -N '' -C "$key@gh" -f "$HOB_WORK/gh-$key-key"; done
  step 'ssh-key add' as_owner ssh-key add "$HOB_WORK/gh-user-key.pub" --title Laptop
  listed_keys() { as_owner ssh-key list | awk -F'\t' '{ print $1 }'; }
  step 'ssh-key list' is Laptop listed_keys
  step 'ssh-key delete' as_owner ssh-key delete "$(as_owner api user/keys --jq '.[0].id')" --yes
  step 'the key is deleted' is 0 as_owner api user/keys --jq length
  step 'repo deploy-key add' as_owner repo deploy-key add "$HOB_WORK/gh-deploy-key.pub" -R "$at" --title Deploy --allow-write
  deploy_keys() { as_owner repo deploy-key list -R "$at" | awk -F'\t' '{ print $2, $3 }'; }
  step 'repo deploy-key list' is 'Deploy read-write' deploy_keys
  step 'repo deploy-key delete' as_owner repo deploy-key delete "$(as_owner api "repos/$name/keys" --jq '.[0].id')" -R "$at"
fi

step 'pr close' as_owner pr close 2 -R "$at"
step 'pr reopen' as_owner pr reopen 2 -R "$at"
step 'pr merge' as_owner pr merge 2 -R "$at" --squash --subject Merged
step 'the pull is merged' is 'MERGED Merged' as_owner pr view 2 -R "$at" --json state,mergeCommit --jq '.state + " " + (if .mergeCommit.oid then "Merged" else "" end)'
step 'pr list of merged pulls' is 2 as_owner pr list -R "$at" --state merged --json number --jq '.[0].number'
step 'the merge closed the issue' is CLOSED as_owner issue view 1 -R "$at" --json state --jq .state

echo tool >"$HOB_WORK/gh-tool.txt"
step 'release create' is "https://$at/releases/tag/v1.0.0" as_owner release create v1.0.0 "$HOB_WORK/gh-tool.txt#The tool" -R "$at" --title One --notes 'First' --target main
step 'release create --generate-notes' as_owner release create v1.1.0 -R "$at" --generate-notes
step 'release create --draft' as_owner release create v2.0.0 -R "$at" --draft --title Two --notes ''
latest_listed() { as_owner release list -R "$at" | awk -F'\t' '$2 == "Latest" { print $3 }'; }
step 'release list' is v1.1.0 latest_listed
step 'release view' is 'One gh-tool.txt First' as_owner release view v1.0.0 -R "$at" --json name,assets,body --jq '.name + " " + .assets[0].name + " " + .body'
step 'release view of a draft' is true as_owner release view v2.0.0 -R "$at" --json isDraft --jq .isDraft
step 'release view of the latest' is v1.1.0 as_owner release view -R "$at" --json tagName --jq .tagName
step 'release upload' as_owner release upload v1.1.0 "$HOB_WORK/gh-tool.txt" -R "$at"
step 'release upload --clobber' as_owner release upload v1.1.0 "$HOB_WORK/gh-tool.txt" -R "$at" --clobber
step 'release download' as_owner release download v1.1.0 -R "$at" --dir "$HOB_WORK/gh-downloads" --pattern 'gh-*'
step 'the download is what was uploaded' cmp "$HOB_WORK/gh-tool.txt" "$HOB_WORK/gh-downloads/gh-tool.txt"
step 'release edit' as_owner release edit v2.0.0 -R "$at" --draft=false --prerelease
step 'release delete-asset' as_owner release delete-asset v1.1.0 gh-tool.txt -R "$at" --yes
step 'release delete' as_owner release delete v2.0.0 -R "$at" --yes --cleanup-tag
step 'a hidden release is not found' refused as_guest release view v1.0.0 -R "$at"

for number in 1 2 3; do
  as_owner issue create -R "$at" --title "Issue $number" --body '' >/dev/null
done
as_owner api -X PATCH "repos/$name" -F allow_auto_merge=true >/dev/null
as_owner api -X PUT "repos/$name/branches/main/protection" --input - >/dev/null <<'RULES'
{ "required_status_checks": { "strict": false, "contexts": ["gate"] }, "enforce_admins": true,
  "required_pull_request_reviews": null, "restrictions": null }
RULES
git -C "$mine" switch -qc later
step 'the owner commits to another branch' commit "$mine" later.txt
step 'the owner pushes the other branch' git -C "$mine" push -q origin later
number=$(as_owner pr create -R "$at" --head later --base main --title Later --body '' | sed 's|.*/||')
step 'pr merge of a pull whose status is missing' refused as_owner pr merge "$number" -R "$at" --squash
step 'pr merge --auto' as_owner pr merge "$number" -R "$at" --auto --squash --subject Later
step 'auto-merge is enabled' is 'squash Later' as_owner api "repos/$name/pulls/$number" --jq '.auto_merge | .merge_method + " " + .commit_title'
step 'pr merge --disable-auto' as_owner pr merge "$number" -R "$at" --disable-auto
step 'pr merge --auto again' as_owner pr merge "$number" -R "$at" --auto --squash
as_owner api "repos/$name/statuses/$(git -C "$mine" rev-parse HEAD)" -f state=success -f context=gate >/dev/null
step 'the status merges the pull' eventually MERGED as_owner pr view "$number" -R "$at" --json state --jq .state

read -r -d '' query <<'QUERY' || true
query ($endCursor: String) {
  viewer { repository(name: "with-gh") {
    issues(first: 2, after: $endCursor, states: [OPEN]) { nodes { title } pageInfo { hasNextPage endCursor } }
  } }
}
QUERY
step 'api graphql --paginate' is 'Issue 1
Issue 2
Issue 3' as_owner api graphql --paginate -f query="$query" --jq '.data.viewer.repository.issues.nodes[].title'
step 'repo delete' as_owner repo delete "$at" --yes
