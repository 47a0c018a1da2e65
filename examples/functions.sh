#!/bin/sh
# The life of a function with Hob's client alone: created, invoked, updated setting by setting, published, deleted.
#
#   ./hob serve                 prints a URL and an access key
#   ./hob functions configure   saves both in a profile
#   examples/functions.sh       runs it, and stops at the first result that differs
set -eu

folder=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
hob=${HOB_CLIENT:-$folder/hob}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

functions() { "$hob" functions "$@" --output text --cli-binary-format raw-in-base64-out; }

# check WHAT EXPECTED ACTUAL
check() {
  [ "$3" = "$2" ] || { echo "FAILED $1: $3 instead of $2" >&2; exit 1; }
  echo "ok $1: $3"
}
# change OPTION...: updates the function and waits until the new configuration is active.
change() { functions update-function-configuration --function-name story --wait --query LastUpdateStatus "$@" >/dev/null; }
# seen WHAT EXPECTED: what the function itself sees.
seen() { check "the function sees $1" "$2" "$(functions invoke --function-name "${3:-story}" --payload "{\"show\":\"$1\"}")"; }
# shows MEMBER EXPECTED: what the service returns.
shows() { check "the service shows $1" "$2" "$(functions get-function-configuration --function-name story --query "$1")"; }
# refused CODE COMMAND...
refused() {
  code=$1; shift
  if "$@" 2>refusal; then echo "FAILED $* was not refused" >&2; exit 1; fi
  grep -q "($code)" refusal || { cat refusal >&2; exit 1; }
  echo "ok refused: $code"
}

cat >index.mjs <<'CODE'
import { readdirSync } from 'node:fs';

const { env } = process;
const answers = {
  greeting: () => env.GREETING,
  memory: ({ memoryLimitInMB }) => Number(memoryLimitInMB),
  seconds: (context) => Math.ceil(context.getRemainingTimeInMillis() / 1000),
  runtime: () => env.AWS_EXECUTION_ENV,
  layers: () => readdirSync('/opt').join(),
  format: () => env.AWS_LAMBDA_LOG_FORMAT,
  traced: () => /Sampled=1/.test(env._X_AMZN_TRACE_ID),
  handler: () => 'the first',
};

export const handler = async ({ show }, context) => {
  console.log(`asked for ${show}`);
  return answers[show](context);
};
export const other = async () => 'the other';
CODE
python3 -m zipfile -c story.zip index.mjs

echo '== Created'
functions create-function --function-name story --runtime nodejs24.x --handler index.handler \
  --role arn:aws:iam::123456789012:role/storyteller --zip-file fileb://story.zip --query FunctionArn
functions wait function-active-v2 --function-name story
seen handler '"the first"'

echo '== Updated: setting by setting, with the effect'
change --description 'Shows its settings'
shows Description 'Shows its settings'

change --environment 'Variables={GREETING=Hello,OTHER=thing}'
seen greeting '"Hello"'
change --set-env GREETING=Welcome
seen greeting '"Welcome"'
shows Environment.Variables.OTHER thing

change --memory-size 256
seen memory 256

change --timeout 7
seen seconds 7

change --handler index.other
seen handler '"the other"'
change --handler index.handler --runtime nodejs22.x
seen runtime '"AWS_Lambda_nodejs22.x"'

echo 'in a layer' >layer.txt
python3 -m zipfile -c layer.zip layer.txt
change --layers "$(functions publish-layer-version --layer-name story --zip-file fileb://layer.zip --query LayerVersionArn)"
seen layers '"layer.txt"'

change --logging-config LogFormat=JSON,ApplicationLogLevel=INFO
seen format '"JSON"'

change --tracing-config Mode=Active
seen traced true

change --ephemeral-storage Size=600
shows EphemeralStorage.Size 600

change --role arn:aws:iam::123456789012:role/narrator
shows Role arn:aws:iam::123456789012:role/narrator

echo '== Guarded: an update cannot overwrite that of another user'
revision=$(functions get-function-configuration --function-name story --query RevisionId)
change --description 'Shows more' --revision-id "$revision"
refused PreconditionFailedException change --description 'Shows less' --revision-id "$revision"
shows Description 'Shows more'

echo '== Published: a version never changes, an alias points to one'
version=$(functions publish-version --function-name story --query Version)
functions wait published-version-active --function-name story --qualifier "$version"
functions create-alias --function-name story --name live --function-version "$version" --query AliasArn
change --set-env GREETING=Goodbye
seen greeting '"Goodbye"'
seen greeting '"Welcome"' story:live
next=$(functions publish-version --function-name story --query Version)
functions wait published-version-active --function-name story --qualifier "$next"
functions update-alias --function-name story --name live --function-version "$next" --query FunctionVersion
seen greeting '"Goodbye"' story:live

echo '== Logged'
functions logs --function-name story | grep -m 2 'asked for'

echo '== Deleted'
functions delete-function --function-name story >/dev/null
refused ResourceNotFoundException functions get-function --function-name story
