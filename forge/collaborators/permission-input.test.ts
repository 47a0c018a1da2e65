import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import { readRequestedPermission } from './permission-input.ts';

describe('the requested permission of a collaborator', () => {
  const refusals: readonly [unknown, string][] = [
    ['foo', '`foo` is not a valid permission.'],
    ['write', '`write` is not a valid permission.'],
    ['', '`` is not a valid permission.'],
    [3, '`3` is not a valid permission.'],
    [{ permission: 'push' }, '`{"permission"=>"push"}` is not a valid permission.'],
    [[null, true, { a: [1] }], '`[nil, true, {"a"=>[1]}]` is not a valid permission.'],
    [{ a: { b: { c: { d: 1 } } } }, '`{"a"=>{"b"=>{"c"=>{...}}}}` is not a valid permission.'],
  ];
  for (const [value, message] of refusals) {
    it(`is refused with ${message}`, () => {
      assert.throws(
        () => readRequestedPermission(value),
        (error) => {
          assert.ok(error instanceof RefusalError);
          assert.deepEqual(error.refusal, { kind: 'unprocessable', message });
          return true;
        },
      );
    });
  }

  it('is quoted in part only where it is long', () => {
    assert.throws(
      () => readRequestedPermission(['x'.repeat(5000), ...Array.from({ length: 50 }, () => 1)]),
      (error) => {
        assert.ok(error instanceof RefusalError && error.refusal.kind === 'unprocessable');
        return error.refusal.message.length < 300;
      },
    );
  });

  it('has the values of the collaborators API', () => {
    const words = ['pull', 'push', 'triage', 'maintain', 'admin', undefined, null];
    assert.deepEqual(words.map(readRequestedPermission), [
      'read',
      'write',
      'triage',
      'maintain',
      'admin',
      undefined,
      undefined,
    ]);
  });
});
