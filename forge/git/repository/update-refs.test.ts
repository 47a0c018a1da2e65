import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { noObject } from '../names.ts';
import { readRef } from './refs.ts';
import { refName, useTestGit } from '../testing/test-git.ts';
import { updateRefs } from './update-refs.ts';

suite('ref updates that lose a lock', () => {
  const testGit = useTestGit();
  const topic = refName('refs/heads/topic');

  /** The repository, in which git fails at once where it would have waited seconds for a lock. */
  async function impatient(failures: number): Promise<{
    readonly directory: GitDirectory;
    readonly update: { ref: typeof topic; old: typeof noObject; new: typeof noObject };
    readonly tried: () => number;
  }> {
    const { repository, id, path, commit, push } = await testGit.newRepository();
    const first = await commit('one');
    await push('main');
    const { state } = testGit;
    let tried = 0;
    const runner: typeof state.runner = Object.create(state.runner);
    runner.run = async (command) => {
      if (command.arguments[0] !== 'update-ref') return state.runner.run(command);
      tried += 1;
      if (tried > failures) return state.runner.run(command);
      throw new GitError('failed', 'fatal: cannot lock ref');
    };
    const updater: typeof state.updateRefs = Object.create(state.updateRefs);
    updater.update = async () => 'refused';
    assert.equal(await repository.readRef(topic), undefined);
    return {
      directory: { id, path, state: { ...state, runner, updateRefs: updater } },
      update: { ref: topic, old: noObject, new: first },
      tried: () => tried,
    };
  }

  test('are tried again before anybody hears of it', async () => {
    const { directory, update, tried } = await impatient(3);
    assert.deepEqual(await updateRefs(directory, [update]), { kind: 'updated' });
    assert.equal(tried(), 4);
    assert.equal(await readRef(directory, topic), update.new);
  });

  test('say that others hold it when it stays', async () => {
    const { directory, update } = await impatient(Number.POSITIVE_INFINITY);
    const lock = join(directory.path, 'refs/heads/topic.lock');
    await writeFile(lock, '');
    await assert.rejects(updateRefs(directory, [update]), { name: 'GitError', kind: 'busy' });
    await rm(lock, { force: true });
  });

  test('remain failures if no lock is held', async () => {
    const { directory, update } = await impatient(Number.POSITIVE_INFINITY);
    await assert.rejects(updateRefs(directory, [update]), { name: 'GitError', kind: 'failed' });
  });
});
