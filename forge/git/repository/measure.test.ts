import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { RepositorySize } from '../git.ts';
import { measureObjects } from './measure.ts';

describe('the size of a repository', () => {
  let objects: string;
  const indexBytes = 8 + 256 * 4;

  before(async () => {
    objects = await mkdtemp(join(tmpdir(), 'hob-measure-'));
    await mkdir(join(objects, 'pack'));
    for (const folder of Array.from({ length: 16 }, (_, at) => `a${at.toString(16)}`)) {
      await mkdir(join(objects, folder));
      for (let object = 0; object < 5; object += 1) {
        await writeFile(join(objects, folder, `${object}`.repeat(38)), 'x'.repeat(5000));
      }
    }
    for (let pack = 0; pack < 10; pack += 1) {
      const index = Buffer.alloc(indexBytes);
      index.writeUInt32BE(7, indexBytes - 4);
      await writeFile(join(objects, 'pack', `pack-${pack}.idx`), index);
      await writeFile(join(objects, 'pack', `pack-${pack}.pack`), 'x'.repeat(3064));
    }
  });
  after(() => rm(objects, { recursive: true, force: true }));

  const all = { looseObjects: 1000, packs: 1000 };

  for (const { name, most } of [
    { name: 'all loose objects', most: { ...all, looseObjects: 12 } },
    { name: 'all of a folder', most: { ...all, looseObjects: 2 } },
    { name: 'all packs', most: { ...all, packs: 3 } },
  ]) {
    it(`is estimated where not ${name} are looked at`, async () => {
      const exact: RepositorySize = await measureObjects(objects, all);
      assert.deepEqual(
        [exact.looseObjects, exact.packs, exact.packedObjects, exact.kibibytes >= 40 + 16 * 5 * 4],
        [80, 10, 70, true],
      );
      assert.deepEqual(await measureObjects(objects, most), exact);
    });
  }

  it('looks at no more than that', async () => {
    // Of a file that is no pack an estimate knows nothing, or nothing else, as the order of the folder has it.
    await writeFile(join(objects, 'pack', 'pack-z.idx'), '');
    const { packs } = await measureObjects(objects, { ...all, packs: 1 });
    assert.ok([0, 11].includes(packs), String(packs));
    assert.equal((await measureObjects(objects, all)).packs, 10);
    await rm(join(objects, 'pack', 'pack-z.idx'));
    // A folder without objects, of which an estimate knows as little.
    await mkdir(join(objects, 'ff'));
    const { looseObjects } = await measureObjects(objects, { ...all, looseObjects: 5 });
    assert.notEqual(looseObjects, 80);
    assert.equal((await measureObjects(objects, all)).looseObjects, 80);
    await rm(join(objects, 'ff'), { recursive: true });
  });
});
