import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { rootFolder } from './running-server.ts';

/** The code under a file's name in docs/testing-with-hob.md, so that the examples there are known to run. */
export async function documentedExample(file: string): Promise<string> {
  const page = await readFile(join(rootFolder, 'docs', 'testing-with-hob.md'), 'utf8');
  const name = RegExp.escape(`\`${file}\``);
  const code = new RegExp(`^[^\\n]*${name}[^\\n]*:\\n\\n\`\`\`\\w+\\n([^]*?)\`\`\`$`, 'm').exec(
    page,
  )?.[1];
  if (code === undefined) throw new Error(`docs/testing-with-hob.md has no example ${file}.`);
  return code;
}
