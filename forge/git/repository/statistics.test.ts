import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { HistoryStatistics } from '../history-summary.ts';
import type { ObjectId } from '../names.ts';
import { realGit } from '../testing/real-git.ts';
import { useTestGit } from '../testing/test-git.ts';
import { statistics } from './statistics.ts';

suite('statistics', () => {
  const testGit = useTestGit();

  /** Asks until the history is counted; each turn waits for what git does meanwhile. */
  async function counted(
    ask: () => Promise<HistoryStatistics | undefined>,
  ): Promise<HistoryStatistics> {
    for (;;) {
      const found = await ask();
      if (found) return found;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  /** A repository with one commit, in which `fail` says why a count fails. */
  async function failing(fail: () => Error | undefined): Promise<{
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
      if (command.arguments[0] === 'log') counts += 1;
      const failure = fail();
      if (failure) throw failure;
      return state.runner.run(command);
    };
    return { directory: { id, path, state: { ...state, runner } }, tip, counts: () => counts };
  }

  test('that take too long are counted again after a minute, other failures by the next who asks', async () => {
    let failure: Error | undefined = new GitError('limit', 'git log took longer.');
    let now = 0;
    const { directory, tip, counts } = await failing(() => failure);
    const ask = (): Promise<HistoryStatistics> =>
      counted(() => statistics(directory, tip, () => now));
    await assert.rejects(ask(), /took longer/);
    now = 59_999;
    await assert.rejects(
      statistics(directory, tip, () => now),
      /took longer/,
    );
    now = 60_000;
    failure = new GitError('unavailable', 'The git process is shutting down.');
    await assert.rejects(ask(), /shutting down/);
    failure = undefined;
    assert.equal((await ask()).commits, 1);
    await ask();
    assert.equal(counts(), 1);
  });

  test('are undefined at first, and then of the days of authors, in their zones, without merges', async () => {
    const { repository, work, push } = await testGit.newRepository();
    const commits = [
      // On Sunday in its own zone, on Saturday in UTC.
      ['2026-11-15T01:30:00 +0200', 'a@example.test', 'one\ntwo\n'],
      ['2026-11-15T23:00:00 +0000', 'b@example.test', 'one\n'],
      ['2026-11-17T10:00:00 +0000', 'a@example.test', 'one\nthree\n'],
    ] as const;
    for (const [date, email, content] of commits) {
      await writeFile(join(work, 'file.txt'), content);
      await realGit(work, ['add', '-A']);
      await realGit(work, [
        'commit',
        '-q',
        '-m',
        'Change 5 insertions(+)',
        `--author=n <${email}>`,
        `--date=${date}`,
      ]);
    }
    await realGit(work, ['checkout', '-q', '-b', 'side', 'HEAD~1']);
    await realGit(work, [
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'Empty',
      '--author=n <c \u00e9@example.test>',
      '--date=2026-11-16T00:00:00 +0000',
    ]);
    await realGit(work, ['checkout', '-q', '-']);
    await realGit(work, ['merge', '-q', '--no-ff', '-m', 'Merge', 'side']);
    const tip = await push('main');
    assert.equal(await repository.statistics(tip), undefined);
    const found = await counted(() => repository.statistics(tip));
    const sunday = Date.parse('2026-11-15') / 86_400_000;
    assert.equal(found.commits, 5);
    assert.deepEqual(found.days, [
      { day: sunday - 1, commits: 1, additions: 2, deletions: 0 },
      { day: sunday, commits: 1, additions: 0, deletions: 1 },
      { day: sunday + 1, commits: 1, additions: 0, deletions: 0 },
      { day: sunday + 2, commits: 1, additions: 1, deletions: 0 },
    ]);
    assert.deepEqual(
      found.authors.map(({ email, days }) => [email, days.map(({ day }) => day - sunday)]),
      [
        ['a@example.test', [-1, 2]],
        ['c \u00e9@example.test', [1]],
        ['b@example.test', [0]],
      ],
    );
    const hours = [...found.hours.entries()].filter(([, commitsOfHour]) => commitsOfHour > 0);
    assert.deepEqual(hours, [
      [1, 1],
      [23, 1],
      [24, 1],
      [2 * 24 + 10, 1],
    ]);
  });
});
