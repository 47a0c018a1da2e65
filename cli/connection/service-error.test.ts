import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isServiceError, readServiceError, serviceErrorText } from './service-error.ts';

function errorText(
  status: number,
  type: string | undefined,
  body: string,
  retries?: number,
): string {
  const response = {
    status,
    headers: type === undefined ? {} : { 'x-amzn-errortype': type },
    body: Buffer.from(body),
  };
  assert.ok(isServiceError(response));
  return serviceErrorText(readServiceError(response, 'Service Unavailable'), 'GetThing', retries);
}

const said = (code: string, rest: string): string =>
  `An error occurred (${code}) when calling the GetThing operation${rest}`;

describe('an error of the service', () => {
  const cases: readonly (readonly [what: string, printed: string, expected: string])[] = [
    ['its message', errorText(404, 'Gone', '{"message":"m"}'), said('Gone', ': m')],
    ['a message in capitals', errorText(404, 'Gone', '{"Message":"m"}'), said('Gone', ': m')],
    ['a message of null', errorText(403, 'No', '{"Message":null}'), said('No', ': None')],
    ['no message', errorText(400, 'No', '{}'), said('No', ': ')],
    ['a code in the body', errorText(403, undefined, '{"__type":"a#No"}'), said('No', ': ')],
    [
      'a namespace and an address round the code',
      errorText(400, 'com.example#No:http://x/', '{"message":"m"}'),
      said('No', ': m'),
    ],
    [
      'attempts used up',
      errorText(429, 'Slow', '{"message":"m"}', 2),
      said('Slow', ' (reached max retries: 2): m'),
    ],
    ['no body', errorText(503, undefined, ''), said('503', ': Service Unavailable')],
    ['a page', errorText(503, undefined, '<html>'), said('503', ': Service Unavailable')],
  ];
  for (const [what, printed, expected] of cases) {
    it(`is printed with ${what}`, () => assert.equal(printed, expected));
  }

  it('is not what a response of success is', () => {
    assert.equal(isServiceError({ status: 202, headers: {}, body: Buffer.alloc(0) }), false);
  });
});
