import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { conditionOf, policyText, readPrincipal } from './statement.ts';

describe('the principal of a statement', () => {
  const account = 'arn:aws:iam::123456789012:root';
  const role = 'arn:aws:sts::123456789012:assumed-role/r/s';
  const principals = [
    ['*', '*'],
    ['123456789012', { AWS: account }],
    [account, { AWS: account }],
    [role, { AWS: role }],
    ['s3.amazonaws.com', { Service: 's3.amazonaws.com' }],
    ['apigateway.amazonaws.com.cn', { Service: 'apigateway.amazonaws.com.cn' }],
    ['alexa.amazon.com', { Service: 'alexa.amazon.com' }],
  ] as const;
  for (const [text, principal] of principals) {
    test(`is read from ${text}`, () => assert.deepEqual(readPrincipal(text), principal));
  }

  for (const text of ['', '**', '12345', 'arn:aws:iam::1:root', 'S3.amazonaws.com', 's3.test']) {
    test(`is refused: ${JSON.stringify(text)}`, () => {
      assert.throws(() => readPrincipal(text), /The provided principal was invalid/);
    });
  }
});

describe('the condition of a statement', () => {
  test('is absent without any', () => assert.equal(conditionOf({}), undefined));

  test('has an operator for each kind of member', () => {
    assert.deepEqual(
      conditionOf({
        SourceAccount: '123456789012',
        SourceArn: 'arn:aws:s3:::bucket',
        InvokedViaFunctionUrl: false,
        FunctionUrlAuthType: 'NONE',
        PrincipalOrgID: 'o-1234567890',
        EventSourceToken: 't',
      }),
      {
        StringEquals: {
          'AWS:SourceAccount': '123456789012',
          'aws:PrincipalOrgID': 'o-1234567890',
          'lambda:EventSourceToken': 't',
          'lambda:FunctionUrlAuthType': 'NONE',
        },
        Bool: { 'lambda:InvokedViaFunctionUrl': 'false' },
        ArnLike: { 'AWS:SourceArn': 'arn:aws:s3:::bucket' },
      },
    );
    assert.deepEqual(conditionOf({ SourceArn: 'a' }), { ArnLike: { 'AWS:SourceArn': 'a' } });
  });
});

test('a policy lists the texts of its statements', () => {
  assert.deepEqual(JSON.parse(policyText([{ text: '{"Sid":"a"}' }, { text: '{"Sid":"b"}' }])), {
    Version: '2012-10-17',
    Id: 'default',
    Statement: [{ Sid: 'a' }, { Sid: 'b' }],
  });
});
