import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';

import { makeEphemeralFolder } from './ephemeral-folder.ts';

test('removes the folders of servers that have ended, and of no others', async () => {
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(ended, 'exit');
  const own = await makeEphemeralFolder();
  const left = await mkdtemp(`${dirname(own)}/hob-ephemeral-${ended.pid}-`);
  const other = await makeEphemeralFolder();
  try {
    await access(own);
    await assert.rejects(access(left), { code: 'ENOENT' });
  } finally {
    for (const folder of [own, left, other]) await rm(folder, { recursive: true, force: true });
  }
});
