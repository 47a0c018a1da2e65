import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that the program finds beside itself. */
export const migrationsFolder: string = join(import.meta.dirname, 'migrations');

/** The program's version, as its package says. */
export function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
