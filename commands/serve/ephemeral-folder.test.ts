import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';

import { lockDataDirectory, openDataDirectory } from '#platform/data-directory.ts';

import { makeEphemeralFolder } from './ephemeral-folder.ts';

test('removes the folders of servers that have ended, and of no others', async () => {
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(ended, 'exit');
  const own = await makeEphemeralFolder();
  const folders = [own];
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(`${dirname(own)}/hob-ephemeral-${ended.pid}-`);
    folders.push(folder);
    return folder;
  };
  // As that of a server in another container, whose number is of no process here.
  const used = await newFolder();
  const locked = await lockDataDirectory(await openDataDirectory(used));
  const left = await newFolder();
  await (await lockDataDirectory(await openDataDirectory(left))).release();
  const begun = await newFolder();
  const neverUsed = await newFolder();
  await utimes(neverUsed, 1000, 1000);
  try {
    folders.push(await makeEphemeralFolder());
    for (const folder of [own, used, begun]) await access(folder);
    for (const folder of [left, neverUsed])
      await assert.rejects(access(folder), { code: 'ENOENT' }, folder);
  } finally {
    await locked.release();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
});
