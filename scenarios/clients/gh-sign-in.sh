#!/usr/bin/env bash
# What `gh` does only with a host on the usual port: signs in by itself, clones, and checks out pulls. Runs in a network namespace of
# its own, in which port 443 is free, with a server of its own.
set -uo pipefail
# The command that makes the namespace.
[ "$#" = 0 ] || exec "$@" bash "$0"
. "$(dirname "$0")/steps.sh"
here=$(cd "$(dirname "$0")" && pwd)

ip link set lo up
host=localhost url=https://localhost login=root password='a known password'
data=$HOB_WORK/gh-sign-in tls=$(dirname "$SSL_CERT_FILE")
export HOB_ADMIN_LOGIN=$login HOB_ADMIN_PASSWORD=$password HOB_ADMIN_TOKEN=a-known-token-for-gh NODE_EXTRA_CA_CERTS=$SSL_CERT_FILE
export GH_PROMPT_DISABLED=1 GH_CONFIG_DIR=$HOB_WORK/gh-sign-in-settings NO_COLOR=1 GH_NO_UPDATE_NOTIFIER=1 GH_BROWSER=true
unset HOB_HOST GH_HOST GH_TOKEN GH_ENTERPRISE_TOKEN

mkdir -p "$data"
# It stops when its standard input ends.
coproc HOB { exec "$HOB_NODE" "$here/../../hob.ts" serve --stop-at-eof --port 443 --base-url "$url" --data "$data" \
  --tls-cert "$tls/certificate.pem" --tls-key "$tls/key.pem" >"$data.log" 2>&1; }
input=${HOB[1]} server=$HOB_PID
stop_server() {
  local status=$?
  exec {input}>&-
  wait "$server"
  [ "$status" = 0 ] || cat "$data.log"
}
trap stop_server EXIT
step 'a server listens on port 443' eventually 200 curl -s -o "$HOB_WORK/ready" -w '%{http_code}' "$url/readyz"

# signs_in: `gh` asks for a code, which a person enters, and gets its token.
signs_in() {
  local code='' line
  exec 5< <(gh auth login --hostname "$host" --git-protocol https --web 2>&1)
  local program=$!
  while read -r -t 60 line <&5; do
    echo "$line"
    [[ $line =~ ([A-Z]{4}-[A-Z]{4}) ]] && { code=${BASH_REMATCH[1]}; break; }
  done
  [ -n "$code" ] && "$HOB_NODE" "$here/allow-device.ts" "$url" "$login" "$password" "$code" && cat <&5 && wait "$program"
}
step 'auth login --web' signs_in
step 'auth status' gh auth status --hostname "$host"
step 'the token is that of the person' is "$login" gh api --hostname "$host" user --jq .login
step 'auth token' is "$(gh auth token --hostname "$host")" gh config get -h "$host" oauth_token
step 'auth setup-git' gh auth setup-git --hostname "$host"

export GH_HOST=$host
mine=$HOB_WORK/gh-sign-in-clone
step 'repo create --add-readme' gh repo create with-gh --private --add-readme
step 'repo clone' gh repo clone "$login/with-gh" "$mine"
cd "$mine" || exit 1
git config user.name "$login" && git config user.email "$login@example.test"
git switch -qc topic
step 'commits' commit "$mine" topic.txt
step 'git pushes with the credentials of gh' git push -q origin topic
step 'pr create in the clone' is "$url/$login/with-gh/pull/1" gh pr create --title Topic --body '' --base main --head topic
git switch -q main && git branch -qD topic
step 'pr checkout' gh pr checkout 1
step 'its branch is checked out' is topic git branch --show-current
step 'its file is here' test -f topic.txt
step 'pr view of the branch' is 1 gh pr view --json number --jq .number
step 'pr status of the branch' is 1 gh pr status --json number --jq .currentBranch.number
git switch -q main
step 'pr checkout --detach' gh pr checkout 1 --detach
git switch -q main
step 'pr merge --delete-branch in the clone' gh pr merge 1 --squash --delete-branch
step 'the merge was pulled' git pull -q --ff-only
step 'the merged file is here' test -f topic.txt

step 'repo clone of what is not there' refused gh repo clone "$login/none" "$HOB_WORK/gh-none"
step 'auth login --with-token' gh auth login --hostname "$host" --with-token <<<"$HOB_ADMIN_TOKEN"
step 'a wrong token is refused' refused gh auth login --hostname "$host" --with-token <<<wrong
step 'auth logout' gh auth logout --hostname "$host"
step 'auth status after it' refused gh auth status --hostname "$host"
