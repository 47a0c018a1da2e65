#!/bin/bash
# The life of a function by the AWS command line. HOB_HOST has the service, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY sign.
set -u
cd "$(dirname "$0")" || exit 1
. ./steps.sh

export AWS_PAGER=
work=$(mktemp -d "$HOB_WORK/awscli-XXXX")
cat >"$work/index.mjs" <<'HANDLER'
export const handler = async (event) => {
  if (event.fail) throw new Error(event.fail);
  return `${process.env.GREETING ?? 'hello'}, ${event.name}`;
};
HANDLER
(cd "$work" && python3 -m zipfile -c code.zip index.mjs)

functions() {
  aws --endpoint-url "https://$HOB_HOST" --region us-east-1 --output text lambda "$@"
}

# refused_as CODE ARGUMENT…: whether the service refuses with that error.
refused_as() {
  local said
  if said=$(functions "${@:2}" 2>&1); then
    echo 'this was let through'
    return 1
  fi
  printf '%s\n' "$said"
  [[ $said == *"($1)"* ]]
}

# invoke PAYLOAD ARGUMENT…: what the function answers.
invoke() {
  printf '%s' "$1" >"$work/event.json"
  shift
  functions invoke --function-name by-awscli --payload "fileb://$work/event.json" "$@" "$work/out.json" >"$work/told" &&
    cat "$work/out.json"
}

step 'nothing is there' refused_as ResourceNotFoundException get-function --function-name by-awscli
step 'a function is made' is by-awscli functions create-function --function-name by-awscli --runtime nodejs24.x \
  --role arn:aws:iam::123456789012:role/worker --handler index.handler --zip-file "fileb://$work/code.zip" \
  --query FunctionName
step 'it becomes active' functions wait function-active-v2 --function-name by-awscli
step 'it answers' is '"hello, you"' invoke '{"name":"you"}'
step 'its settings are changed' is InProgress functions update-function-configuration --function-name by-awscli \
  --memory-size 256 --timeout 5 --description 'by hand' --environment 'Variables={GREETING=welcome}' \
  --query LastUpdateStatus
step 'the change is applied' functions wait function-updated-v2 --function-name by-awscli
step 'they are what was asked for' is $'256\t5\tby hand\twelcome' functions get-function-configuration \
  --function-name by-awscli --query '[MemorySize,Timeout,Description,Environment.Variables.GREETING]'
step 'the function sees them' is '"welcome, you"' invoke '{"name":"you"}'
invoke '{"fail":"no good"}' >"$work/failure"
step 'a failure is told' is 'Unhandled' grep -o Unhandled "$work/told"
step 'its words are the answer' is '"errorMessage":"no good"' grep -o '"errorMessage":"no good"' "$work/failure"
step 'wrong settings are refused' refused_as InvalidParameterValueException update-function-configuration \
  --function-name by-awscli --layers arn:aws:lambda:us-east-1:123456789012:layer:none:1
step 'a stale revision is refused' refused_as PreconditionFailedException update-function-configuration --function-name by-awscli \
  --description x --revision-id 00000000-0000-0000-0000-000000000000
step 'a version is published' is 1 functions publish-version --function-name by-awscli --query Version
step 'an alias points at it' is 1 functions create-alias --function-name by-awscli --name live --function-version 1 \
  --query FunctionVersion
step 'the alias answers' is '"welcome, you"' invoke '{"name":"you"}' --qualifier live
step 'a layer is published' is 1 functions publish-layer-version --layer-name by-awscli \
  --zip-file "fileb://$work/code.zip" --query Version
step 'the function is tagged' functions tag-resource \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --tags team=one
step 'its tags are listed' is one functions list-tags \
  --resource arn:aws:lambda:us-east-1:123456789012:function:by-awscli --query Tags.team
step 'it is listed' is by-awscli functions list-functions --query "Functions[?FunctionName=='by-awscli'].FunctionName"
step 'the alias is deleted' functions delete-alias --function-name by-awscli --name live
step 'the function is deleted' functions delete-function --function-name by-awscli
step 'it is gone' refused_as ResourceNotFoundException get-function --function-name by-awscli
