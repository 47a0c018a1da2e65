import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { isInterfaceType, isObjectType } from 'graphql';

import { queriedFields } from '../testing/queried-fields.ts';
import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { allTypes } from './schema/all-types.ts';

describe('the schema', () => {
  const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});

  test('has every field that programs in use ask for', () => {
    const missing = Object.entries(queriedFields).flatMap(([name, fields]) => {
      const type = schema.getType(name);
      if (!type) return [name];
      assert.ok(isObjectType(type) || isInterfaceType(type), name);
      const known = type.getFields();
      return fields.split(', ').flatMap((asked) => {
        const [field = '', programs = ''] = asked.split(' ');
        return known[field] ? [] : [`${name}.${field} (${programs})`];
      });
    });
    assert.deepEqual(missing, []);
  });
});
