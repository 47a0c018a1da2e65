import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { OperatorError } from './operator-error.ts';
import { contains, realPath } from './real-path.ts';

describe('a real path', () => {
  let folder: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    await writeFile(join(folder, 'file'), '');
  });
  after(() => rm(folder, { recursive: true }));

  test('is refused below a file', async () => {
    await assert.rejects(realPath(join(folder, 'file', 'below')), OperatorError);
  });

  test('has no symbolic links, also where its end does not exist', async () => {
    assert.equal(await realPath(join(folder, 'link')), join(folder, 'real'));
    assert.equal(await realPath(join(folder, 'link', 'a', 'b')), join(folder, 'real', 'a', 'b'));
  });
});

test('a folder contains itself and what is below it, by whole names', () => {
  for (const [other, expected] of [
    ['/a', true],
    ['/a/b', true],
    ['/a/..b', true],
    ['/ab', false],
    ['/', false],
    ['/b', false],
  ] as const) {
    assert.equal(contains('/a', other), expected, other);
  }
});
