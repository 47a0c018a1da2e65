/** A server for tests (docs/testing-with-hob.md), from the npm package: how long a test file waits for one, and a test for a reset. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { rootFolder } from '../scenarios/running-server.ts';
import type * as Package from '../start-hob.ts';
import type { Hob } from '../start-hob.ts';
import { progress, timed } from './server-under-test.ts';
import { median, type Table } from './table.ts';

const rounds = 5;
const resetsOfOne = 3;
const repositories = 5;

export async function measureTestServer(table: Table): Promise<void> {
  progress('servers for tests');
  const built = spawnSync(process.execPath, [join(rootFolder, 'scripts', 'build-package.ts')]);
  if (built.status !== 0) throw new Error(`The package was not built: ${String(built.stderr)}`);
  const { startHob }: typeof Package = await import(
    join(rootFolder, 'dist', 'hob', 'start-hob.js')
  );
  // The first finds no compiled code.
  await (await startHob()).close();
  const starts: number[] = [];
  const resets: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await using hob = await startHob();
    starts.push(performance.now() - began);
    for (let reset = 0; reset < resetsOfOne; reset += 1) {
      await fillServer(hob);
      resets.push(await timed(() => hob.reset()));
    }
  }
  table.add('startHob(), from process start to ready', median(starts), 'ms', 'at most 400');
  table.add(`reset with ${repositories} repositories`, median(resets), 'ms', 'at most 200');
}

async function fillServer({ apiUrl, token }: Hob): Promise<void> {
  const headers = { authorization: `token ${token}`, 'user-agent': 'hob-bench' };
  for (let number = 0; number < repositories; number += 1) {
    const body = JSON.stringify({ name: `r${number}`, auto_init: true });
    const made = await fetch(`${apiUrl}/user/repos`, { method: 'POST', headers, body });
    if (!made.ok) throw new Error(`POST /user/repos responded ${made.status}`);
    await made.text();
  }
}
