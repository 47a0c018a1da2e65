/** A server for tests (docs/testing-with-hob.md), from the npm package: how long a test file waits for one, and a test for its state. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { rootFolder } from '../scenarios/running-server.ts';
import type * as Package from '../start-hob.ts';
import { isQuiet } from './machine.ts';
import { progress, timed } from './server-under-test.ts';
import { median, type Table } from './table.ts';

const rounds = 5;
const roundsOfOne = 3;
const repositories = 5;
const seed = {
  repositories: Array.from({ length: repositories }, (_, number) => ({
    name: `root/r${number}`,
    commits: [{ files: { 'README.md': '# A repository' } }],
  })),
  functions: [{ name: 'worker', files: { 'index.mjs': 'export const handler = async () => 1;' } }],
};

export async function measureTestServer(table: Table): Promise<void> {
  const wasQuiet = await isQuiet();
  progress('servers for tests');
  const built = spawnSync(process.execPath, [join(rootFolder, 'scripts', 'build-package.ts')]);
  if (built.status !== 0) throw new Error(`The package was not built: ${String(built.stderr)}`);
  const { startHob }: typeof Package = await import(
    join(rootFolder, 'dist', 'hob', 'start-hob.js')
  );
  // The first finds no compiled code.
  await (await startHob()).close();
  const starts: number[] = [];
  const snapshots: number[] = [];
  const restores: number[] = [];
  const resets: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await using hob = await startHob();
    starts.push(performance.now() - began);
    for (let time = 0; time < roundsOfOne; time += 1) {
      await hob.control('POST', 'seed', seed);
      snapshots.push(await timed(() => hob.snapshot('seeded')));
      restores.push(await timed(() => hob.restore('seeded')));
      resets.push(await timed(() => hob.reset()));
    }
  }
  const most = wasQuiet && (await isQuiet()) ? 400 : undefined;
  table.add('startHob(), from process start to ready', median(starts), 'ms', 'at most 400', most);
  const what = `with ${repositories} repositories and a function`;
  table.add(`snapshot ${what}`, median(snapshots), 'ms', 'at most 200');
  table.add(`restore ${what}`, median(restores), 'ms', 'at most 200');
  table.add(`reset ${what}`, median(resets), 'ms', 'at most 200');
}
