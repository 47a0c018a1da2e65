/** Who else may use a function: its policy, one statement at a time. */
import { nothing, operation } from '../operation.ts';
import {
  functionName as changedName,
  namespacedFunctionName,
  qualifier,
  statementId,
} from '../shapes/names.ts';
import { boolean, inPath, inQuery, optional, required, string, structure, text } from '../shape.ts';

const base = '/2015-03-31/functions/{FunctionName}/policy';
const version = optional(qualifier, 'Version or alias.', inQuery('Qualifier'));

export const addPermission = operation({
  name: 'AddPermission',
  about: 'Lets a service or an account use a function, or one of its versions or aliases.',
  method: 'POST',
  path: base,
  status: 201,
  input: structure({
    FunctionName: required(changedName, 'Name, partial ARN or ARN.', inPath),
    StatementId: required(statementId, 'Name of the statement; each is there once.'),
    Action: required(
      string({ pattern: '(lambda:[*]|lambda:[a-zA-Z]+|[*])' }),
      'What is allowed, such as lambda:InvokeFunction.',
    ),
    Principal: required(
      string({ pattern: String.raw`[^\s]+` }),
      'Service, account or ARN that is allowed; * for everybody.',
    ),
    SourceArn: optional(
      string({
        pattern: String.raw`arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`,
      }),
      'Resource of the service that may invoke.',
    ),
    FunctionUrlAuthType: optional(
      string({ values: ['NONE', 'AWS_IAM'] }),
      'How requests to the URL of the function must be signed.',
    ),
    InvokedViaFunctionUrl: optional(boolean, 'Allows it through the URL of the function only.'),
    SourceAccount: optional(
      string({ max: 12, pattern: String.raw`\d{12}` }),
      'Account that has the resource.',
    ),
    EventSourceToken: optional(
      string({ min: 0, max: 256, pattern: String.raw`[a-zA-Z0-9._\-]+` }),
      'Token that the principal must send.',
    ),
    Qualifier: version,
    RevisionId: optional(text, 'Add only if the policy still has this revision.'),
    PrincipalOrgID: optional(
      string({ min: 12, max: 34, pattern: 'o-[a-z0-9]{10,32}' }),
      'Organization whose accounts are allowed.',
    ),
  }),
  output: structure({ Statement: optional(text, 'The statement, as JSON.') }),
});

export const getPolicy = operation({
  name: 'GetPolicy',
  about: 'Tells who else may use a function, or one of its versions or aliases.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    Qualifier: version,
  }),
  output: structure({
    Policy: optional(text, 'The policy, as JSON.'),
    RevisionId: optional(text, 'Revision of what the policy is for.'),
  }),
});

export const removePermission = operation({
  name: 'RemovePermission',
  about: 'Takes one statement out of a policy.',
  method: 'DELETE',
  path: `${base}/{StatementId}`,
  status: 204,
  input: structure({
    FunctionName: required(changedName, 'Name, partial ARN or ARN.', inPath),
    StatementId: required(
      string({ min: 1, max: 100, pattern: String.raw`([a-zA-Z0-9-_.]+)` }),
      'Name of the statement.',
      inPath,
    ),
    Qualifier: version,
    RevisionId: optional(
      text,
      'Remove only if the policy still has this revision.',
      inQuery('RevisionId'),
    ),
  }),
  output: nothing,
});
