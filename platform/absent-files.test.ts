import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { ifThere, namesIn } from './absent-files.ts';

describe('what may not be there', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-absent-'));
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a', 'b'), 'text');
  });
  after(() => rm(folder, { recursive: true }));

  it('is undefined, or has no names', async () => {
    for (const path of [join(folder, 'c'), join(folder, 'a', 'b', 'c')]) {
      assert.equal(await ifThere(readFile(path)), undefined);
      assert.deepEqual(await namesIn(path), []);
    }
  });

  it('is read where it is there', async () => {
    assert.equal(await ifThere(readFile(join(folder, 'a', 'b'), 'utf8')), 'text');
    assert.deepEqual(await namesIn(folder), ['a']);
    assert.deepEqual((await namesIn(folder, true)).toSorted(), ['a', join('a', 'b')]);
  });

  it('hides no other error', async () => {
    await assert.rejects(ifThere(readFile(folder)), { code: 'EISDIR' });
    await assert.rejects(namesIn('\0'), { code: 'ERR_INVALID_ARG_VALUE' });
  });
});
