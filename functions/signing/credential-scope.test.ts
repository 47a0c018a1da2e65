import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkScope, readScope } from './credential-scope.ts';

const text = 'AKIAEXAMPLE/20260102/us-east-1/lambda/aws4_request';
const signed = { text: '20260102T120000Z', milliseconds: 0 };
const here = { region: 'us-east-1', service: 'lambda' } as const;

describe('the scope of a credential', () => {
  test('has five parts', () => {
    assert.deepEqual(readScope(text), {
      accessKeyId: 'AKIAEXAMPLE',
      day: '20260102',
      region: 'us-east-1',
      service: 'lambda',
      terminator: 'aws4_request',
      text: '20260102/us-east-1/lambda/aws4_request',
    });
    for (const wrong of ['', 'AKIA', text.slice(text.indexOf('/')), `${text}/more`, 'a/b/c/d']) {
      assert.throws(() => readScope(wrong), /exactly 5 slash-delimited elements/, wrong);
    }
  });

  test('is that of the request', () => {
    checkScope(readScope(text), signed, here);
    const refused: readonly (readonly [from: string, to: string, message: RegExp])[] = [
      ['aws4_request', 'aws5_request', /valid terminator: 'aws4_request', not 'aws5_request'/],
      ['us-east-1', 'eu-west-1', /valid region, not 'eu-west-1'/],
      ['lambda', 's3', /correct service: 'lambda'/],
      ['20260102', '20260103', /does not match YYYYMMDD/],
    ];
    for (const [from, to, message] of refused) {
      assert.throws(() => checkScope(readScope(text.replace(from, to)), signed, here), message);
    }
  });
});
