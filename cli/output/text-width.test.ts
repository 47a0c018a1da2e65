import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textWidth } from './text-width.ts';

test('a text is as wide as its characters, of which East Asian ones take two columns', () => {
  const widths: readonly (readonly [text: string, width: number])[] = [
    ['', 0],
    ['plain', 5],
    ['日本', 4],
    ['ｱ', 1],
    ['Ａ', 2],
    ['한글 a', 6],
    ['🦀', 2],
    ['é', 2],
    ['ê', 2],
    ['ë', 1],
    ['¡', 2],
    ['\u{10FFFD}', 2],
    ['\u{10FFFE}', 1],
  ];
  for (const [text, width] of widths) assert.equal(textWidth(text), width, text);
});
