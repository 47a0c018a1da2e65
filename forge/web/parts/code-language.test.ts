import assert from 'node:assert/strict';
import { test } from 'node:test';

import { codeLanguage } from './code-language.ts';

test('the language of a file is known by its name', () => {
  assert.equal(codeLanguage('src/main.ts'), 'typescript');
  assert.equal(codeLanguage('values.JSON'), 'json');
  assert.equal(codeLanguage('README'), undefined);
});

test('an extension that every object has as a property is no language', () => {
  for (const name of ['a.constructor', 'a.__proto__', 'a.tostring']) {
    assert.equal(codeLanguage(name), undefined, name);
  }
});
