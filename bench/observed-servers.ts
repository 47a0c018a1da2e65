/** Two servers in one process, on data folders in this folder: the variables of the second argument (JSON) are for the second one only. */
import { once } from 'node:events';
import { join } from 'node:path';

import { serve, type Serving } from '../commands/serve/serve.ts';
import { readSettings } from '../settings/settings.ts';

const [folder = '', variables = '{}'] = process.argv.slice(2);

const plain = await start('plain');
Object.assign(process.env, JSON.parse(variables));
const observed = await start('observed');
for (const { welcome } of [plain, observed]) print(welcome[0] ?? '');
await once(process, 'SIGTERM');
await Promise.all([plain.stop(), observed.stop()]);

async function start(name: string): Promise<Serving> {
  const read = readSettings(['--port', '0', '--data', join(folder, name)]);
  if (read.kind === 'problems') throw new Error(read.problems.join('\n'));
  return serve(read.settings, print);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
