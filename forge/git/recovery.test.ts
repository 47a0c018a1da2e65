import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';

import { recoverRepositories } from './recovery.ts';
import { refName, useTestGit } from './testing/test-git.ts';

const main = refName('refs/heads/main');

suite('recovery', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  const leftovers = [
    'HEAD.lock',
    'packed-refs.lock',
    'packed-refs.new',
    'config.lock',
    'shallow.lock',
    'gc.pid',
    'refs/heads/main.lock',
    'refs/heads/deep/er.lock',
    'objects/tmp_objdir-incoming-abc/pack/tmp_pack_x',
    'objects/incoming-abc/x',
    'objects/pack/tmp_pack_abc',
    'objects/pack/.tmp-1-pack-abc.pack',
    'objects/pack/multi-pack-index.lock',
    'objects/info/commit-graph.lock',
    'objects/info/commit-graphs/commit-graph-chain.lock',
    'objects/ab/tmp_obj_abc',
  ];

  async function leave(path: string): Promise<void> {
    for (const name of leftovers) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), 'left by a crash');
    }
  }

  async function left(path: string): Promise<string[]> {
    const names = await readdir(path, { recursive: true });
    return leftovers.filter((name) => names.includes(name));
  }

  test('leaves repositories alone that nobody was writing to', async () => {
    const { path } = await newRepository();
    await leave(path);
    assert.deepEqual(await recoverRepositories(testGit.host.paths), []);
    assert.deepEqual(await left(path), leftovers);
  });

  test('clears what a crash left, so that the next update works', async () => {
    const { repository, id, path, commit, push } = await newRepository();
    const first = await commit('one');
    await push('main');
    await leave(path);
    const second = await commit('two');
    await writeFile(join(testGit.host.paths.busy, String(id)), '');
    assert.deepEqual(await recoverRepositories(testGit.host.paths), [id]);
    assert.deepEqual(await left(path), []);
    assert.deepEqual(await readdir(testGit.host.paths.busy), []);
    await push('topic').catch(() => {});
    await repository.fetchObjects(id, []);
    const read = await repository.readCommit(first);
    assert.ok(read);
    const next = await repository.writeCommit({ ...read, message: second });
    const result = await repository.updateRefs([{ ref: main, old: first, new: next }]);
    assert.deepEqual(result, { kind: 'updated' });
  });

  test('removes repositories that were half made or half removed', async () => {
    const { paths } = testGit.host;
    await mkdir(join(paths.arriving, 'half.git', 'objects'), { recursive: true });
    await mkdir(join(paths.leaving, 'half', 'objects'), { recursive: true });
    await writeFile(join(paths.arriving, 'refusals-x'), 'refs/heads/x\tno\n');
    await writeFile(join(paths.busy, 'no number'), '');
    await recoverRepositories(paths);
    assert.deepEqual(await readdir(paths.arriving), []);
    assert.deepEqual(await readdir(paths.leaving), []);
  });

  test('does not mind a repository that was removed meanwhile', async () => {
    await writeFile(join(testGit.host.paths.busy, '777777'), '');
    assert.deepEqual(await recoverRepositories(testGit.host.paths), [777_777]);
  });
});
