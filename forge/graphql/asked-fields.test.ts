import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { isInterfaceType, isObjectType } from 'graphql';

import { askedFields } from '../testing/asked-fields.ts';
import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { allTypes } from './schema/all-types.ts';

/** What is not built, and why; a document that asks for it is refused with the name of the field. */
const missing: Readonly<Record<string, string>> = {
  'Mutation.enqueuePullRequest': 'there are no merge queues',
};

const missingTypes: ReadonlySet<string> = new Set(
  Object.keys(missing).map((field) => {
    const name = field.slice('Mutation.'.length);
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`;
  }),
);

describe('the schema', () => {
  const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});

  test('has every field that programs in use ask for', () => {
    const lacking = Object.entries(askedFields).flatMap(([name, fields]) => {
      const type = schema.getType(name);
      if (!type) return missingTypes.has(name) ? [] : [name];
      assert.ok(isObjectType(type) || isInterfaceType(type), name);
      const known = type.getFields();
      return fields.split(', ').flatMap((asked) => {
        const [field = '', programs = ''] = asked.split(' ');
        return known[field] ? [] : [`${name}.${field} (${programs})`];
      });
    });
    const left = lacking.filter((field) => !Object.hasOwn(missing, field.replace(/ .*/, '')));
    assert.deepEqual(left, []);
    assert.equal(lacking.length, Object.keys(missing).length, 'of the exceptions, one is none');
  });
});
