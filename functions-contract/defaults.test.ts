import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { withDefaults } from './defaults.ts';
import { boolean, integer, optional, required, structure, text } from './shape.ts';

const inner = structure({
  Size: required(integer({ min: 1, max: 9 }), 'Size.', { default: 3 }),
  Name: optional(text, 'Name.'),
});

const outer = structure({
  Count: optional(integer({ min: 0, max: 9 }), 'Count.', { default: 0 }),
  IsOn: optional(boolean, 'Whether it is on.', { default: true }),
  Always: optional(inner, 'A structure with defaults.', { default: {} }),
  Sometimes: optional(inner, 'A structure that may be absent.'),
  Name: optional(text, 'Name.'),
});

describe('the defaults of a structure', () => {
  test('stand where there is nothing, in the structures within it too', () => {
    const complete: { Count: number; IsOn: boolean; Always: { Size: number } } = withDefaults(
      outer,
      {},
    );
    assert.deepEqual(complete, { Count: 0, IsOn: true, Always: { Size: 3 } });
  });

  test('replace nothing, and complete what is there', () => {
    const given = { Count: 5, IsOn: false, Sometimes: { Name: 'a' }, Other: 'kept' };
    assert.deepEqual(withDefaults(outer, given), {
      ...given,
      Always: { Size: 3 },
      Sometimes: { Name: 'a', Size: 3 },
    });
    assert.deepEqual(given.Sometimes, { Name: 'a' });
  });
});
