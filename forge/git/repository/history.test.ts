import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { gitDirectory } from '../commands/git-directory.ts';
import { gitLine, realGit } from '../testing/real-git.ts';
import { objectId, treePath, useTestGit } from '../testing/test-git.ts';
import type { LogOptions } from '../git.ts';
import type { ObjectId } from '../names.ts';
import { divergences } from './divergence.ts';

const absent = objectId('1'.repeat(40));

suite('history', () => {
  const testGit = useTestGit();
  const { newRepository } = testGit;

  /** Five commits on main, one a day, and a merged side branch. */
  async function filled() {
    const created = await newRepository();
    const { work } = created;
    await mkdir(join(work, 'folder'));
    for (let day = 0; day < 5; day += 1) {
      if (day === 2) await realGit(work, ['checkout', '-q', '-b', 'side']);
      if (day === 3) await realGit(work, ['checkout', '-q', 'main']);
      await writeFile(join(work, day % 2 === 0 ? 'folder/even' : 'odd'), `${day}\n`);
      await realGit(work, ['add', '--all']);
      const date = `${1_700_000_000 + day * 86_400} +0000`;
      const name = day === 1 ? 'Odd (one)' : 'Ann Author';
      await realGit(work, ['commit', '-q', '-m', `day ${day}`], {
        environment: {
          GIT_AUTHOR_DATE: date,
          GIT_COMMITTER_DATE: date,
          GIT_AUTHOR_NAME: name,
        },
      });
    }
    const merge = ['merge', '-q', '-s', 'ours', '--no-ff', '-m', 'merge', 'side'];
    const date = `${1_700_000_000 + 5 * 86_400} +0000`;
    await realGit(work, merge, { environment: { GIT_COMMITTER_DATE: date } });
    const tip = await created.push('main');
    const side = await created.push('side');
    return { ...created, tip, side };
  }

  test('fails for a commit that is not there', async () => {
    const { repository, tip } = await filled();
    await assert.rejects(repository.log({ from: absent, max: 1 }), { kind: 'failed' });
    await assert.rejects(repository.countCommits(tip, [absent]), { kind: 'failed' });
    await assert.rejects(repository.divergences(tip, [tip, absent]), { kind: 'failed' });
    await assert.rejects(repository.mergeBase(tip, absent), { kind: 'failed' });
    await assert.rejects(repository.isAncestor(absent, tip), { kind: 'failed' });
  });

  test('lists commits as git does, whatever the options', async () => {
    const { repository, path, tip, side } = await filled();
    const cases: [Omit<LogOptions, 'from' | 'max'> & { max?: number }, string[]][] = [
      [{}, []],
      [{ max: 2 }, ['-n2']],
      [{ max: 2, skip: 1 }, ['-n2', '--skip=1']],
      [{ notIn: [side] }, [`^${side}`]],
      [{ path: treePath('odd') }, ['--', 'odd']],
      [{ path: treePath('folder') }, ['--', 'folder']],
      [{ path: treePath('none') }, ['--', 'none']],
      [{ since: 1_700_086_400 }, ['--since=@1700086400']],
      [{ until: 1_700_086_400 }, ['--until=@1700086400']],
      [{ authors: ['Odd (one)'] }, ['-F', '--author=Odd (one)']],
      [{ authors: ['ann@example'] }, ['-F', '--author=ann@example']],
      [{ authors: ['.*'] }, ['-F', '--author=.*']],
      [{ reverse: true }, ['--topo-order', '--reverse']],
      [{ reverse: true, notIn: [side] }, ['--topo-order', '--reverse', `^${side}`]],
    ];
    for (const [options, parts] of cases) {
      const listed = await repository.log({ from: tip, max: 100, ...options });
      const at = parts.indexOf('--');
      const [before, after] = at === -1 ? [parts, []] : [parts.slice(0, at), parts.slice(at)];
      const output = await realGit(path, ['log', '--format=%H', ...before, tip, ...after]);
      assert.deepEqual(
        listed.map((commit) => commit.id),
        output.toString().split('\n').filter(Boolean),
        JSON.stringify(options),
      );
    }
  });

  test('pages a reversed list from its oldest end', async () => {
    const { repository, tip } = await filled();
    const all = await repository.log({ from: tip, max: 100, reverse: true });
    const page = await repository.log({ from: tip, max: 2, skip: 1, reverse: true });
    assert.deepEqual(page, all.slice(1, 3));
    assert.equal(page[0]?.message, 'day 1');
  });

  test('of a path has what a later commit changes, however often the earlier one was asked for', async () => {
    const { repository, work, tip, push } = await filled();
    const path = treePath('odd');
    const before = await repository.log({ from: tip, max: 100, path });
    assert.deepEqual(await repository.log({ from: tip, max: 100, path }), before);
    assert.deepEqual(await repository.log({ from: tip, max: 1, path }), before.slice(0, 1));
    await realGit(work, ['commit', '-q', '--allow-empty', '-m', 'nothing']);
    await writeFile(join(work, 'odd'), 'later\n');
    await realGit(work, ['commit', '-q', '-a', '-m', 'later']);
    const later = await repository.log({ from: await push('main'), max: 100, path });
    assert.deepEqual(later.slice(1), before);
    assert.equal(later[0]?.message, 'later');
    assert.deepEqual(await repository.log({ from: tip, max: 100, path }), before);
  });

  test('finds no author whose name has a line break', async () => {
    const { repository, tip } = await filled();
    assert.deepEqual(await repository.log({ from: tip, max: 9, authors: ['nobody\nAnn'] }), []);
  });

  test('counts, and finds where histories meet', async () => {
    const { repository, path, tip, side } = await filled();
    assert.equal(await repository.countCommits(tip, []), 6);
    assert.equal(await repository.countCommits(tip, [side]), 3);
    assert.equal(await repository.countCommits(side, [tip]), 0);
    assert.equal(await repository.mergeBase(tip, side), side);
    assert.equal(await repository.isAncestor(side, tip), true);
    assert.equal(await repository.isAncestor(tip, side), false);
    const tree = (await repository.readCommit(tip))?.tree ?? absent;
    const created = await realGit(path, ['commit-tree', '-m', 'alone', tree]);
    const alone = objectId(created.toString().trim());
    assert.equal(await repository.mergeBase(tip, alone), undefined);
    assert.equal(await repository.isAncestor(alone, tip), false);
    const commits = await repository.countCommits(tip, []);
    const onSide = await repository.countCommits(side, []);
    for (const attempt of ['computed', 'held']) {
      assert.deepEqual(
        await repository.divergences(tip, [tip, side, alone]),
        [
          { ahead: 0, behind: 0 },
          { ahead: 0, behind: commits - onSide },
          { ahead: 1, behind: commits },
        ],
        attempt,
      );
    }
  });

  test('asks git once about the same two commits', async () => {
    const { repository, path, tip, side } = await filled();
    const ask = async (): Promise<unknown[]> => [
      await repository.mergeBase(tip, side),
      await repository.isAncestor(tip, side),
      await repository.countCommits(tip, [side]),
      await repository.diffStat(side, tip),
    ];
    const answers = await ask();
    await rm(path, { recursive: true });
    assert.deepEqual(await ask(), answers);
    await assert.rejects(repository.mergeBase(side, tip), { kind: 'missing-repository' });
  });

  /** A hundred of a long history held up every other command of the server for most of a minute. */
  test('measures branches a few at a time, and for a limited time', async () => {
    const { repository, id, path, tip } = await filled();
    const tree = (await repository.readCommit(tip))?.tree ?? absent;
    const tips: ObjectId[] = [];
    for (let at = 0; at < 12; at += 1) {
      tips.push(objectId(await gitLine(path, 'commit-tree', '-m', `${at}`, tree)));
    }
    const none = await divergences(gitDirectory(testGit.state, id), tip, tips, 0);
    assert.deepEqual(
      none,
      tips.map(() => undefined),
    );
    const { runner } = testGit.state;
    const before = runner.children;
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, runner.children - before);
    });
    try {
      const found = await repository.divergences(tip, tips);
      assert.ok(found.every((each) => each?.ahead === 1));
    } finally {
      clearInterval(look);
    }
    assert.ok(most >= 1 && most <= 2, `${most} at once`);
    const held = await divergences(gitDirectory(testGit.state, id), tip, tips, 0);
    assert.ok(held.every((each) => each?.ahead === 1));
  });

  test('takes a path for a path, not for a pattern', async () => {
    const { repository, tip } = await filled();
    for (const path of ['*', ':(glob)**', ':/odd', 'o?d']) {
      assert.deepEqual(await repository.log({ from: tip, max: 9, path: treePath(path) }), [], path);
    }
  });
});
