#!/usr/bin/env bash
# release-it: tag, release with an asset, and comments on what is in it.
set -uo pipefail
. "$(dirname "$0")/npm-tools.sh"

repository=$OWNER/with-release-it
mine=$HOB_WORK/release-it
step 'creates a repository' package with-release-it "$mine"
step 'opens an issue' owner_asks "repos/$repository/issues" -d '{"title":"Broken"}'
step 'merges a pull request' merges topic 'Add a topic' 'Fixes #1' "$mine"
cat >"$mine/.release-it.json" <<JSON
{
  "npm": { "publish": false },
  "git": { "requireUpstream": false },
  "github": { "release": true, "host": "$HOB_HOST", "assets": ["topic.txt"], "comments": { "submit": true } }
}
JSON
step 'commits the configuration' git -C "$mine" add -A
step 'it is in git' git -C "$mine" commit -qm 'Configure'
step 'release-it runs to its end' inside "$mine" env GITHUB_TOKEN="$OWNER_TOKEN" release-it minor --ci
step 'the tag is there' finds 'it.object.type' "repos/$repository/git/ref/tags/1.1.0"
step 'the release has the notes' is true finds '/Add a topic/.test(it.body) && !it.draft' "repos/$repository/releases/tags/1.1.0"
step 'the release has the asset' is 'topic.txt 10' finds '`${it.assets[0].name} ${it.assets[0].size}`' "repos/$repository/releases/latest"
step 'the pull request has a comment' is true finds 'it.some(({ body }) => body.includes("1.1.0"))' "repos/$repository/issues/2/comments"
step 'the version is in git' is 1.1.0 finds 'JSON.parse(Buffer.from(it.content, "base64")).version' "repos/$repository/contents/package.json"
