import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rootFolder } from './running-server.ts';

/** Why an example cannot run: its command is not installed. */
export function isMissing(command: string, ...args: readonly string[]): string | false {
  return spawnSync(command, args).status === 0 ? false : `${command} ${args.join(' ')} fails here`;
}

/** The code that docs/testing-with-hob.md marks with the name of a file, so that its examples are known to run. */
export async function documentedExample(file: string): Promise<string> {
  const page = await readFile(join(rootFolder, 'docs', 'testing-with-hob.md'), 'utf8');
  const marked = page.split(`<!-- example ${file} -->\n`)[1];
  const code = /^\n```\w+\n([^]*?)^```$/m.exec(marked ?? '')?.[1];
  if (code === undefined) throw new Error(`docs/testing-with-hob.md has no example ${file}.`);
  return code;
}
