import { policyBytesMax } from '#functions-contract/limits.ts';

import { invalidParameter, FunctionsError } from '../errors/functions-error.ts';

/** A statement of a resource's policy, its members in the order in which callers are shown them. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Principal: StatementPrincipal;
  readonly Action: string;
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type StatementPrincipal = '*' | { readonly Service: string } | { readonly AWS: string };

/** A whole policy as callers are shown it. */
export function policyText(statements: readonly { readonly text: string }[]): string {
  const list = statements.map(({ text }) => text).join(',');
  return `{"Version":"2012-10-17","Id":"default","Statement":[${list}]}`;
}

/** Parses a principal: everybody, a service, an account or a user of one. */
export function readPrincipal(text: string): StatementPrincipal {
  if (text === '*') return '*';
  if (/^\d{12}$/.test(text)) return { AWS: `arn:aws:iam::${text}:root` };
  if (/^arn:aws[a-zA-Z-]*:(iam|sts)::\d{12}:.+$/.test(text)) return { AWS: text };
  if (/^[a-z0-9.-]+\.(amazonaws\.com(\.cn)?|amazon\.com)$/.test(text)) return { Service: text };
  throw invalidParameter(
    'The provided principal was invalid. Please check the principal and try again.',
  );
}

/** Where the other members of a request go in a statement. */
interface Conditions {
  readonly SourceArn?: string;
  readonly SourceAccount?: string;
  readonly PrincipalOrgID?: string;
  readonly EventSourceToken?: string;
  readonly FunctionUrlAuthType?: string;
  readonly InvokedViaFunctionUrl?: boolean;
}

/** Undefined without any. */
export function conditionOf(given: Conditions): Statement['Condition'] {
  const equals = {
    ...(given.SourceAccount !== undefined && { 'AWS:SourceAccount': given.SourceAccount }),
    ...(given.PrincipalOrgID !== undefined && { 'aws:PrincipalOrgID': given.PrincipalOrgID }),
    ...(given.EventSourceToken !== undefined && {
      'lambda:EventSourceToken': given.EventSourceToken,
    }),
    ...(given.FunctionUrlAuthType !== undefined && {
      'lambda:FunctionUrlAuthType': given.FunctionUrlAuthType,
    }),
  };
  const condition = {
    ...(Object.keys(equals).length > 0 && { StringEquals: equals }),
    ...(given.InvokedViaFunctionUrl !== undefined && {
      Bool: { 'lambda:InvokedViaFunctionUrl': String(given.InvokedViaFunctionUrl) },
    }),
    ...(given.SourceArn !== undefined && { ArnLike: { 'AWS:SourceArn': given.SourceArn } }),
  };
  return Object.keys(condition).length === 0 ? undefined : condition;
}

/** Refuses a policy that is too large: it is read and parsed for every anonymous request of a function URL. */
export function checkPolicyLength(statements: readonly { readonly text: string }[]): void {
  const size = Buffer.byteLength(policyText(statements));
  if (size <= policyBytesMax) return;
  throw new FunctionsError(
    'PolicyLengthExceededException',
    `The final policy size (${size}) is bigger than the limit (${policyBytesMax}).`,
  );
}

// Errors that the policies of functions and of layers share (recorded).

export function statementExists(id: string): FunctionsError {
  return new FunctionsError(
    'ResourceConflictException',
    `The statement id (${id}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
  );
}

export function noPolicy(): FunctionsError {
  return notFound('No policy is associated with the given resource.');
}

export function noPolicyOf(arn: string): FunctionsError {
  return notFound(`No policy found for: ${arn}`);
}

export function noStatement(id: string): FunctionsError {
  return notFound(`Statement ${id} is not found in resource policy.`);
}

function notFound(message: string): FunctionsError {
  return new FunctionsError('ResourceNotFoundException', message);
}
