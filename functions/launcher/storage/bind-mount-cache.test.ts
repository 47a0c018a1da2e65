import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { BindMountCache } from './bind-mount-cache.ts';

/** Stands in for `mount` and `umount`: writes down what it was asked for. */
const pretender = (name: string, log: string): string =>
  `#!/bin/sh\necho ${name} "$@" >>'${log}'\ncase "$*" in *unmountable*) exit 1; esac\n`;

describe('reachable folders', () => {
  let folder: string;
  let open: string;
  let closed: string;
  let reachable: BindMountCache;
  const otherUser = 12345;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-reachable-'));
    await chmod(folder, 0o755);
    open = join(folder, 'open', 'code');
    closed = join(folder, 'closed', 'code');
    await mkdir(open, { recursive: true });
    await mkdir(closed, { recursive: true });
    await chmod(join(folder, 'closed'), 0o700);
    for (const name of ['mount', 'umount']) {
      await writeFile(join(folder, name), pretender(name, join(folder, 'log')), { mode: 0o755 });
    }
  });
  beforeEach(async () => {
    await writeFile(join(folder, 'log'), '');
    const tools = {
      sh: '/bin/sh',
      mount: join(folder, 'mount'),
      umount: join(folder, 'umount'),
    };
    reachable = new BindMountCache(tools, await mkdtemp(join(folder, 'mounts-')));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const log = async (): Promise<string[]> =>
    (await readFile(join(folder, 'log'), 'utf8')).split('\n').filter((line) => line !== '');

  test('a path that cannot be mounted is an error, and tried again', async () => {
    const path = join(folder, 'closed', 'unmountable');
    await mkdir(path);
    await assert.rejects(reachable.use([path], otherUser), /failed/);
    await assert.rejects(reachable.use([path], otherUser), /failed/);
    assert.equal((await log()).length, 2);
  });

  test('what everybody may walk to is not mounted, nor what we show ourselves', async () => {
    assert.deepEqual((await reachable.use([open], otherUser)).paths, [open]);
    assert.deepEqual((await reachable.use([closed], undefined)).paths, [closed]);
    assert.deepEqual(await log(), []);
  });

  test('what another user may not traverse is mounted once, for all at a time and for the next', async () => {
    const [one, other] = await Promise.all([
      reachable.use([open, closed], otherUser),
      reachable.use([closed], otherUser),
    ]);
    assert.deepEqual(one.paths, [open, other.paths[0]]);
    assert.notEqual(other.paths[0], closed);
    await one.release();
    await other.release();
    const next = await reachable.use([closed], otherUser + 1);
    assert.deepEqual(next.paths, other.paths);
    assert.deepEqual(await log(), [`mount --rbind ${closed} ${other.paths[0]}`]);
  });

  test('all that lies in one closed folder shares a mount', async () => {
    const paths = [join(closed, 'a', 'b'), join(closed, 'c'), closed];
    for (const path of paths) await mkdir(path, { recursive: true });
    const use = await reachable.use(paths, otherUser);
    const [, , mounted] = use.paths;
    assert.deepEqual(use.paths, [`${mounted}/a/b`, `${mounted}/c`, mounted]);
    assert.deepEqual(await log(), [`mount --rbind ${closed} ${mounted}`]);
  });

  test('a folder made anew under the same name is another one', async () => {
    const path = join(folder, 'closed', 'again');
    await mkdir(path);
    const first = await reachable.use([path], otherUser);
    // The number of a removed folder would be given out again at once.
    await mkdir(join(folder, 'closed', 'new'));
    await rm(path, { recursive: true });
    await rename(join(folder, 'closed', 'new'), path);
    const second = await reachable.use([path], otherUser);
    assert.notDeepEqual(second.paths, first.paths);
  });

  test('of what no one uses only the latest are retained', async () => {
    for (let count = 0; count < 70; count += 1) {
      const path = join(folder, 'closed', `many-${count}`);
      await mkdir(path);
      const use = await reachable.use([path], otherUser);
      await use.release();
    }
    const lines = await log();
    assert.equal(lines.filter((line) => line.startsWith('mount ')).length, 70);
    assert.equal(lines.filter((line) => line.startsWith('umount ')).length, 6);
  });
});
