#!/bin/sh
# Push, and the check is there: a function is the webhook of a repository, and a merge requires its status.
#
#   ./hob serve                    prints a URL, a token and an access key
#   ./hob functions configure      saves the URL and the access key in a profile
#   HOB=http://127.0.0.1:3000 TOKEN=… ./hob examples pair
#
# The commands that set it up are printed as they run; docs/push-to-status.md explains them. Everything is deleted at the end.
set -eu

: "${HOB:?the URL that hob serve printed}" "${TOKEN:?the token that hob serve printed}"
folder=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
hob=${HOB_CLIENT:-$folder/hob}
name=gate-$$
secret=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# shown COMMAND...: prints the command on standard error, without its secrets, and runs it.
shown() {
  echo "\$ $*" | sed "s/$TOKEN/\$TOKEN/g; s/$secret/\$SECRET/g" >&2
  "$@"
}
functions() { "$hob" functions "$@" --output text; }
# api METHOD PATH [JSON]
api() { curl -sS --fail-with-body -X "$1" -H "Authorization: token $TOKEN" ${3:+-d "$3"} "$HOB/api/v3/$2"; }
# member NAME: of the object that comes in; its own members stand two columns in.
member() { sed -n -E "s/^  \"$1\": \"?([^\",]*)\"?,?\$/\1/p"; }
# check WHAT EXPECTED ACTUAL
check() {
  [ "$3" = "$2" ] || { echo "FAILED $1: $3 instead of $2" >&2; exit 1; }
  echo "ok $1: $3"
}
# commit MESSAGE: pushes it, and prints the state of its status as soon as there is one.
commit() {
  git commit -q --allow-empty -m "$1"
  git push -q origin topic
  commit_sha=$(git rev-parse HEAD)
  tries=600
  while [ "$tries" -gt 0 ]; do
    # The state is "pending" as long as there is no status.
    state=$(api GET "$repo/commits/$commit_sha/status" | member state)
    [ "$state" = pending ] || { echo "$state"; return; }
    tries=$((tries - 1))
    sleep 0.1
  done
  echo 'none within a minute'
}

cat >index.mjs <<'CODE'
import { createHmac, timingSafeEqual } from 'node:crypto';

const { env } = process;

const isSigned = (signature = '', body) => {
  const expected = Buffer.from('sha256=' + createHmac('sha256', env.WEBHOOK_SECRET).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
};

export const handler = async ({ headers, body }) => {
  if (!isSigned(headers['x-hub-signature-256'], body)) return { statusCode: 401 };
  const { head_commit: commit, repository } = JSON.parse(body);
  if (!commit) return { statusCode: 204 };
  const state = commit.message.includes('FIXME') ? 'failure' : 'success';
  const { status } = await fetch(repository.statuses_url.replace('{sha}', commit.id), {
    method: 'POST',
    headers: { authorization: `token ${env.GITHUB_TOKEN}` },
    body: JSON.stringify({ state, context: 'gate', description: 'No commit may say FIXME' }),
  });
  return { statusCode: status };
};
CODE
python3 -m zipfile -c gate.zip index.mjs

echo '== The function, with a URL that everybody may call: it checks the signature'
shown functions create-function --function-name "$name" --runtime nodejs24.x --handler index.handler \
  --role arn:aws:iam::123456789012:role/gate --zip-file fileb://gate.zip \
  --environment "Variables={WEBHOOK_SECRET=$secret,GITHUB_TOKEN=$TOKEN}" --query FunctionArn
functions wait function-active-v2 --function-name "$name"
url=$(shown functions create-function-url-config --function-name "$name" --auth-type NONE --query FunctionUrl)
shown functions add-permission --function-name "$name" --statement-id public --action lambda:InvokeFunctionUrl \
  --principal '*' --function-url-auth-type NONE >/dev/null

echo '== The repository, its webhook, and the protection of its branch'
owner=$(api GET user | member login)
repo=repos/$owner/$name
shown api POST user/repos "{\"name\":\"$name\",\"auto_init\":true}" >/dev/null
shown api POST "$repo/hooks" \
  "{\"events\":[\"push\"],\"config\":{\"url\":\"$url\",\"content_type\":\"json\",\"secret\":\"$secret\"}}" >/dev/null
shown api PUT "$repo/branches/main/protection" \
  '{"required_status_checks":{"strict":false,"contexts":["gate"]},"enforce_admins":true,"required_pull_request_reviews":null,"restrictions":null}' >/dev/null

echo '== A push that the function refuses'
git clone -q "$(echo "$HOB" | sed "s#://#://$owner:$TOKEN@#")/$owner/$name.git" clone
cd clone
git config user.name Gatekeeper
git config user.email gatekeeper@example.test
git switch -qc topic
check 'the status' failure "$(commit 'FIXME: half done')"
pull=$(api POST "$repo/pulls" '{"title":"Topic","head":"topic","base":"main"}' | member number)
refused=$(api PUT "$repo/pulls/$pull/merge" '{}' 2>/dev/null || true)
check 'the merge' 'Required status check "gate" is failing.' \
  "$(printf %s "$refused" | sed -n -E 's/^\{"message":"(.*)","documentation_url.*/\1/; s/\\//gp')"

echo '== A push that it accepts'
check 'the status' success "$(commit 'Done')"
check 'the merge' true "$(api PUT "$repo/pulls/$pull/merge" '{}' | member merged)"

echo '== Deleted'
api DELETE "$repo"
functions delete-function --function-name "$name" >/dev/null
