import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { labelMark } from './label-mark.ts';

describe('a label', () => {
  test('has its colour', () => {
    assert.match(labelMark({ name: 'bug', color: '0e8a16' }).toString(), / fill="#0e8a16"/);
  });

  test('has no colour that is none, and its name is text', () => {
    for (const color of ['', 'red', '"/><script>', '0e8a16"', '#0e8a1', '0e8a16ff']) {
      const markup = labelMark({ name: '<b>', color }).toString();
      assert.doesNotMatch(markup, /fill=|<script|<b>/, color);
      assert.match(markup, /&lt;b&gt;/, color);
    }
  });
});
