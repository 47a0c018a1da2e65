import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { GitError } from '../git-error.ts';
import { noObject } from '../names.ts';
import { gitLine, realGit } from '../testing/real-git.ts';
import { branchName, objectId, refName, useTestGit } from '../testing/test-git.ts';

const main = refName('refs/heads/main');

suite('refs', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  test('refuses an update whose old value is not the ref’s', async () => {
    const { repository, commit, push } = await newRepository();
    const first = await commit('one');
    await push('main');
    const second = await commit('two');
    await push('main');
    const result = await repository.updateRefs([{ ref: main, old: first, new: first }]);
    assert.deepEqual(result, { kind: 'moved', ref: main });
    assert.equal(await repository.readRef(main), second);
  });

  test('refuses to create what exists and to delete what does not', async () => {
    const { repository, commit, push } = await newRepository();
    const first = await commit('one');
    await push('main');
    const absent = refName('refs/heads/absent');
    const create = await repository.updateRefs([{ ref: main, old: noObject, new: first }]);
    assert.deepEqual(create, { kind: 'moved', ref: main });
    const remove = await repository.updateRefs([{ ref: absent, old: first, new: noObject }]);
    assert.deepEqual(remove, { kind: 'moved', ref: absent });
    const blind = await repository.updateRefs([{ ref: absent, old: undefined, new: noObject }]);
    assert.deepEqual(blind, { kind: 'updated' });
    const both = await repository.updateRefs([{ ref: absent, old: noObject, new: noObject }]);
    assert.deepEqual(both, { kind: 'updated' });
  });

  test('refuses a file where a folder is, and a folder where a file is', async () => {
    const { repository, commit, push } = await newRepository();
    const id = await commit('one');
    await push('main');
    const below = refName('refs/heads/main/below');
    assert.deepEqual(await repository.updateRefs([{ ref: below, old: noObject, new: id }]), {
      kind: 'name-conflict',
    });
    const renaming = [
      { ref: below, old: noObject, new: id },
      { ref: main, old: id, new: noObject },
    ];
    assert.deepEqual(await repository.updateRefs(renaming), { kind: 'name-conflict' });
    const deep = refName('refs/heads/a/b/c');
    const above = refName('refs/heads/a');
    assert.deepEqual(await repository.updateRefs([{ ref: deep, old: noObject, new: id }]), {
      kind: 'updated',
    });
    assert.deepEqual(await repository.updateRefs([{ ref: above, old: undefined, new: id }]), {
      kind: 'name-conflict',
    });
  });

  test('moves all refs or none', async () => {
    const { repository, commit, push } = await newRepository();
    const id = await commit('one');
    await push('main');
    const other = refName('refs/heads/other');
    const result = await repository.updateRefs([
      { ref: other, old: noObject, new: id },
      { ref: main, old: noObject, new: id },
    ]);
    assert.deepEqual(result, { kind: 'moved', ref: main });
    assert.equal(await repository.readRef(other), undefined);
  });

  test('has one winner among parallel updates', async () => {
    const { repository, commit, push } = await newRepository();
    const start = await commit('start');
    await push('main');
    const next = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const read = await repository.readCommit(start);
        assert.ok(read);
        return repository.writeCommit({ ...read, parents: [start], message: `next ${index}` });
      }),
    );
    const results = await Promise.all(
      next.map((id) => repository.updateRefs([{ ref: main, old: start, new: id }])),
    );
    const winners = next.filter((_, index) => results[index]?.kind === 'updated');
    assert.equal(winners.length, 1);
    assert.equal(await repository.readRef(main), winners[0]);
    assert.equal(results.filter((result) => result.kind === 'moved').length, 11);
  });

  test('refuses to point a branch at what is no commit or not there', async () => {
    const { repository } = await newRepository();
    const blob = await repository.writeBlob(Buffer.from('x'));
    for (const id of [blob, objectId('1'.repeat(40))]) {
      await assert.rejects(
        repository.updateRefs([{ ref: main, old: undefined, new: id }]),
        GitError,
      );
    }
    assert.equal(await repository.readRef(main), undefined);
  });

  test('says that a repository is not there, and does not call it empty', async () => {
    const { git } = testGit;
    const absent = git.repository(999_999);
    const missing = { name: 'GitError', kind: 'missing-repository' };
    await assert.rejects(absent.readRef(main), missing);
    await assert.rejects(absent.listRefs('refs/'), missing);
    await assert.rejects(absent.resolveCommit('abcdef1'), missing);
    await assert.rejects(absent.updateRefs([{ ref: main, old: noObject, new: noObject }]), missing);
    await assert.rejects(absent.size(), missing);
  });

  test('refuses an id that is no number of a repository', async () => {
    for (const id of [-1, 1.5, Number.NaN, Number.MAX_VALUE]) {
      await assert.rejects(async () => testGit.git.repository(id).size());
    }
  });

  test('creates, moves and deletes refs, loose and packed', async () => {
    const { repository, commit, push, path } = await newRepository();
    const first = await commit('one');
    const second = await commit('two');
    await push('main');
    const topic = refName('refs/heads/topic/deep');
    await repository.updateRefs([{ ref: topic, old: noObject, new: first }]);
    assert.equal(await repository.readRef(topic), first);
    await realGit(path, ['pack-refs', '--all']);
    assert.equal(await repository.readRef(topic), first);
    await repository.updateRefs([{ ref: topic, old: first, new: second }]);
    assert.equal(await repository.readRef(topic), second);
    await repository.updateRefs([{ ref: topic, old: second, new: noObject }]);
    assert.equal(await repository.readRef(topic), undefined);
    assert.equal(await repository.readRef(main), second);
  });

  test('takes an absent ref for absent, whatever longer names end in it', async () => {
    const { repository, commit, push } = await newRepository();
    const id = await commit('one');
    await push('main');
    const longer = refName('refs/heads/refs/heads/x');
    await repository.updateRefs([{ ref: longer, old: noObject, new: id }]);
    assert.equal(await repository.readRef(refName('refs/heads/x')), undefined);
    assert.equal(await repository.readRef(refName('refs/heads/refs')), undefined);
    assert.equal(await repository.readRef(refName('refs/heads/main/below')), undefined);
  });

  test('lists refs below a prefix in order, annotated tags peeled to the end', async () => {
    const { repository, work, commit, push } = await newRepository();
    const id = await commit('one');
    await push('main');
    await realGit(work, ['tag', '-a', '-m', 'tag', 'v1']);
    await realGit(work, ['-c', 'advice.nestedTag=false', 'tag', '-a', '-m', 'outer', 'v2', 'v1']);
    await realGit(work, ['push', '-q', 'origin', 'v1', 'v2', 'main:feature/a', 'main:features']);
    const tags = await repository.listRefs('refs/tags/');
    assert.deepEqual(
      tags.map((ref) => ({ ...ref })),
      [
        {
          name: 'refs/tags/v1',
          id: await gitLine(work, 'rev-parse', 'v1'),
          type: 'tag',
          peeled: id,
        },
        {
          name: 'refs/tags/v2',
          id: await gitLine(work, 'rev-parse', 'v2'),
          type: 'tag',
          peeled: id,
        },
      ],
    );
    const names = (await repository.listRefs('refs/heads/feature')).map((ref) => ref.name);
    assert.deepEqual(names, ['refs/heads/feature/a', 'refs/heads/features']);
    for (const hostile of ['refs/heads/*', 'heads/', '', 'refs/heads/[a]', '--all']) {
      assert.deepEqual(await repository.listRefs(hostile), []);
    }
  });

  test('points HEAD at a branch that need not exist', async () => {
    const { repository, path } = await newRepository();
    await repository.setHead(branchName('feature/-x'));
    assert.equal(await gitLine(path, 'symbolic-ref', 'HEAD'), 'refs/heads/feature/-x');
  });

  test('moves refs although the git that was at it is killed', async () => {
    const { repository, id, path, commit, push } = await newRepository();
    const first = await commit('one');
    const second = await commit('two');
    await push('main');
    await repository.updateRefs([{ ref: main, old: second, new: first }]);
    // The batch process holds the lock of the first ref and waits for the one of the second.
    const lock = join(path, 'refs', 'heads', 'z.lock');
    await writeFile(lock, '');
    const stuck = repository.updateRefs([
      { ref: main, old: first, new: second },
      { ref: refName('refs/heads/z'), old: noObject, new: second },
    ]);
    const mainLock = join(path, 'refs', 'heads', 'main.lock');
    while (!(await readdir(join(path, 'refs', 'heads'))).includes('main.lock')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await readdir(testGit.state.paths.busy), [String(id)]);
    await testGit.state.updateRefs.drop(id);
    // No one writes any more, so both locks are a dead writer's: they go, and the second try
    // succeeds.
    assert.deepEqual(await stuck, { kind: 'updated' });
    assert.equal(await repository.readRef(main), second);
    await assert.rejects(stat(mainLock), { code: 'ENOENT' });
    await assert.rejects(stat(lock), { code: 'ENOENT' });
  });
});
