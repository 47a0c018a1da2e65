import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { allowsService } from './allows-service.ts';
import { isArnLike } from './arn-like.ts';

const sourceArn = 'arn:aws:codecommit:us-east-1:123456789012:ada/tools';

describe('ArnLike', () => {
  it('compares part by part', () => {
    for (const [pattern, expected] of [
      [sourceArn, true],
      ['arn:aws:codecommit:us-east-1:123456789012:ada/*', true],
      ['arn:aws:codecommit:us-east-1:123456789012:*/tool?', true],
      ['arn:aws:codecommit:*:123456789012:*', true],
      ['arn:*:*:*:*:*', true],
      ['arn:aws:codecommit:us-east-1:123456789012:ada', false],
      ['arn:aws:codecommit:us-east-1:123456789012:Ada/tools', false],
      ['arn:aws:codecommit:us-east-1:123456789012:ada/tools?', false],
      ['arn:aws:codecommit:*', false],
      ['arn:aws:*:ada/tools', false],
      ['*', false],
      ['', false],
    ] as const) {
      assert.equal(isArnLike(sourceArn, pattern), expected, pattern);
    }
  });

  it('does not take exponential time', () => {
    const pattern = `arn:aws:codecommit:us-east-1:1:${'*a'.repeat(2000)}`;
    assert.equal(isArnLike(`arn:aws:codecommit:us-east-1:1:${'a'.repeat(1999)}b`, pattern), false);
  });
});

describe('a statement for a service', () => {
  const caller = {
    service: 'codecommit.amazonaws.com',
    sourceArn,
    sourceAccount: '123456789012',
  };
  const allowed = {
    Effect: 'Allow',
    Principal: { Service: 'codecommit.amazonaws.com' },
    Action: 'lambda:InvokeFunction',
    Condition: { ArnLike: { 'AWS:SourceArn': sourceArn } },
  };

  it('allows what it names', () => {
    for (const statement of [
      allowed,
      { ...allowed, Action: 'lambda:*' },
      { ...allowed, Principal: '*' },
      {
        ...allowed,
        Condition: {
          StringEquals: { 'AWS:SourceAccount': '123456789012' },
          ArnLike: { 'AWS:SourceArn': 'arn:aws:codecommit:*:*:ada/*' },
        },
      },
    ]) {
      assert.equal(allowsService(statement, caller), true, JSON.stringify(statement));
    }
  });

  it('allows nothing else', () => {
    for (const statement of [
      undefined,
      null,
      'Allow',
      { ...allowed, Effect: 'Deny' },
      { ...allowed, Principal: { Service: 's3.amazonaws.com' } },
      { ...allowed, Principal: { AWS: '123456789012' } },
      { ...allowed, Action: 'lambda:InvokeFunctionUrl' },
      { ...allowed, Condition: { ArnLike: { 'AWS:SourceArn': `${sourceArn}2` } } },
      { ...allowed, Condition: { StringEquals: { 'AWS:SourceAccount': '210987654321' } } },
      { ...allowed, Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } },
      { ...allowed, Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } } },
      { ...allowed, Condition: undefined },
      { ...allowed, Principal: '*', Condition: undefined },
      { ...allowed, Condition: {} },
      { ...allowed, Condition: { StringEquals: { 'AWS:SourceAccount': '123456789012' } } },
      { ...allowed, Condition: 'always' },
      { ...allowed, Condition: { ArnLike: sourceArn } },
    ]) {
      assert.equal(allowsService(statement, caller), false, JSON.stringify(statement));
    }
  });
});
