import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';

import { removeBrokenObjects } from './broken-objects.ts';
import { gitDirectory } from '../commands/git-directory.ts';
import { looseObjectPath } from '../commands/loose-object.ts';
import { GitError } from '../git-error.ts';
import { noObject } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { closeGitState, openGitState } from '../process/open-git-state.ts';
import { tryGit } from '../testing/real-git.ts';
import { objectId, refName, someone, treePath, useTestGit } from '../testing/test-git.ts';
import type { TestRepository } from '../testing/test-git.ts';

suite('broken objects', () => {
  const testGit = useTestGit();

  interface Loose extends TestRepository {
    readonly commitId: ObjectId;
    readonly tree: ObjectId;
    readonly blob: ObjectId;
  }

  /** A repository of a commit with a file, all of it in loose files. */
  async function loose(): Promise<Loose> {
    const created = await testGit.newRepository();
    const { repository } = created;
    const blob = await repository.writeBlob(Buffer.from('content\n'));
    const change = { path: treePath('file'), mode: '100644', id: blob } as const;
    const written = await repository.writeTree(undefined, [change]);
    assert.ok(written.kind === 'written');
    const signed = { author: someone, committer: someone, message: 'one', parents: [] };
    const commitId = await repository.writeCommit({ ...signed, tree: written.id });
    const main = refName('refs/heads/main');
    await repository.updateRefs([{ ref: main, old: noObject, new: commitId }]);
    return { ...created, commitId, tree: written.id, blob };
  }

  async function spoil(path: string, id: ObjectId, content: string | Buffer): Promise<string> {
    const file = looseObjectPath(join(path, 'objects'), id);
    await mkdir(dirname(file), { recursive: true });
    await chmod(file, 0o644).catch(() => {});
    await writeFile(file, content);
    return file;
  }

  const unreached = objectId('ab'.repeat(20));

  for (const [label, content] of [
    ['empty', ''],
    ['full of zeros', Buffer.alloc(100)],
    ['cut short', Buffer.from('789c', 'hex')],
  ] as const) {
    test(`that are ${label} and that nothing reaches are removed`, async () => {
      const { id, path } = await loose();
      await spoil(path, unreached, content);
      assert.notEqual((await tryGit(path, ['fsck', '--full'])).status, 0);
      const found = await removeBrokenObjects(gitDirectory(testGit.state, id));
      assert.deepEqual(found, { removed: [unreached], needed: [] });
      assert.equal((await tryGit(path, ['fsck', '--full', '--strict'])).status, 0);
    });
  }

  test('are no others: whole ones stay', async () => {
    const { repository, id, commitId } = await loose();
    const found = await removeBrokenObjects(gitDirectory(testGit.state, id));
    assert.deepEqual(found, { removed: [], needed: [] });
    assert.ok(await repository.readCommit(commitId));
  });

  for (const which of ['commitId', 'tree', 'blob'] as const) {
    test(`that a ref needs stay and are named: ${which}`, async () => {
      const created = await loose();
      const file = await spoil(created.path, created[which], '');
      await spoil(created.path, unreached, '');
      const found = await removeBrokenObjects(gitDirectory(testGit.state, created.id));
      assert.deepEqual(found, { removed: [unreached], needed: [created[which]] });
      assert.equal((await readFile(file)).length, 0);
    });
  }

  test('stay where git cannot say whether a ref needs them', async () => {
    const { id, path, blob } = await loose();
    const files = [await spoil(path, blob, ''), await spoil(path, unreached, '')];
    const { state } = testGit;
    const run: typeof state.runner.run = async () => {
      throw new GitError('disk-full', 'git fsck failed: no space left on the disk.');
    };
    const runner: typeof state.runner = Object.assign(Object.create(state.runner), { run });
    const removing = removeBrokenObjects(gitDirectory({ ...state, runner }, id));
    await assert.rejects(removing, { kind: 'disk-full' });
    for (const file of files) assert.equal((await readFile(file)).length, 0);
    const found = await removeBrokenObjects(gitDirectory(state, id));
    assert.deepEqual(found, { removed: [unreached], needed: [blob] });
  });

  test('are found and reported by a start after a crash', async () => {
    const { id, path, blob } = await loose();
    await spoil(path, unreached, '');
    await spoil(path, blob, '');
    const { paths } = testGit.state;
    await writeFile(join(paths.busy, String(id)), '');
    const lines: string[] = [];
    const settings = { root: join(testGit.folder, 'root'), onNotDurable: () => {} };
    const next = await openGitState({ ...settings, report: (line) => lines.push(line) });
    await next.recoverAll();
    await closeGitState(next.state);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', new RegExp(`^Repository ${id}: removed 1 .*${unreached}`));
    assert.match(lines[1] ?? '', new RegExp(`^Repository ${id} is damaged: .*${blob}`));
    assert.ok(lines.every((line) => !line.includes(path)));
  });
});
