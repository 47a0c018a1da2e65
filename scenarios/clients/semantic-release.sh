#!/usr/bin/env bash
# semantic-release: version from commits, tag, notes, release with an asset, comments and labels.
set -uo pipefail
. "$(dirname "$0")/npm-tools.sh"

repository=$OWNER/with-semantic-release
mine=$HOB_WORK/semantic-release
step 'creates a repository' package with-semantic-release "$mine"
cat >"$mine/.releaserc.json" <<'JSON'
{
  "branches": ["main"],
  "plugins": [
    "@semantic-release/commit-analyzer",
    "@semantic-release/release-notes-generator",
    ["@semantic-release/github", { "assets": [{ "path": "topic.txt", "label": "The topic" }] }]
  ]
}
JSON
step 'commits the configuration' git -C "$mine" add -A
git -C "$mine" commit -qm 'chore: Configure' && git -C "$mine" push -q origin main
step 'opens an issue' owner_asks "repos/$repository/issues" -d '{"title":"Broken"}'
step 'merges a pull request' merges topic 'feat: Add a topic' 'Fixes #1' "$mine"
released() {
  inside "$mine" env GH_TOKEN="$OWNER_TOKEN" GH_URL="https://$HOB_HOST" GH_PREFIX=/api/v3 \
    GITHUB_GRAPHQL_URL="https://$HOB_HOST/api/graphql" semantic-release --no-ci
}
step 'semantic-release runs to its end' released
step 'the tag is there' finds 'it.object.sha' "repos/$repository/git/ref/tags/v1.0.0"
step 'the release has the notes' is true finds '/Features/.test(it.body) && /Add a topic/.test(it.body)' "repos/$repository/releases/tags/v1.0.0"
step 'the release has the asset' is 'topic.txt The topic' finds '`${it.assets[0].name} ${it.assets[0].label}`' "repos/$repository/releases/latest"
step 'the pull request has a comment and a label' is true finds 'it.comments === 1 && it.labels.some(({ name }) => name === "released")' "repos/$repository/issues/2"
step 'the issue has a comment and a label' is true finds 'it.comments === 1 && it.labels.some(({ name }) => name === "released")' "repos/$repository/issues/1"
step 'merges a fix' merges fix 'fix: Mend it' '' "$mine"
step 'semantic-release runs again' released
step 'the next release is there' is v1.0.1 finds it.tag_name "repos/$repository/releases/latest"
