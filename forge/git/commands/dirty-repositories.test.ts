import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { suite, test } from 'node:test';

import { DirtyRepositories } from './dirty-repositories.ts';
import { temporaryFolder } from '../testing/real-git.ts';

async function setUp() {
  const temporary = await temporaryFolder();
  const cleaned: number[] = [];
  const dirty = new DirtyRepositories(temporary.path, async (id) => {
    cleaned.push(id);
  });
  return { dirty, cleaned, marked: () => readdir(temporary.path), temporary };
}

suite('dirty repositories', () => {
  test('are marked exactly while a writer runs', async () => {
    const { dirty, cleaned, marked, temporary } = await setUp();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const one = dirty.during(7, () => first.promise);
    const other = dirty.during(7, async () => {
      assert.deepEqual(await marked(), ['7']);
      await second.promise;
    });
    first.resolve();
    await one;
    assert.deepEqual(await marked(), ['7']);
    second.resolve();
    await other;
    assert.deepEqual(await marked(), []);
    assert.deepEqual(cleaned, []);
    await temporary.remove();
  });

  test('are marked again for a writer that comes while the last one leaves', async () => {
    const { dirty, marked, temporary } = await setUp();
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        dirty.during(index % 3, async () => {
          assert.ok((await marked()).includes(String(index % 3)));
        }),
      ),
    );
    assert.deepEqual(await marked(), []);
    await temporary.remove();
  });

  test('are cleaned by the last writer when one of them failed or was killed', async () => {
    const { dirty, cleaned, marked, temporary } = await setUp();
    const slow = Promise.withResolvers<void>();
    const one = dirty.during(7, () => slow.promise);
    await assert.rejects(
      dirty.during(7, () => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.deepEqual(cleaned, []);
    slow.resolve();
    await one;
    assert.deepEqual(cleaned, [7]);
    await dirty.during(8, async () => dirty.writerKilled(8));
    await dirty.during(8, async () => {});
    assert.deepEqual(cleaned, [7, 8]);
    assert.deepEqual(await marked(), []);
    await temporary.remove();
  });

  test('stay marked while they cannot be cleaned, which fails no work', async () => {
    const temporary = await temporaryFolder();
    let broken = true;
    const dirty = new DirtyRepositories(temporary.path, async () => {
      if (broken) throw new Error('the disk is read only');
    });
    assert.equal(
      await dirty.during(7, async () => {
        dirty.writerKilled(7);
        return 'done';
      }),
      'done',
    );
    assert.deepEqual(await readdir(temporary.path), ['7']);
    await dirty.during(7, async () => {});
    assert.deepEqual(await readdir(temporary.path), ['7']);
    broken = false;
    await dirty.during(7, async () => {});
    assert.deepEqual(await readdir(temporary.path), []);
    await temporary.remove();
  });

  test('cannot be written to where they cannot be marked', async () => {
    const { dirty, temporary } = await setUp();
    await rm(temporary.path, { recursive: true });
    await assert.rejects(
      dirty.during(7, async () => assert.fail('ran')),
      { code: 'ENOENT' },
    );
    await temporary.remove();
  });
});
