import assert from 'node:assert/strict';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  gitLine,
  realGit,
  temporaryFolder,
  type TemporaryFolder,
} from '#forge/git/testing/real-git.ts';

import { copyObjects } from './copy-objects.ts';
import { copyFolder } from './file-copies.ts';

describe('copies of folders', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => folder.remove());

  test('keep links, modes and times, and leave out what is no file', async () => {
    const source = join(folder.path, 'source');
    const target = join(folder.path, 'target');
    await mkdir(join(source, 'closed'), { recursive: true });
    await writeFile(join(source, 'closed', 'program'), 'x', { mode: 0o755 });
    await utimes(join(source, 'closed', 'program'), 1000, 1000);
    await symlink('/etc/passwd', join(source, 'link'));
    await writeFile(join(source, 'left-out'), '');
    await chmod(join(source, 'closed'), 0o555);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(source, 'socket'), resolve));
    await copyFolder(source, target, 'copy', (path) => path === 'left-out');
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual((await readdir(target)).toSorted(), ['closed', 'link']);
    assert.equal(await readlink(join(target, 'link')), '/etc/passwd');
    const program = await lstat(join(target, 'closed', 'program'));
    assert.deepEqual([program.mode & 0o777, program.mtimeMs], [0o755, 1_000_000]);
    assert.equal((await lstat(join(target, 'closed'))).mode & 0o777, 0o555);
  });

  test('of what a link leads to are as closed as that', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    await mkdir(elsewhere, { mode: 0o700 });
    await writeFile(join(elsewhere, 'file'), 'x');
    await symlink(elsewhere, join(folder.path, 'linked'));
    const target = join(folder.path, 'of-linked');
    await copyFolder(join(folder.path, 'linked'), target, 'link');
    assert.deepEqual(await readdir(target), ['file']);
    const copied = await lstat(target);
    assert.ok(copied.isDirectory());
    assert.equal(copied.mode & 0o777, 0o700);
  });

  test('share files that never change with what they are of, and only those', async () => {
    const source = join(folder.path, 'fixed');
    await mkdir(source);
    await writeFile(join(source, 'file'), 'x');
    for (const [mode, links] of [
      ['copy', 1],
      ['link', 2],
    ] as const) {
      await copyFolder(source, join(folder.path, mode), mode);
      assert.equal((await stat(join(source, 'file'))).nlink, links);
    }
  });

  test('of objects are whole while a repository is packed under them', async () => {
    const repository = join(folder.path, 'busy.git');
    await realGit(folder.path, ['init', '-q', '--bare', repository]);
    const tree = await gitLine(repository, 'write-tree');
    let tip = await gitLine(repository, 'commit-tree', tree, '-m', 'first');
    let copies = 0;
    const packing = new AbortController();
    const pack = async (): Promise<void> => {
      for (let round = 0; round < 8; round += 1) {
        for (let count = 0; count < 5; count += 1) {
          tip = await gitLine(
            repository,
            'commit-tree',
            tree,
            '-p',
            tip,
            '-m',
            `${round} ${count}`,
          );
        }
        await realGit(repository, ['update-ref', 'refs/heads/main', tip]);
        await realGit(repository, ['repack', '-q', '-a', '-d']);
      }
      packing.abort();
    };
    const copy = async (): Promise<void> => {
      while (!packing.signal.aborted) {
        const target = join(folder.path, `copy-${(copies += 1)}.git`);
        await realGit(folder.path, ['init', '-q', '--bare', target]);
        const then = tip;
        await copyObjects(repository, target);
        await realGit(target, ['rev-list', '--objects', '--quiet', then]);
      }
    };
    await Promise.all([pack(), copy()]);
    assert.ok(copies > 3, String(copies));
  });
});
