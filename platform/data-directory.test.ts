import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { lockDataDirectory, openDataDirectory } from './data-directory.ts';
import { OperatorError } from './operator-error.ts';

function refused(message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, message);
    return true;
  };
}

describe('the data directory', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-data-'));
    path = join(folder, 'data');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('refuses a folder that holds other things', async () => {
    await mkdir(path);
    await writeFile(join(path, 'thesis.txt'), '');
    await assert.rejects(openDataDirectory(path), refused(/thesis|is not a data directory/));
  });

  it('refuses a folder that others may write to, and a file', async () => {
    await mkdir(path);
    await chmod(path, 0o777);
    await assert.rejects(openDataDirectory(path), refused(/chmod go-w/));
    const file = join(folder, 'file');
    await writeFile(file, '');
    await assert.rejects(openDataDirectory(file), refused(/Cannot use the data directory/));
  });

  it('is closed to other users, whatever it was before', async () => {
    const directory = await openDataDirectory(path);
    await mkdir(join(path, 'functions'));
    await writeFile(join(path, 'hob.sqlite'), '');
    await chmod(join(path, 'functions'), 0o755);
    await chmod(join(path, 'hob.sqlite'), 0o644);
    await chmod(path, 0o755);
    const locked = await lockDataDirectory(directory);
    for (const name of ['.', 'functions', 'repositories', 'sockets']) {
      assert.equal((await stat(join(path, name))).mode & 0o777, 0o700, name);
    }
    for (const name of ['hob.sqlite', 'lock', 'server.pid', 'server-id']) {
      assert.equal((await stat(join(path, name))).mode & 0o777, 0o600, name);
    }
    await locked.release();
  });

  it('refuses a second server, and names the first', async () => {
    const directory = await openDataDirectory(path);
    const locked = await lockDataDirectory(directory);
    await assert.rejects(
      lockDataDirectory(directory),
      refused(new RegExp(`Another server uses .*process ${process.pid}\\)`)),
    );
    await locked.release();
    await (await lockDataDirectory(directory)).release();
  });

  it('says what is wrong where it cannot be locked, and names no other server then', async () => {
    const directory = await openDataDirectory(path);
    await writeFile(join(path, 'server.pid'), '1\n');
    await writeFile(join(path, 'lock'), 'not an empty file');
    await assert.rejects(
      lockDataDirectory(directory),
      refused(/^Cannot lock .* "lock": file is not a database\. .* delete it/),
    );
    await writeFile(join(path, 'lock'), '');
    // Writes to this device fail as those to a full disk do.
    await rm(join(path, 'server.pid'));
    await symlink('/dev/full', join(path, 'server.pid'));
    await assert.rejects(lockDataDirectory(directory), refused(/^Cannot use .*ENOSPC/));
    await rm(join(path, 'server.pid'));
    await (await lockDataDirectory(directory)).release();
  });

  it('is free again when its server was killed', async () => {
    const directory = await openDataDirectory(path);
    const program = `
      import { lockDataDirectory, openDataDirectory } from ${JSON.stringify(import.meta.resolve('./data-directory.ts'))};
      await lockDataDirectory(await openDataDirectory(process.argv[1]));
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, path]);
    await once(child.stdout, 'data');
    await assert.rejects(lockDataDirectory(directory), refused(/Another server/));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await lockDataDirectory(directory)).release();
  });

  it('has an id that stays, and is another than that of others', async () => {
    const idOf = async (directory: string): Promise<string> => {
      const locked = await lockDataDirectory(await openDataDirectory(directory));
      await locked.release();
      return locked.serverId;
    };
    const id = await idOf(path);
    assert.equal(await idOf(path), id);
    assert.notEqual(await idOf(join(folder, 'other')), id);
    await writeFile(join(path, 'server-id'), 'damaged');
    const replaced = await idOf(path);
    assert.match(replaced, /^[0-9a-f-]{36}$/);
    assert.equal(await idOf(path), replaced);
  });

  it('is for its owner only', async () => {
    const locked = await lockDataDirectory(await openDataDirectory(path));
    for (const inside of [path, locked.repositoriesFolder, locked.socketsFolder]) {
      assert.equal((await stat(inside)).mode & 0o777, 0o700);
    }
    await locked.release();
  });

  it('keeps sockets elsewhere when its own path is too long for them', async () => {
    const long = join(folder, 'x'.repeat(100));
    const locked = await lockDataDirectory(await openDataDirectory(long));
    assert.ok(locked.socketsFolder.length < 80);
    await locked.release();
    await assert.rejects(stat(locked.socketsFolder), /ENOENT/);
  });

  it('may be a fresh volume', async () => {
    await mkdir(join(path, 'lost+found'), { recursive: true });
    await openDataDirectory(path);
    await openDataDirectory(path);
  });
});
