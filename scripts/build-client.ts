/**
 * Makes one executable file of the client, `dist/hob-client`, which needs neither Node nor this folder. Bun compiles it, which
 * starts fastest; where Bun does not run, and with `--node`, it is Node with the client inside.
 */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { buildWithBun, findBun } from './build-with-bun.ts';
import { buildWithNode } from './build-with-node.ts';
import { projectFolder } from './test-parts.ts';

const entry = join(import.meta.dirname, 'build-client-entry.ts');
export const clientExecutable: string = join(projectFolder, 'dist', 'hob-client');
const unfinished = `${clientExecutable}.${process.pid}`;

const started = performance.now();
const bun = process.argv.includes('--node') ? undefined : findBun();
mkdirSync(dirname(clientExecutable), { recursive: true });
try {
  if (bun === undefined) buildWithNode(entry, unfinished);
  else buildWithBun(bun, entry, unfinished);
  // A running client still uses the file it was started from.
  renameSync(unfinished, clientExecutable);
} finally {
  rmSync(unfinished, { force: true });
}
const mebibytes = statSync(clientExecutable).size / 2 ** 20;
const seconds = (performance.now() - started) / 1000;
process.stdout.write(
  `dist/hob-client (${bun === undefined ? 'Node' : 'Bun'}, ${mebibytes.toFixed(0)} MiB) in ${seconds.toFixed(1)} s\n`,
);
