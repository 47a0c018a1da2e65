import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rmdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { removeTree } from './remove-tree.ts';

const run = promisify(execFile);

describe('a tree that a program has left', () => {
  let folder: string;
  let tree: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'remove-tree-'));
    tree = join(folder, 'tree');
    await mkdir(tree);
  });
  // Nothing else is left in it, or this fails.
  afterEach(() => rmdir(folder));

  test('is removed with many and odd names, and without what its links lead to', async () => {
    await mkdir(join(tree, 'of', 'folders'), { recursive: true });
    await mkdir(join(tree, '1'));
    for (const name of ['two\nlines', '-rf', '*', 'é\u{1F980}', '.hidden']) {
      await writeFile(join(tree, name), '');
      await writeFile(join(tree, 'of', name), '');
    }
    for (let count = 0; count < 300; count += 1) await writeFile(join(tree, '1', `${count}`), '');
    const retained = await mkdtemp(join(tmpdir(), 'retained-'));
    await symlink(retained, join(tree, 'of', 'link'));
    await removeTree(tree);
    assert.ok(existsSync(retained));
    await rmdir(retained);
  });

  test('is removed where its paths are longer than the kernel takes', async () => {
    const script = 'n=0; while [ $n -lt 100 ]; do mkdir "$1"; cd -P "$1"; n=$((n+1)); done';
    await run('sh', ['-ec', script, 'sh', 'y'.repeat(200)], { cwd: tree });
    await removeTree(tree);
  });

  test('is removed where its folders are closed to everybody', async () => {
    for (const mode of [0, 0o400, 0o500, 0o300]) {
      const inside = join(tree, mode.toString(8), 'inside');
      await mkdir(join(inside, 'deeper'), { recursive: true });
      await writeFile(join(inside, 'file'), '');
      await chmod(inside, mode);
      await chmod(join(tree, mode.toString(8)), mode);
    }
    await chmod(tree, 0);
    await removeTree(tree);
  });

  test('may be a file, a link or nothing', async () => {
    await rmdir(tree);
    await removeTree(tree);
    await symlink('/etc', tree);
    await removeTree(tree);
    await writeFile(tree, '');
    await removeTree(tree);
  });
});
