import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { FunctionsError } from '../errors/functions-error.ts';
import {
  checkNewName,
  functionArn,
  isQualified,
  namesAlias,
  readFunctionName,
} from './function-name.ts';

const accountRegion = { region: 'us-east-1', accountId: '123456789012' };
const arn = functionArn(accountRegion, 'fn');

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof FunctionsError && error.code === code;

describe('the name of a function', () => {
  const names: readonly (readonly [text: string, name: string, qualifier?: string])[] = [
    ['fn', 'fn'],
    ['fn:live', 'fn', 'live'],
    ['fn:$LATEST', 'fn', '$LATEST'],
    ['function:fn', 'fn'],
    ['123456789012:function:fn', 'fn'],
    ['us-east-1:123456789012:function:fn:7', 'fn', '7'],
    [arn, 'fn'],
    [`${arn}:live`, 'fn', 'live'],
    // The contract's pattern lets the partition be empty.
    [arn.replace('arn:aws:', 'arn::'), 'fn'],
    ['arn::lambda:fn:7', 'fn', '7'],
    ['my_function-2.old', 'my_function-2.old'],
  ];
  for (const [text, name, qualifier] of names) {
    test(`is read from ${text}`, () => {
      assert.deepEqual(readFunctionName(text, accountRegion), { name, qualifier });
    });
  }

  test('takes its qualifier from either source, which must agree', () => {
    assert.equal(readFunctionName('fn', accountRegion, 'live').qualifier, 'live');
    assert.equal(readFunctionName('fn:live', accountRegion, 'live').qualifier, 'live');
    assert.throws(
      () => readFunctionName('fn:live', accountRegion, '1'),
      refusedWith('InvalidParameterValueException'),
    );
  });

  test('of another region is not found, of another account not accessible', () => {
    assert.throws(
      () => readFunctionName(arn.replace('us-east-1', 'eu-west-1'), accountRegion),
      refusedWith('ResourceNotFoundException'),
    );
    assert.throws(
      () => readFunctionName(arn.replace('123456789012', '999999999999'), accountRegion),
      refusedWith('AccessDeniedException'),
    );
  });

  test('that does not satisfy the pattern of the contract is a fault of ours', () => {
    assert.throws(() => readFunctionName('', accountRegion), Error);
    assert.throws(() => readFunctionName('a b', accountRegion), Error);
  });

  test('of a new function has at most 64 characters', () => {
    checkNewName('f'.repeat(64));
    assert.throws(
      () => checkNewName('f'.repeat(65)),
      refusedWith('InvalidParameterValueException'),
    );
  });

  test('becomes an ARN, with a qualifier or without', () => {
    assert.equal(arn, 'arn:aws:lambda:us-east-1:123456789012:function:fn');
    assert.equal(functionArn(accountRegion, 'fn', '3'), `${arn}:3`);
    assert.ok(isQualified(`${arn}:3`));
    assert.ok(!isQualified(arn));
  });
});

test('a qualifier is an alias unless it is a number or has a dollar sign', () => {
  for (const alias of ['live', 'v1', '1a', 'a-b_c']) assert.ok(namesAlias(alias), alias);
  for (const version of ['1', '007', '$LATEST', '', 'a b'])
    assert.ok(!namesAlias(version), version);
});
