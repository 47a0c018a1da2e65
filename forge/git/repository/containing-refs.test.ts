import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { gitLine, realGit } from '../testing/real-git.ts';
import type { ObjectId } from '../names.ts';
import { objectId, useTestGit } from '../testing/test-git.ts';

suite('the branches and tags that contain a commit', () => {
  const { newRepository } = useTestGit();

  async function filled() {
    const created = await newRepository();
    const { work } = created;
    const commit = async (message: string): Promise<ObjectId> => {
      await realGit(work, ['commit', '-q', '--allow-empty', '-m', message]);
      return objectId(await gitLine(work, 'rev-parse', 'HEAD'));
    };
    const first = await commit('first');
    await realGit(work, ['tag', '-m', 'annotated', 'v1']);
    await realGit(work, ['checkout', '-q', '-b', 'a-side']);
    const side = await commit('side');
    await realGit(work, ['tag', `light-"&<b>`]);
    await realGit(work, ['checkout', '-q', 'main']);
    const second = await commit('second');
    // A tag may name what is no commit.
    await realGit(work, ['tag', 'tree', 'HEAD^{tree}']);
    await realGit(work, ['push', '-q', 'origin', 'main', 'a-side', '--tags']);
    return { ...created, first, side, second };
  }

  test('are those whose history has it, the branch of HEAD first', async () => {
    const { repository, first, side, second } = await filled();
    const find = (commit: typeof first) =>
      repository.containingRefs({ commit, refsVersion: 1, effort: 'thorough' });
    assert.deepEqual(await find(first), {
      branches: { names: ['main', 'a-side'], count: 2 },
      tags: { names: [`light-"&<b>`, 'v1'], count: 2 },
      cut: false,
    });
    assert.deepEqual(await find(side), {
      branches: { names: ['a-side'], count: 1 },
      tags: { names: [`light-"&<b>`], count: 1 },
      cut: false,
    });
    assert.deepEqual((await find(second))?.branches, { names: ['main'], count: 1 });
  });

  test('are found again when the refs have another version', async () => {
    const { repository, work, push, second } = await filled();
    const count = async (
      refsVersion: number,
      effort: 'quick' | 'thorough' = 'thorough',
    ): Promise<number | undefined> =>
      (await repository.containingRefs({ commit: second, refsVersion, effort }))?.branches.count;
    assert.equal(await count(1), 1);
    await realGit(work, ['branch', 'another']);
    await push('another');
    assert.equal(await count(1), 1, 'of the version that is known');
    assert.equal(await count(2), 2);
    // A quick search has the answer of a thorough one.
    assert.equal(await count(2, 'quick'), 2);
  });

  test('are named as far as a page shows them, and counted', async () => {
    const { repository, work, first } = await filled();
    const names = Array.from({ length: 150 }, (_, index) => `many/${index}`);
    for (const name of names) await realGit(work, ['tag', name, first]);
    await realGit(work, ['push', '-q', 'origin', '--tags']);
    const found = await repository.containingRefs({
      commit: first,
      refsVersion: 1,
      effort: 'thorough',
    });
    assert.equal(found?.tags.names.length, 100);
    assert.equal(found?.tags.count, 152);
  });

  test('cannot be found for a commit that is not there', async () => {
    const { repository } = await filled();
    const missing = objectId('a'.repeat(40));
    await assert.rejects(
      repository.containingRefs({ commit: missing, refsVersion: 1, effort: 'thorough' }),
      { kind: 'failed' },
    );
  });
});
