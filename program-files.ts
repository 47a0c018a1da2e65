import { join } from 'node:path';

// An import of node:fs gets at every export of it, which a client that starts anew for every command would wait for.
const { readFileSync } = process.getBuiltinModule('node:fs');

/** Files that come with the program. */
export const migrationsFolder: string = join(import.meta.dirname, 'migrations');

/** The program's version, as its package says. */
export function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
