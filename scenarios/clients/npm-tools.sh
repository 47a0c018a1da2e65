# For scripts of tools that come from npm: the tools, their Node, and what they check by.
. "$(dirname "$0")/steps.sh"

tools=$(cd "$(dirname "$0")/npm/node_modules/.bin" && pwd)
export PATH=$(dirname "$HOB_NODE"):$tools:$PATH NODE_EXTRA_CA_CERTS=$SSL_CERT_FILE CI=true NO_COLOR=1

# asks TOKEN PATH ARGUMENT…: a request to the REST interface.
asks() { curl -fsS -H "Authorization: token $1" "${@:3}" "https://$HOB_HOST/api/v3/$2"; }
owner_asks() { asks "$OWNER_TOKEN" "$@"; }

# finds EXPRESSION PATH: what an expression of JavaScript finds in `it`, the answer.
finds() {
  owner_asks "$2" | node -e 'const it = JSON.parse(require("node:fs").readFileSync(0, "utf8")); console.log(eval(process.argv[1]))' "$1"
}

# package NAME FOLDER: a repository with a package of that name, cloned, with one commit on main.
package() {
  owner_asks user/repos -d "{\"name\":\"$1\"}" >/dev/null &&
    clone "$OWNER" "$OWNER_TOKEN" "$OWNER/$1" "$2" &&
    git -C "$2" switch -qc main &&
    cat >"$2/package.json" <<JSON &&
{
  "name": "$1",
  "version": "1.0.0",
  "private": true,
  "repository": { "type": "git", "url": "https://$HOB_HOST/$OWNER/$1.git" }
}
JSON
    git -C "$2" add -A && git -C "$2" commit -qm 'chore: Begin' && git -C "$2" push -q origin main
}

# merges BRANCH TITLE BODY FOLDER: a pull of one new file, merged; then the clone is on main with it.
merges() {
  local number
  git -C "$4" switch -qc "$1" && commit "$4" "$1.txt" && git -C "$4" push -q origin "$1" &&
    number=$(owner_asks "repos/$repository/pulls" -d "{\"title\":\"$2\",\"body\":\"$3\",\"head\":\"$1\",\"base\":\"main\"}" | node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).number') &&
    owner_asks "repos/$repository/pulls/$number/merge" -X PUT -d "{\"merge_method\":\"squash\",\"commit_title\":\"$2 (#$number)\"}" &&
    git -C "$4" switch -q main && git -C "$4" pull -q --ff-only
}

# inside FOLDER COMMAND…: runs a command in a folder.
inside() { (cd "$1" && "${@:2}"); }
