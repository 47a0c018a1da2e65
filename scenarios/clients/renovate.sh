#!/usr/bin/env bash
# Renovate: the pull of an update, its automerge and the dashboard. The packages that it looks up are on a registry of this script.
set -uo pipefail
. "$(dirname "$0")/npm-tools.sh"

# Renovate refuses every other Node.
for node in "$(dirname "$0")"/npm/node_modules/node-linux-*/bin; do PATH=$(cd "$node" && pwd):$PATH; done

repository=$OWNER/with-renovate
mine=$HOB_WORK/renovate
coproc REGISTRY { exec node "$(dirname "$0")/npm-registry.mjs"; }
# Closing its input ends it.
read -r registry <&"${REGISTRY[0]}"
step 'creates a repository' package with-renovate "$mine"
cat >"$mine/package.json" <<'JSON'
{ "name": "with-renovate", "version": "1.0.0", "private": true, "dependencies": { "left": "1.0.0", "right": "1.0.0" } }
JSON
cat >"$mine/renovate.json" <<JSON
{
  "extends": [":dependencyDashboard"],
  "npmrc": "registry=$registry",
  "labels": ["update"],
  "minimumReleaseAge": null,
  "prHourlyLimit": 0,
  "packageRules": [{ "matchPackageNames": ["right"], "automerge": true, "ignoreTests": true }]
}
JSON
step 'commits the configuration' git -C "$mine" add -A
git -C "$mine" commit -qm 'Configure' && git -C "$mine" push -q origin main
renovates() {
  env RENOVATE_PLATFORM=github RENOVATE_ENDPOINT="https://$HOB_HOST/api/v3/" RENOVATE_TOKEN="$OWNER_TOKEN" \
    RENOVATE_BASE_DIR="$HOB_WORK/renovate-base" RENOVATE_GIT_AUTHOR='Bot <bot@example.test>' LOG_LEVEL=error \
    renovate "$repository"
}
step 'renovate runs to its end' renovates
step 'it has opened a pull request for the update that waits for a person' is left finds 'it.map(({ head }) => /left|right/.exec(head.ref)[0]).sort().join(" ")' "repos/$repository/pulls?state=open"
number=$(finds 'it.find(({ head }) => head.ref.includes("left")).number' "repos/$repository/pulls?state=open")
step 'the pull request has the label' is update finds 'it.labels[0].name' "repos/$repository/pulls/$number"
step 'the pull request has the update' is true finds 'it[0].patch.includes("\"left\": \"1.1.0\"")' "repos/$repository/pulls/$number/files"
step 'the dashboard lists the pull request' is true finds 'it.some(({ title, body, pull_request }) => title === "Dependency Dashboard" && !pull_request && body.includes("left"))' "repos/$repository/issues"
step 'renovate runs again' renovates
step 'the pull request is still the only one' is "$number" finds 'it.map(({ number }) => number).join(" ")' "repos/$repository/pulls?state=open"
step 'the other update is merged' is right finds 'it.map(({ head, merged_at }) => merged_at && /left|right/.exec(head.ref)[0]).join(" ")' "repos/$repository/pulls?state=closed"
step 'it is on main' is true finds 'Buffer.from(it.content, "base64").toString().includes("\"right\": \"1.1.0\"")' "repos/$repository/contents/package.json"
