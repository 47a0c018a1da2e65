import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { becomeProgram, shellQuoted } from './shell-quote.ts';

test('a word of a shell script is one word, whatever is in it', () => {
  const texts = ['', "it's", '$HOME `id` $(id) \\', '-n', 'two\nlines\r', '#', '*', '\u{1F980}é'];
  const script = `for word in ${texts.map(shellQuoted).join(' ')}; do printf '%s|' "$word"; done`;
  const output = execFileSync('/bin/sh', ['-s'], { input: script, env: {} });
  assert.equal(output.toString(), texts.map((text) => `${text}|`).join(''));
});

test('a word of a shell script never holds U+0000', () => {
  assert.throws(() => shellQuoted('a\0b'), TypeError);
});

test('a name that is no variable of a shell is no line of its script', () => {
  assert.throws(() => becomeProgram({ 'A=1; id; B': 'x' }), TypeError);
});
