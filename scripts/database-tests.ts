import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What opens a database of the engine that the run is for. */
const databaseOfTests = ['platform/testing/test-database.ts', 'platform/testing/test-postgres.ts'];

const importedPath = /(?:from|import|import\()\s*['"]([#.][^'"]+\.ts)['"]/g;

/** A test whose comments say so has nothing to show on another engine although its servers have a database; the comment says why. */
const onOneEngine = /^\/\/ Runs on SQLite alone: /m;

/** Finds which files of a project run on another engine too: those that can open a database, by what they import. */
export function dependsOnDatabase(projectFolder: string): (file: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  const textOf = (file: string): string => {
    const path = join(projectFolder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const importsOf = (file: string): ReadonlySet<string> => {
    const before = known.get(file);
    if (before) return before;
    const imports = new Set(
      [...textOf(file).matchAll(importedPath)].map(([, name = '']) =>
        name.startsWith('#') ? name.slice(1) : join(dirname(file), name),
      ),
    );
    known.set(file, imports);
    return imports;
  };
  return (file) => {
    if (onOneEngine.test(textOf(file))) return false;
    const reached = new Set([file]);
    for (const each of reached) for (const next of importsOf(each)) reached.add(next);
    return databaseOfTests.some((each) => reached.has(each));
  };
}
