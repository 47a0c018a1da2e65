import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { imageStorage } from './temporary-storage.ts';

describe('temporary storage in files', () => {
  let folder = '';
  let images = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-storage-'));
    images = join(folder, 'images');
    await mkdir(images);
  });
  after(() => rm(folder, { recursive: true }));

  /** A tool that does nothing, and fails from its second use on. */
  async function failingTool(): Promise<string> {
    const path = join(folder, 'mkfs');
    const script = `#!/bin/sh\n[ ! -e ${folder}/used ] || { : > ${folder}/failed; echo 'No space left on device' >&2; exit 1; }\n: > ${folder}/used\n`;
    await writeFile(path, script, { mode: 0o755 });
    return path;
  }

  it('outlives a file that cannot be made ahead, says why when one is asked for, and leaves nothing', async () => {
    const mkfs = await failingTool();
    const tools = { 'mkfs.ext4': mkfs, mount: '/bin/true', umount: '/bin/true' };
    const storage = imageStorage(tools, images, join(folder, 'mounts'), 0);
    const made = await storage.make('a', 8, undefined);
    // The next one is made ahead, and fails: no one asked for it.
    while (!existsSync(join(folder, 'failed')) || (await readdir(images)).length > 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // There is room again.
    await rm(join(folder, 'used'));
    const next = await storage.make('b', 8, undefined);
    await assert.rejects(storage.make('c', 8, undefined), /No space left on device/);
    await made.remove();
    await next.remove();
    await storage.close();
    assert.deepEqual(await readdir(images), []);
  });
});
