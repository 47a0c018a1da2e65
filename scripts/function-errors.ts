import { errorNames, type ErrorCode } from '#functions-contract/error-names.ts';

interface Advice {
  readonly when: string;
  readonly remedy: string;
}

/** A code without an entry is an error of the type. */
const advice: Readonly<Record<ErrorCode, Advice>> = {
  ValidationException: {
    when: 'Members of the request break constraints of the API: a length, a range, a pattern, a set of values, or a required member is missing.',
    remedy: 'Correct the members that the message lists; it has all of them.',
  },
  SerializationException: {
    when: 'A member has the wrong type, or the body is JSON but not an object.',
    remedy: 'Send the type of the API reference.',
  },
  InvalidParameterValueException: {
    when: 'The request fits the constraints of the API, but a value is not possible here or not together with another.',
    remedy: 'Correct the value that the message names.',
  },
  InvalidRequestContentException: {
    when: 'The body, or the payload of an invocation, is not JSON in UTF-8.',
    remedy:
      'Send JSON. With the AWS CLI, add `--cli-binary-format raw-in-base64-out`, or encode the payload in Base64.',
  },
  CodeVerificationFailedException: {
    when: 'The code signing configuration of the function enforces signatures.',
    remedy: 'Set its policy to `Warn`, or remove it from the function.',
  },
  ResourceNotFoundException: {
    when: 'The function, version, alias, layer, mapping, policy or URL does not exist, or the ARN is of another region.',
    remedy: 'Check the name, the qualifier and the region of the client.',
  },
  ResourceConflictException: {
    when: 'The resource exists already, is being created or updated, or is in a state that does not allow the operation.',
    remedy:
      'Wait until the function is `Active` and its last update `Successful` (`aws lambda wait function-updated-v2`), then repeat. If it exists already, update it.',
  },
  PreconditionFailedException: {
    when: 'The `RevisionId` is not the current one: the resource has changed meanwhile.',
    remedy: 'Read it again, and repeat the change with its `RevisionId`.',
  },
  PolicyLengthExceededException: {
    when: 'The policy of the function, the version, the alias or the layer version would exceed 20,480 bytes.',
    remedy: 'Remove statements, or replace several by one that allows more.',
  },
  CodeStorageExceededException: {
    when: 'All versions and layers together would exceed the quota of code (docs/limits.md).',
    remedy: 'Delete versions, layers or functions, or raise `HOB_FUNCTION_CODE_MIB`.',
  },
  RecursiveInvocationException: {
    when: 'A chain of requests has invoked the same function too often (docs/limits.md).',
    remedy: 'Break the loop, or allow it with `PutFunctionRecursionConfig`.',
  },
  ProvisionedConcurrencyConfigNotFoundException: {
    when: 'The version or alias has no provisioned concurrency.',
    remedy: 'Configure it with `PutProvisionedConcurrencyConfig`.',
  },
  CodeSigningConfigNotFoundException: {
    when: 'The code signing configuration that a function is to have does not exist.',
    remedy: 'Check the ARN, or create the configuration.',
  },
  RequestEntityTooLargeException: {
    when: 'The request, the event or the code in it exceeds its limit; the message has the limit.',
    remedy: 'Send less. Put large code into the object store (`S3Bucket`, `S3Key`).',
  },
  UnsupportedMediaTypeException: {
    when: 'The server does not accept the `Content-Type`.',
    remedy: 'Send `application/json`.',
  },
  CallbackTimeoutException: {
    when: 'The callback of a durable execution is completed, has timed out, or its execution has ended.',
    remedy: 'Do not repeat it. Raise the timeout of the callback if it was too short.',
  },
  DurableExecutionAlreadyStartedException: {
    when: 'A durable execution of this name was started with another event.',
    remedy: 'Use another name, or the same event to join the execution.',
  },
  TooManyRequestsException: {
    when: 'The concurrency of the function or of the account is used up; `Reason` says which. The invocation did not start.',
    remedy:
      'Repeat with growing pauses, as AWS SDKs do. If it lasts, raise the reserved concurrency of the function.',
  },
  ServiceException: {
    when: 'The server failed: 503 if the database is unavailable, 507 if the disk is full, else 500. The server log has the cause under the `x-amzn-RequestId`.',
    remedy:
      'Repeat later: of a 503 the operation may have taken effect. Of a 507 the operator frees disk space.',
  },
  UnknownOperationException: {
    when: 'No operation has this path and method.',
    remedy:
      'Check the path and the API version in it, and whether the endpoint is that of the function service.',
  },
  AccessDeniedException: {
    when: 'The function belongs to another account, a function URL does not let the caller in, or a function calls an operation that is not available to it.',
    remedy:
      'Use the account of this server. For a function URL, sign the request or add a permission.',
  },
  MissingAuthenticationTokenException: {
    when: 'The request has no signature.',
    remedy: 'Give the client an access key (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`).',
  },
  UnrecognizedClientException: {
    when: 'The access key does not exist, or the session token is not one of it.',
    remedy: 'Check the access key, and that no old session token is set (`AWS_SESSION_TOKEN`).',
  },
  InvalidSignatureException: {
    when: 'The signature is not that of the request, or is too old: the secret key, the region, the service or the clock differs, or a proxy changed the request.',
    remedy: 'Check the secret key, the clock and the proxy; it must keep the `Host` header.',
  },
  IncompleteSignatureException: {
    when: 'The `Authorization` header is malformed or lacks a part.',
    remedy: 'Sign with Signature Version 4, as AWS SDKs do.',
  },
  ExpiredTokenException: {
    when: 'The session token of the access key has expired.',
    remedy: 'Get new credentials.',
  },
};

/** The errors of the function service, for docs/errors.md. */
export function functionErrors(): string {
  const statuses = new Map(Object.entries(errorNames).map(([code, { status }]) => [code, status]));
  const rows = Object.entries(advice).map(
    ([code, { when, remedy }]) => `| \`${code}\` | ${statuses.get(code)} | ${when} | ${remedy} |\n`,
  );
  return `${introduction}${rows.join('')}`;
}

const introduction = `## Errors of the function service

The code is in the header \`x-amzn-ErrorType\`, where AWS SDKs read it. The body is JSON with \`message\` or \`Message\`, as AWS Lambda has it for the
code, with \`Type\` (\`User\` or \`Service\`) for most, and with \`Reason\` if an invocation is throttled. An error of the code of a function is no error of the
service: the invocation has status 200 and the header \`x-amz-Function-Error\`.

| Code | Status | When | What to do |
| --- | --- | --- | --- |
`;
