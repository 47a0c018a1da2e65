import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { FileChange } from '../../git/file-change.ts';
import { noObject } from '../../git/names.ts';
import { suggestionOf } from './suggestion-view.ts';

describe('the suggestion of a line as it is', () => {
  const of = (text: string): string => {
    const file: FileChange = {
      path: 'a',
      previousPath: undefined,
      status: 'added',
      id: noObject,
      mode: '100644',
      binary: false,
      additions: 1,
      deletions: 0,
      patch: `@@ -0,0 +1 @@\n+${text}`,
    };
    return suggestionOf([file], { path: 'a', line: 1, side: 'RIGHT' });
  };

  test('has a longer fence than any in it', () => {
    for (const [text, fence] of [
      ['a', '```'],
      ['`` b', '```'],
      ['``` ````` ````', '``````'],
    ] as const) {
      assert.equal(of(text), `${fence}suggestion\n${text}\n${fence}`);
    }
  });

  test('can have any number of fences in it', () => {
    assert.match(of('` '.repeat(200_000)), /^```suggestion\n/);
  });
});
