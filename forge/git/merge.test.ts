import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { MergePool } from './helpers/merge-pool.ts';
import type { ObjectId } from './names.ts';
import { gitLine, realGit, tryGit } from './testing/real-git.ts';
import { objectId, useTestGit } from './testing/test-git.ts';
import type { TestRepository } from './testing/test-git.ts';

const change = (name: string, text: string) => (work: string) => writeFile(join(work, name), text);

async function changeBoth(work: string, text: string): Promise<void> {
  await writeFile(join(work, 'a'), text);
  await writeFile(join(work, 'folder', 'new\nname é'), text);
}

suite('merge', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  /** Two branches from one commit, each with the changes given. */
  async function diverged(
    ours: (work: string) => Promise<void>,
    theirs: (work: string) => Promise<void>,
  ): Promise<TestRepository & { ours: ObjectId; theirs: ObjectId }> {
    const made = await newRepository();
    const { work } = made;
    await mkdir(join(work, 'folder'));
    for (const name of ['a', 'b', 'folder/c', 'folder/d']) {
      await writeFile(join(work, name), `${name}\n1\n2\n3\n4\n5\n6\n7\n8\n9\n`);
    }
    await made.commit('start');
    await realGit(work, ['checkout', '-q', '-b', 'theirs']);
    await theirs(work);
    await made.commit('theirs');
    await realGit(work, ['checkout', '-q', 'main']);
    await ours(work);
    await made.commit('ours');
    return { ...made, ours: await made.push('main'), theirs: await made.push('theirs') };
  }

  test('refuses unrelated histories, and works on', async () => {
    const made = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
    const { repository, path, ours, theirs } = made;
    const tree = await gitLine(path, 'rev-parse', `${ours}^{tree}`);
    const alone = objectId(await gitLine(path, 'commit-tree', '-m', 'alone', tree));
    const results = await Promise.all([
      repository.mergeTrees(ours, theirs),
      repository.mergeTrees(ours, alone),
      repository.mergeTrees(ours, theirs),
    ]);
    assert.deepEqual(
      results.map((result) => result.kind),
      ['clean', 'unrelated', 'clean'],
    );
  });

  test('fails for a commit that is not there', async () => {
    const { repository, ours } = await diverged(change('a', 'x\n'), change('b', 'y\n'));
    const absent = objectId('1'.repeat(40));
    await assert.rejects(repository.mergeTrees(ours, absent), { kind: 'failed' });
    assert.equal((await repository.mergeTrees(ours, ours)).kind, 'clean');
  });

  test('names the paths in conflict', async () => {
    const { repository, ours, theirs } = await diverged(
      (work) => changeBoth(work, 'ours\n'),
      async (work) => {
        await changeBoth(work, 'theirs\n');
        await rm(join(work, 'b'));
      },
    );
    assert.deepEqual(await repository.mergeTrees(ours, theirs), {
      kind: 'conflict',
      paths: ['a', 'folder/new\nname é'],
    });
  });

  test('calls a change of what the other side removed a conflict', async () => {
    const { repository, ours, theirs } = await diverged(change('b', 'ours\n'), (work) =>
      rm(join(work, 'b')),
    );
    assert.deepEqual(await repository.mergeTrees(ours, theirs), { kind: 'conflict', paths: ['b'] });
  });

  test('merges into the tree that git merge makes, renames of folders included', async () => {
    const { repository, work, ours, theirs } = await diverged(
      async (folder) => {
        await rename(join(folder, 'folder'), join(folder, 'renamed'));
      },
      async (folder) => {
        await writeFile(join(folder, 'folder', 'c'), '0\nfolder/c\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
      },
    );
    const result = await repository.mergeTrees(ours, theirs);
    await realGit(work, ['merge', '-q', '-m', 'merge', 'theirs']);
    const tree = await gitLine(work, 'rev-parse', 'HEAD^{tree}');
    assert.deepEqual(result, { kind: 'clean', tree });
  });

  test('does without a long-lived helper where the host cannot have one', async () => {
    const clean = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
    const conflict = await diverged(change('a', 'ours\n'), change('a', 'theirs\n'));
    const pool = new MergePool(testGit.host.runner, false);
    for (const { repository, id, path, ours, theirs } of [clean, conflict]) {
      const once = await pool.merge(id, path, ours, theirs);
      assert.deepEqual(once, await repository.mergeTrees(ours, theirs));
    }
    await pool.close();
  });

  test('moves no ref and leaves nothing but objects', async () => {
    const { repository, path, ours, theirs } = await diverged(
      change('a', 'ours\n'),
      change('b', 'theirs\n'),
    );
    const before = await realGit(path, ['for-each-ref']);
    await repository.mergeTrees(ours, theirs);
    assert.deepEqual(await realGit(path, ['for-each-ref']), before);
    assert.equal((await tryGit(path, ['fsck', '--strict'])).status, 0);
  });
});
