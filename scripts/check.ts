/** Everything that can be said of the code without running it; each check is told, and any that fails fails the whole. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { projectFolder } from './run-tests.ts';

const checks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet'] },
  { name: 'format', command: ['oxfmt', '--check', '**/*.ts'] },
  { name: 'architecture', command: ['node', join(import.meta.dirname, 'check-architecture.ts')] },
  { name: 'unused code', command: ['knip', '--no-progress'] },
  { name: 'documents', command: ['node', join(import.meta.dirname, 'check-docs.ts')] },
];

for (const { name, command } of checks) {
  const [program = '', ...words] = command;
  const result = spawnSync(join(projectFolder, 'node_modules/.bin', program), words, {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  const good = result.status === 0;
  if (!good) {
    process.stdout.write(`${result.stdout}${result.stderr}${result.error?.message ?? ''}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`${good ? 'ok    ' : 'FAILED'} ${name}\n`);
}
