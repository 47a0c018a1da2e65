import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import Type from 'typebox';

import { stringEnum, readQuery } from './schemas.ts';

describe('the parameters of a query', () => {
  const rules = { resource: 'Issue', refuse: ['state'] };
  const schema = Type.Object({
    state: Type.Optional(stringEnum(['open', 'closed'])),
    sort: Type.Optional(stringEnum(['created', 'updated'])),
    base: Type.Optional(Type.String()),
  });

  test('outside of an enumeration are refused where the rules say so, and ignored elsewhere', () => {
    assert.throws(() => readQuery(schema, new URLSearchParams('state=shut'), rules));
    assert.deepEqual(readQuery(schema, new URLSearchParams('sort=size&base=main'), rules), {
      base: 'main',
    });
  });

  // Only the compiler fails here: a value of a query is text, and any of them may be absent.
  test('are declared as optional text', () => {
    const query = new URLSearchParams('page=2');
    const number = Type.Object({ page: Type.Optional(Type.Integer()) });
    // @ts-expect-error -- a number would have the type of a number and be text
    assert.equal(readQuery(number, query, rules).page, '2');
    const required = Type.Object({ base: Type.String() });
    // @ts-expect-error -- nothing refuses a query without it
    assert.deepEqual(readQuery(required, query, rules), {});
  });
});
