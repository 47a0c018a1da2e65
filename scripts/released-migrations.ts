import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from './test-parts.ts';

/**
 * migrations/released.sha256 with the checksums of new files, and without those of removed ones. The line of a file that has one stays: a test
 * refuses a released migration that was changed.
 */
export function releasedMigrations(
  page: string,
  folder = join(projectFolder, 'migrations'),
): string {
  const lines = new Map(
    page
      .trim()
      .split('\n')
      .map((line) => [line.slice(line.indexOf('  ') + 2), line]),
  );
  const names = globSync('*.sql', { cwd: folder }).toSorted();
  return names
    .map((name) => `${lines.get(name) ?? `${checksum(join(folder, name))}  ${name}`}\n`)
    .join('');
}

function checksum(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
