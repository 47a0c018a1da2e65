import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { entryAt, firstBytes } from './follow-links.ts';

describe('what a path of a sandbox leads to', () => {
  let folder: string;
  const inFolder = (inside: string): string => join(folder, inside);

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'hob-links-')));
    await mkdir(join(folder, 'code'));
    await writeFile(join(folder, 'code', 'run'), '#!/bin/sh\n');
    await symlink('/code', join(folder, 'link'));
    await symlink('../../../../../../../../etc', join(folder, 'up'));
    await symlink('/loop', join(folder, 'loop'));
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, 'code', 'pipe')]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('is found by links that start at its own root and end there', () => {
    assert.equal(entryAt('/link/run', inFolder)?.path, join(folder, 'code/run'));
    assert.equal(entryAt('/up/../code/run', inFolder)?.path, join(folder, 'code/run'));
    for (const path of ['/up/passwd', '/loop', '/code/run/..//../none']) {
      assert.equal(entryAt(path, inFolder), undefined, path);
    }
  });

  test('is read only when it is the file that was found', () => {
    assert.equal(firstBytes(join(folder, 'code', 'run')), '#!/bin/sh\n');
    // Put there after it was looked at.
    for (const path of ['link', 'link/run', 'code', 'none']) {
      assert.equal(firstBytes(join(folder, path)), undefined, path);
    }
  });

  test('is not waited for', () => {
    const module = new URL('follow-links.ts', import.meta.url).href;
    const script = `import { firstBytes } from ${JSON.stringify(module)};
      console.log(firstBytes(${JSON.stringify(join(folder, 'code', 'pipe'))}));`;
    const text = ['--input-type=module-typescript', '-e', script];
    const { stdout } = spawnSync(process.execPath, text, { timeout: 20_000, encoding: 'utf8' });
    assert.equal(stdout, 'undefined\n');
  });
});
