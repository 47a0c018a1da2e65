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
  description: 'Adds a statement to the policy of a function, version or alias.',
  method: 'POST',
  path: base,
  status: 201,
  input: structure({
    FunctionName: required(changedName, 'Name, partial ARN or ARN.', inPath),
    StatementId: required(statementId, 'Id of the statement; unique within the policy.'),
    Action: required(
      string({ pattern: '(lambda:[*]|lambda:[a-zA-Z]+|[*])' }),
      'Allowed action, for example lambda:InvokeFunction.',
    ),
    Principal: required(
      string({ pattern: String.raw`[^\s]+` }),
      'Service, account or ARN that is granted access; * for everyone.',
    ),
    SourceArn: optional(
      string({
        pattern: String.raw`arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`,
      }),
      'ARN of the resource of the service that may invoke the function.',
    ),
    FunctionUrlAuthType: optional(
      string({ values: ['NONE', 'AWS_IAM'] }),
      'Authentication type of the function URL: NONE or AWS_IAM.',
    ),
    InvokedViaFunctionUrl: optional(boolean, 'Allows invocations through the function URL only.'),
    SourceAccount: optional(
      string({ max: 12, pattern: String.raw`\d{12}` }),
      'Account that owns the resource.',
    ),
    EventSourceToken: optional(
      string({ min: 0, max: 256, pattern: String.raw`[a-zA-Z0-9._\-]+` }),
      'Token that the principal must send.',
    ),
    Qualifier: version,
    RevisionId: optional(text, 'Adds only if the policy still has this revision.'),
    PrincipalOrgID: optional(
      string({ min: 12, max: 34, pattern: 'o-[a-z0-9]{10,32}' }),
      'Organization whose accounts are granted access.',
    ),
  }),
  output: structure({ Statement: optional(text, 'The statement, as JSON.') }),
});

export const getPolicy = operation({
  name: 'GetPolicy',
  description: 'Shows the policy of a function, version or alias.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    Qualifier: version,
  }),
  output: structure({
    Policy: optional(text, 'The policy, as JSON.'),
    RevisionId: optional(text, 'Revision of the function, version or alias.'),
  }),
});

export const removePermission = operation({
  name: 'RemovePermission',
  description: 'Removes a statement from the policy of a function, version or alias.',
  method: 'DELETE',
  path: `${base}/{StatementId}`,
  status: 204,
  input: structure({
    FunctionName: required(changedName, 'Name, partial ARN or ARN.', inPath),
    StatementId: required(
      string({ min: 1, max: 100, pattern: String.raw`([a-zA-Z0-9-_.]+)` }),
      'Id of the statement.',
      inPath,
    ),
    Qualifier: version,
    RevisionId: optional(
      text,
      'Removes only if the policy still has this revision.',
      inQuery('RevisionId'),
    ),
  }),
  output: nothing,
});
