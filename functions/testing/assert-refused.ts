import assert from 'node:assert/strict';

import { errorNames, type ErrorCode, type ErrorName } from '#functions-contract/error-names.ts';

import type { TestResponse } from './test-functions.ts';

/** Holds an answer against a recorded error: status, code, the body's exact members. */
export function assertRefused(
  answer: TestResponse,
  code: ErrorCode,
  message: string | RegExp,
  members: Readonly<Record<string, string>> | 'without-type' = {},
): void {
  const { status, text, fault }: ErrorName = errorNames[code];
  assert.equal(answer.headers['x-amzn-errortype'], code, answer.text);
  assert.equal(answer.status, status);
  const actual: unknown = answer.body?.[text];
  if (message instanceof RegExp) assert.match(String(actual), message);
  else assert.equal(actual, message);
  const typed = members === 'without-type' || fault === undefined ? {} : { Type: fault };
  assert.deepEqual(answer.body, {
    ...typed,
    ...(members === 'without-type' ? {} : members),
    [text]: actual,
  });
}

/** The message of one violation or several, as the service joins them. */
export function violations(...found: readonly string[]): string {
  const noun = found.length === 1 ? 'validation error' : 'validation errors';
  return `${found.length} ${noun} detected: ${found.join('; ')}`;
}
