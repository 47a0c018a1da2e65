import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { visibleControls, visibleControlsInJson } from './visible-controls.ts';

suite('visible controls', () => {
  const controls = [
    ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
    ['a bell', '\u0007', '\\u0007'],
    ['a carriage return, which overwrites the line', 'real\rfake', 'real\\u000dfake'],
    ['the later control characters', '\u009b2J', '\\u009b2J'],
    ['another direction of writing', 'a\u202eb', 'a\\u202eb'],
    ['line ends and tabs, which stay', 'a\n\tb', 'a\n\tb'],
    ['other scripts, which stay', 'é 漢 🎉', 'é 漢 🎉'],
  ] as const;
  for (const [what, text, expected] of controls) {
    test(what, () => assert.equal(visibleControls(text), expected));
  }

  test('in JSON, which means the same afterwards', () => {
    const value = { text: '\u001b\u009b\u2028\u202e' };
    const json = visibleControlsInJson(JSON.stringify(value));
    assert.equal(json, String.raw`{"text":"\u001b\u009b\u2028\u202e"}`);
    assert.deepEqual(JSON.parse(json), value);
  });
});
