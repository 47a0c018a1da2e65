import assert from 'node:assert/strict';
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { QuarantinePool } from '../commands/quarantine-pool.ts';
import { localGit } from '../process/local-git.ts';
import type { ObjectId } from '../names.ts';
import { closeGitState, openGitState } from '../process/open-git-state.ts';
import { gitLine, realGit, tryGit } from '../testing/real-git.ts';
import { branchName, objectId, someone, useTestGit } from '../testing/test-git.ts';
import { mergeIn, parseMerge } from './merge.ts';
import type { TestRepository } from '../testing/test-git.ts';

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
    const created = await newRepository();
    const { work } = created;
    await mkdir(join(work, 'folder'));
    for (const name of ['a', 'b', 'folder/c', 'folder/d']) {
      await writeFile(join(work, name), `${name}\n1\n2\n3\n4\n5\n6\n7\n8\n9\n`);
    }
    await created.commit('start');
    await realGit(work, ['checkout', '-q', '-b', 'theirs']);
    await theirs(work);
    await created.commit('theirs');
    await realGit(work, ['checkout', '-q', 'main']);
    await ours(work);
    await created.commit('ours');
    return { ...created, ours: await created.push('main'), theirs: await created.push('theirs') };
  }

  test('refuses unrelated histories, and works on', async () => {
    const created = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
    const { repository, path, ours, theirs } = created;
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

  test('does without a long-lived process where the host cannot have one', async () => {
    const clean = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
    const conflict = await diverged(change('a', 'ours\n'), change('a', 'theirs\n'));
    const state = { ...testGit.state, longLivedMerges: async () => false };
    for (const { repository, id, path, ours, theirs } of [clean, conflict]) {
      const once = await state.quarantines.use(id, path, (quarantine) =>
        mergeIn({ id, path, state }, quarantine, ours, theirs),
      );
      assert.deepEqual(once, await repository.mergeTrees(ours, theirs));
    }
  });

  test('works again as soon as its folder can be created', async () => {
    const { id, path, ours, theirs } = await diverged(change('a', 'a\n'), change('b', 'b\n'));
    const state = { ...testGit.state, longLivedMerges: async () => false };
    const { runner, durability, paths } = state;
    const arriving = join(testGit.folder, 'no-folder-yet');
    await writeFile(arriving, '');
    const pool = new QuarantinePool({ runner, durability }, { ...paths, arriving });
    const merge = () =>
      pool.use(id, path, (quarantine) => mergeIn({ id, path, state }, quarantine, ours, theirs));
    await assert.rejects(merge(), { code: 'ENOTDIR' });
    await rm(arriving);
    assert.equal((await merge()).kind, 'clean');
    await pool.close();
  });

  test('says that the disk was full, also when it is not any more', async () => {
    const { id, path, ours, theirs } = await diverged(change('a', 'a\n'), change('b', 'b\n'));
    const state = { ...testGit.state, longLivedMerges: async () => false };
    const full = "!echo 'fatal: unable to write loose object file: No space left on device' >&2";
    const run: typeof state.runner.run = (command) =>
      state.runner.run({ ...command, arguments: ['-c', `alias.full=${full}; exit 128`, 'full'] });
    const runner: typeof state.runner = Object.assign(Object.create(state.runner), { run });
    const { durability, paths } = state;
    const pool = new QuarantinePool({ runner, durability }, paths);
    const merging = pool.use(id, path, (quarantine) =>
      mergeIn({ id, path, state }, quarantine, ours, theirs),
    );
    await assert.rejects(merging, { kind: 'disk-full' });
    await pool.close();
  });

  /** Every file among the objects of a repository. */
  async function objectsIn(path: string): Promise<string[]> {
    return (await readdir(join(path, 'objects'), { recursive: true })).toSorted();
  }

  /** The object directories of attempted merges. */
  async function quarantines(): Promise<string[]> {
    const aside = await readdir(testGit.state.paths.arriving);
    return aside.filter((name) => name.startsWith('quarantine-'));
  }

  test('leaves no object of a merge in conflict, nor of a rebase that was only tried', async () => {
    const both = change('a', 'ours\n');
    const { repository, path, ours, theirs } = await diverged(both, change('a', 'theirs\n'));
    const clean = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
    const [before, cleanBefore] = [await objectsIn(path), await objectsIn(clean.path)];
    assert.equal((await repository.mergeTrees(ours, theirs)).kind, 'conflict');
    assert.equal(await repository.testRebase(ours, theirs), false);
    assert.equal(await clean.repository.testRebase(clean.ours, clean.theirs), true);
    assert.deepEqual(await objectsIn(path), before);
    assert.deepEqual(await objectsIn(clean.path), cleanBefore);
  });

  test('keeps what a clean merge or a rebase made, and nothing else, when the attempts are over', async () => {
    const { repository, id, path, ours, theirs } = await diverged(
      (work) => changeBoth(work, 'ours\n'),
      change('b', 'theirs\n'),
    );
    const merged = await repository.mergeTrees(ours, theirs);
    const rebased = await repository.rebase(ours, theirs, someone);
    assert.ok(merged.kind === 'clean' && rebased.kind === 'clean');
    await testGit.state.quarantines.drop(id);
    await realGit(path, ['ls-tree', '-r', merged.tree]);
    await realGit(path, ['rev-list', '--objects', rebased.tip]);
    assert.equal((await tryGit(path, ['fsck', '--strict'])).status, 0);
    const dangling = (await realGit(path, ['fsck', '--unreachable'])).toString().split('\n');
    // The trees of both are the same: the root, and the commit of the rebase.
    assert.equal(dangling.filter((line) => line !== '').length, 2);
  });

  test('ends a quarantine after a thousand uses, when its last user has left', async () => {
    const { repository, id, ours, theirs } = await diverged(
      change('a', 'ours\n'),
      change('a', 'theirs\n'),
    );
    const others = await quarantines();
    const seen = new Set<string>();
    for (let use = 0; use < 2001; use += 1) {
      await repository.mergeTrees(ours, theirs);
      if (use % 100 > 0) continue;
      for (const name of await quarantines()) if (!others.includes(name)) seen.add(name);
    }
    assert.ok(seen.size >= 3, `${seen.size} quarantines`);
    await testGit.state.quarantines.drop(id);
    const left = async () => (await quarantines()).filter((name) => seen.has(name));
    while ((await left()).length > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('finds the objects of a repository whose folder has a colon and quotes in its name', async () => {
    const root = join(testGit.folder, 'a:b "c" \\d');
    const { state: other } = await openGitState({ root, onNotDurable: () => {}, report: () => {} });
    try {
      const { path, ours, theirs } = await diverged(change('a', 'ours\n'), change('b', 'theirs\n'));
      await localGit(other).create(1, branchName('main'));
      await cp(join(path, 'objects'), join(other.paths.repository(1), 'objects'), {
        recursive: true,
      });
      const merged = await localGit(other).repository(1).mergeTrees(ours, theirs);
      assert.equal(merged.kind, 'clean');
    } finally {
      await closeGitState(other);
    }
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

suite('merge answers', () => {
  const id = '1'.repeat(40);

  test('that are none are refused', () => {
    for (const fields of [[], ['2', id], ['1'], ['1', 'tree'], ['', id]]) {
      assert.throws(() => parseMerge(fields));
    }
  });

  test('name each path once', () => {
    const stages = ['b', 'a', 'b'].map((path, index) => `100644 ${id} ${index + 1}\t${path}`);
    assert.deepEqual(parseMerge(['0', id, ...stages]), { kind: 'conflict', paths: ['a', 'b'] });
    assert.deepEqual(parseMerge(['1', id]), { kind: 'clean', tree: id });
  });
});
