#!/usr/bin/env bash
# changesets: a changelog with the pull and its author, found by GraphQL, and the tag.
set -uo pipefail
. "$(dirname "$0")/npm-tools.sh"

repository=$OWNER/with-changesets
mine=$HOB_WORK/changesets
step 'creates a repository' package with-changesets "$mine"
mkdir -p "$mine/.changeset"
cat >"$mine/.changeset/config.json" <<JSON
{
  "changelog": ["@changesets/changelog-github", { "repo": "$repository" }],
  "commit": false, "access": "restricted", "baseBranch": "main",
  "privatePackages": { "version": true, "tag": true }
}
JSON
printf -- '---\n"with-changesets": minor\n---\n\nAdd a topic\n' >"$mine/.changeset/a-topic.md"
# The changeset and the topic come by the same pull.
step 'merges a pull request with a changeset' merges topic 'Add a topic' '' "$mine"
export GITHUB_TOKEN=$OWNER_TOKEN GITHUB_GRAPHQL_URL=https://$HOB_HOST/api/graphql GITHUB_SERVER_URL=https://$HOB_HOST
step 'changeset version runs to its end' inside "$mine" changeset version
step 'the changelog has the pull request' grep -qF "https://$HOB_HOST/$repository/pull/1" "$mine/CHANGELOG.md"
step 'the changelog thanks the author' grep -qF "@$OWNER" "$mine/CHANGELOG.md"
step 'the version is new' is 1.1.0 inside "$mine" node -p 'require("./package.json").version'
step 'commits' git -C "$mine" commit -qam 'Version 1.1.0'
step 'changeset tag runs to its end' inside "$mine" changeset tag
step 'pushes the tag' git -C "$mine" push -q --follow-tags origin main
step 'the tag is there' finds 'it.length' "repos/$repository/tags"
