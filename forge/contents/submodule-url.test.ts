import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSubmodules } from './submodule-url.ts';

test('submodules are read from a git configuration file, whatever else is in it', () => {
  const text = `
# a comment = none
path = before any section
[core]
  bare = true
[submodule "one"]
\tPath = vendor/one
\turl = "https://example.test/one.git"
\tbranch = path
[submodule "two"] ; said here
url=../two.git
path = two = 2
[submodule "three"]
`;
  assert.deepEqual(readSubmodules(text).slice(1), [
    { path: 'vendor/one', url: 'https://example.test/one.git' },
    { path: 'two = 2', url: '../two.git' },
    { path: undefined, url: undefined },
  ]);
  assert.deepEqual(readSubmodules(''), []);
});
