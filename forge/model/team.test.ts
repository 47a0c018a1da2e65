import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import { slugOfTeam } from './team.ts';

describe('slugs of teams', () => {
  test('are the name in small letters with dashes', () => {
    for (const [name, slug] of [
      ['Justice League', 'justice-league'],
      ['  A  &  B ', 'a-b'],
      ['Équipe_1.x', 'equipe_1.x'],
      ['owners', 'owners'],
    ] as const) {
      assert.equal(slugOfTeam(name), slug);
    }
  });

  test('are not made of names that would leave nothing, or too much', () => {
    for (const name of ['', ' ', '---', '..', '日本', 'x'.repeat(256)]) {
      assert.throws(() => slugOfTeam(name), RefusalError, name);
    }
  });
});
