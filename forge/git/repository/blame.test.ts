import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { realGit } from '../testing/real-git.ts';
import { objectId, treePath, useTestGit } from '../testing/test-git.ts';

suite('blame', () => {
  const { newRepository } = useTestGit();

  test('says of each line which commit it is from, and what was before', async () => {
    const { repository, work, commit, push } = await newRepository();
    const name = 'ä "b".txt';
    await writeFile(join(work, 'a.txt'), 'one\ntwo\nthree\nfour\n');
    const first = await commit('First\n\nwith a body');
    await writeFile(join(work, 'a.txt'), 'one\nTWO\nthree\nfour\n');
    const second = await commit('Second');
    await realGit(work, ['mv', 'a.txt', name]);
    await writeFile(join(work, name), 'one\nTWO\nthree\nFOUR\nfive\n');
    const third = await commit('Third');
    await push('main');
    const lines = await repository.blame(third, treePath(name));
    assert.deepEqual(
      lines.map(({ from, count, commit: id, title }) => [from, count, id, title]),
      [
        [1, 1, first, 'First'],
        [2, 1, second, 'Second'],
        [3, 1, first, 'First'],
        [4, 2, third, 'Third'],
      ],
    );
    assert.equal(lines[0]?.previous, undefined);
    assert.deepEqual(lines[1]?.previous, { commit: first, path: 'a.txt' });
    assert.deepEqual(lines[3]?.previous, { commit: second, path: 'a.txt' });
    assert.ok(lines.every(({ author, seconds }) => author !== '' && seconds > 1_000_000_000));
  });

  test('fails for a file or a commit that is not there', async () => {
    const { repository, work, commit, push } = await newRepository();
    await writeFile(join(work, 'a.txt'), 'one\n');
    const tip = await commit('First');
    await push('main');
    await assert.rejects(repository.blame(tip, treePath('b.txt')), { kind: 'failed' });
    await assert.rejects(repository.blame(objectId('1'.repeat(40)), treePath('a.txt')), {
      kind: 'failed',
    });
  });

  test('has times that a date can have, whatever number a commit has', async () => {
    const { repository, work, push } = await newRepository();
    await writeFile(join(work, 'a.txt'), 'one\n');
    await realGit(work, ['add', '--all']);
    const environment = { GIT_AUTHOR_DATE: '@9000000000000 +0000' };
    await realGit(work, ['commit', '-q', '-m', 'Late'], { environment });
    const [lines] = await repository.blame(await push('main'), treePath('a.txt'));
    assert.equal(lines?.seconds, 253_402_300_799);
  });

  test('has no lines for an empty file', async () => {
    const { repository, work, commit, push } = await newRepository();
    await writeFile(join(work, 'a.txt'), '');
    const tip = await commit('First');
    await push('main');
    assert.deepEqual(await repository.blame(tip, treePath('a.txt')), []);
  });
});
