import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { realGit } from '../testing/real-git.ts';
import { objectId, treePath, useTestGit } from '../testing/test-git.ts';

suite('the last commits of the entries of a folder', () => {
  const { newRepository } = useTestGit();
  const strange = 'a\nb "c" \\ ü';
  const hexadecimal = 'a'.repeat(40);

  async function filled() {
    const created = await newRepository();
    const { work } = created;
    const commit = async (message: string, files: Readonly<Record<string, string>>) => {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(work, name, '..'), { recursive: true });
        await writeFile(join(work, name), content);
      }
      await realGit(work, ['add', '--all']);
      await realGit(work, ['commit', '-q', '--allow-empty', '-m', message]);
    };
    await commit('first\n\nwith a body', {
      a: '1',
      b: '1',
      gone: '1',
      'folder/x': '1',
      'folder/deep/y': '1',
      [strange]: '1',
      [hexadecimal]: '1',
      [`folder/${strange}`]: '1',
      'folder.d/x': '1',
    });
    await commit('change b', { b: '2', 'folder/deep/y': '2' });
    await realGit(work, ['checkout', '-q', '-b', 'side']);
    await commit('on a side', { a: '3' });
    await realGit(work, ['checkout', '-q', 'main']);
    await rm(join(work, 'gone'));
    await commit('remove one', { 'folder.d/x': '2' });
    await realGit(work, ['merge', '-q', '--no-ff', '-m', 'merge', 'side']);
    await commit('nothing', {});
    return { ...created, tip: await created.push('main') };
  }

  const titles = (found: ReadonlyMap<string, { title: string }>): Record<string, string> =>
    Object.fromEntries([...found].map(([name, { title }]) => [name, title]));

  test('are none where there is no folder, and fail without the commit', async () => {
    const { repository, tip } = await filled();
    assert.equal((await repository.lastCommits(tip, treePath('a'))).size, 0);
    assert.equal((await repository.lastCommits(tip, treePath('none'))).size, 0);
    const absent = objectId('1'.repeat(40));
    await assert.rejects(repository.lastCommits(absent, undefined), { kind: 'failed' });
  });

  test('have times that a date can have, whatever number a commit has', async () => {
    const { repository, work, push } = await newRepository();
    await writeFile(join(work, 'a'), '1');
    await realGit(work, ['add', '--all']);
    const environment = { GIT_AUTHOR_DATE: '@9000000000000 +0000' };
    await realGit(work, ['commit', '-q', '-m', 'late'], { environment });
    const found = await repository.lastCommits(await push('main'), undefined);
    assert.equal(found.get('a')?.seconds, 253_402_300_799);
  });

  test('are those that git log shows for each, whatever its name', async () => {
    const { repository, tip } = await filled();
    const found = await repository.lastCommits(tip, undefined);
    assert.deepEqual(titles(found), {
      a: 'on a side',
      b: 'change b',
      folder: 'change b',
      'folder.d': 'remove one',
      [strange]: 'first',
      [hexadecimal]: 'first',
    });
    for (const [name, { id, seconds }] of found) {
      const [commit] = await repository.log({ from: tip, path: treePath(name), max: 1 });
      assert.deepEqual([commit?.id, commit?.author.seconds], [id, seconds], name);
    }
    const within = await repository.lastCommits(tip, treePath('folder'));
    assert.deepEqual(titles(within), { x: 'first', deep: 'change b', [strange]: 'first' });
    assert.deepEqual(await repository.lastCommits(tip, treePath('folder')), within, 'again');
  });
});
