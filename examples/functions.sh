#!/bin/sh
# The life of a function, told by Hob's client alone: made, invoked, changed setting by setting, published, read, deleted.
#
#   ./hob serve                 prints an address and an access key
#   ./hob functions configure   keeps both in a profile
#   examples/functions.sh       tells the story; it stops at the first thing that is not as expected
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
# change OPTION...: comes back when the new configuration is in place.
change() { functions update-function-configuration --function-name story --wait --query LastUpdateStatus "$@" >/dev/null; }
# seen WHAT EXPECTED: what the function itself sees.
seen() { check "the function sees $1" "$2" "$(functions invoke --function-name "${3:-story}" --payload "{\"tell\":\"$1\"}")"; }
# told MEMBER EXPECTED: what the service tells of it.
told() { check "the service tells $1" "$2" "$(functions get-function-configuration --function-name story --query "$1")"; }
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
const facts = {
  greeting: () => env.GREETING,
  memory: ({ memoryLimitInMB }) => Number(memoryLimitInMB),
  seconds: (context) => Math.ceil(context.getRemainingTimeInMillis() / 1000),
  runtime: () => env.AWS_EXECUTION_ENV,
  layers: () => readdirSync('/opt').join(),
  format: () => env.AWS_LAMBDA_LOG_FORMAT,
  traced: () => /Sampled=1/.test(env._X_AMZN_TRACE_ID),
  handler: () => 'the first',
};

export const handler = async ({ tell }, context) => {
  console.log(`asked for ${tell}`);
  return facts[tell](context);
};
export const other = async () => 'the other';
CODE
python3 -m zipfile -c story.zip index.mjs

echo '== Made'
functions create-function --function-name story --runtime nodejs24.x --handler index.handler \
  --role arn:aws:iam::123456789012:role/storyteller --zip-file fileb://story.zip --query FunctionArn
functions wait function-active-v2 --function-name story
seen handler '"the first"'

echo '== Changed: setting by setting, and what comes of it'
change --description 'Tells about itself'
told Description 'Tells about itself'

change --environment 'Variables={GREETING=Hello,OTHER=thing}'
seen greeting '"Hello"'
change --set-env GREETING=Welcome
seen greeting '"Welcome"'
told Environment.Variables.OTHER thing

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
told EphemeralStorage.Size 600

change --role arn:aws:iam::123456789012:role/narrator
told Role arn:aws:iam::123456789012:role/narrator

echo '== Guarded: nobody overwrites what somebody else has changed'
revision=$(functions get-function-configuration --function-name story --query RevisionId)
change --description 'Tells more' --revision-id "$revision"
refused PreconditionFailedException change --description 'Tells less' --revision-id "$revision"
told Description 'Tells more'

echo '== Published: a version never changes, an alias names one'
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

echo '== Read: what it has written'
functions logs --function-name story | grep -m 2 'asked for'

echo '== Deleted'
functions delete-function --function-name story >/dev/null
refused ResourceNotFoundException functions get-function --function-name story
