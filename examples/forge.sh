#!/bin/sh
# The life of a change on the forge, with curl and git alone: creates a repository, pushes to it, opens a pull request and merges it.
#
#   ./hob serve                    prints a URL and a token
#   HOB=http://127.0.0.1:3000 TOKEN=… examples/forge.sh
set -eu

: "${HOB:?the URL that hob serve printed}" "${TOKEN:?the token that hob serve printed}"
name=story-$$
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# api METHOD PATH [JSON]
api() { curl -sS --fail-with-body -X "$1" -H "Authorization: token $TOKEN" ${3:+-d "$3"} "$HOB/api/v3/$2"; }
# member NAME: of the object that comes in; its own members stand two columns in.
member() { sed -n -E "s/^  \"$1\": \"?([^\",]*)\"?,?\$/\1/p"; }
# check WHAT EXPECTED ACTUAL
check() {
  [ "$3" = "$2" ] || { echo "FAILED $1: $3 instead of $2" >&2; exit 1; }
  echo "ok $1: $3"
}

echo '== Created'
owner=$(api GET user | member login)
repo=repos/$owner/$name
check 'a repository' "$owner/$name" "$(api POST user/repos "{\"name\":\"$name\"}" | member full_name)"

echo '== Pushed'
git init -q -b main story
cd story
git config user.name Storyteller
git config user.email storyteller@example.test
git remote add origin "$(echo "$HOB" | sed "s#://#://$owner:$TOKEN@#")/$owner/$name.git"
echo 'Hello' >README.md
git add README.md
git commit -qm 'Say hello'
git push -q origin main

git switch -qc greeting
echo 'Hello, world' >README.md
git commit -qam 'Greet everybody'
git push -q origin greeting
sha=$(git rev-parse HEAD)
check 'the branch on the forge' "$sha" "$(git ls-remote origin greeting | cut -f 1)"

echo '== Pull request'
pull=$(api POST "$repo/pulls" '{"title":"Greet everybody","head":"greeting","base":"main"}' | member number)
check 'a pull' open "$(api GET "$repo/pulls/$pull" | member state)"

echo '== Status'
api POST "$repo/statuses/$sha" '{"state":"pending","context":"build"}' >/dev/null
check 'the combined status' pending "$(api GET "$repo/commits/greeting/status" | member state)"
api POST "$repo/statuses/$sha" '{"state":"success","context":"build","description":"It builds"}' >/dev/null
check 'the combined status' success "$(api GET "$repo/commits/greeting/status" | member state)"

echo '== Merged'
check 'the pull is merged' true "$(api PUT "$repo/pulls/$pull/merge" "{\"sha\":\"$sha\"}" | member merged)"
git fetch -q origin
check 'README.md on main' 'Hello, world' "$(git show origin/main:README.md)"
check 'parents of the merge' 2 "$(git cat-file -p origin/main | grep -c '^parent')"

echo '== Deleted'
api DELETE "$repo"
check 'the repository answers' 404 "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: token $TOKEN" "$HOB/api/v3/$repo")"
