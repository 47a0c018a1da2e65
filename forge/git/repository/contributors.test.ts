import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';
import { useTestGit } from '../testing/test-git.ts';
import { contributors } from './contributors.ts';

suite('contributors', () => {
  const testGit = useTestGit();

  /** A repository with one commit, in which `fail` says why a count fails. */
  async function counted(fail: () => Error | undefined): Promise<{
    directory: GitDirectory;
    tip: ObjectId;
    counts: () => number;
  }> {
    const { id, path, commit, push } = await testGit.newRepository();
    const tip = await commit('First');
    await push('main');
    const { state } = testGit;
    let counts = 0;
    const runner: typeof state.runner = Object.create(state.runner);
    runner.run = async (command) => {
      if (command.arguments[0] === 'shortlog') counts += 1;
      const failure = fail();
      if (failure) throw failure;
      return state.runner.run(command);
    };
    return { directory: { id, path, state: { ...state, runner } }, tip, counts: () => counts };
  }

  test('of a commit are counted once for all who ask at the same time and later', async () => {
    const { directory, tip, counts } = await counted(() => undefined);
    const asked = Array.from({ length: 8 }, () => contributors(directory, tip));
    for (const found of await Promise.all(asked)) assert.equal(found[0]?.commits, 1);
    await contributors(directory, tip);
    assert.equal(counts(), 1);
  });

  test('that take too long are counted again after a minute, other failures at once', async () => {
    let failure: Error | undefined = new GitError('limit', 'git shortlog took longer.');
    let now = 0;
    const { directory, tip, counts } = await counted(() => failure);
    const ask = (): ReturnType<typeof contributors> => contributors(directory, tip, () => now);
    await assert.rejects(ask(), /took longer/);
    now = 59_999;
    await assert.rejects(ask(), /took longer/);
    assert.equal(counts(), 1);
    now = 60_000;
    failure = new GitError('unavailable', 'The git process is shutting down.');
    await assert.rejects(ask(), /shutting down/);
    failure = undefined;
    assert.equal((await ask())[0]?.commits, 1);
    assert.equal(counts(), 3);
  });
});
