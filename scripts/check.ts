/** Every static check of the code; each is reported, and one that fails makes the whole fail. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { projectFolder } from './test-parts.ts';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** What mends most of what it finds. */
  readonly mend?: string;
}

const checks: readonly Check[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet'] },
  { name: 'format', command: ['oxfmt', '--check', '**/*.ts'], mend: 'npm run format' },
  { name: 'architecture', command: ['node', join(import.meta.dirname, 'check-architecture.ts')] },
  { name: 'unused code', command: ['knip', '--no-progress'] },
  {
    name: 'documents',
    command: ['node', join(import.meta.dirname, 'check-docs.ts')],
    mend: 'npm run docs',
  },
];

for (const { name, command, mend } of checks) {
  const [program = '', ...args] = command;
  const result = spawnSync(join(projectFolder, 'node_modules/.bin', program), args, {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  const good = result.status === 0;
  if (!good) {
    process.stdout.write(`${result.stdout}${result.stderr}${result.error?.message ?? ''}\n`);
    process.exitCode = 1;
  }
  const hint = mend === undefined ? '' : ` (mend with ${mend})`;
  const warnings = result.stdout?.match(/^Warning: .*\n/gm) ?? [];
  if (good) process.stdout.write(warnings.join(''));
  process.stdout.write(good ? `ok     ${name}\n` : `FAILED ${name}${hint}\n`);
}
