#!/usr/bin/env bash
# release-please: the pull of a release, and the release once it is merged.
set -uo pipefail
. "$(dirname "$0")/npm-tools.sh"

repository=$OWNER/with-release-please
mine=$HOB_WORK/release-please
step 'creates a repository' package with-release-please "$mine"
step 'merges a pull request' merges topic 'feat: Add a topic' '' "$mine"
please() {
  inside "$mine" release-please "$@" --token "$OWNER_TOKEN" --repo-url "$repository" --release-type node \
    --api-url "https://$HOB_HOST/api/v3" --graphql-url "https://$HOB_HOST/api"
}
step 'release-pr runs to its end' please release-pr
step 'its pull request is there' is 'open true' finds '`${it.state} ${it.labels.some(({ name }) => name === "autorelease: pending")}`' "repos/$repository/pulls/2"
version() { git -C "$mine" fetch -q && git -C "$mine" show "origin/$(finds it.head.ref "repos/$repository/pulls/2"):package.json" | node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).version'; }
step 'it has the next version' is 1.0.0 version
step 'it has the changelog' is true finds 'it.some(({ filename, patch }) => filename === "CHANGELOG.md" && /Add a topic/.test(patch))' "repos/$repository/pulls/2/files"
step 'it changes with a further commit' merges fix 'fix: Mend it' '' "$mine"
step 'release-pr runs again' please release-pr
step 'the pull request has the fix' is true finds '/Mend it/.test(it.body)' "repos/$repository/pulls/2"
step 'it is merged' owner_asks "repos/$repository/pulls/2/merge" -X PUT -d '{"merge_method":"squash"}'
step 'github-release runs to its end' please github-release
step 'the release is there' is true finds '/Add a topic/.test(it.body) && it.target_commitish !== ""' "repos/$repository/releases/tags/v1.0.0"
step 'the pull request has the label' is true finds 'it.labels.some(({ name }) => name === "autorelease: tagged")' "repos/$repository/pulls/2"
step 'the pull request has a comment' is 1 finds 'it.length' "repos/$repository/issues/2/comments"
