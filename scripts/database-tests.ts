import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What opens a database of the engine that the run is for. */
const databaseOfTests = ['platform/testing/test-database.ts', 'platform/testing/test-postgres.ts'];

const importedPath = /(?:from|import|import\()\s*['"]([#.][^'"]+\.ts)['"]/g;

/** Finds which files of a project can open a database, by what they import: the others have nothing to show on another engine. */
export function opensDatabase(projectFolder: string): (file: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  const importsOf = (file: string): ReadonlySet<string> => {
    const before = known.get(file);
    if (before) return before;
    const path = join(projectFolder, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const imports = new Set(
      [...text.matchAll(importedPath)].map(([, name = '']) =>
        name.startsWith('#') ? name.slice(1) : join(dirname(file), name),
      ),
    );
    known.set(file, imports);
    return imports;
  };
  return (file) => {
    const reached = new Set([file]);
    for (const each of reached) for (const next of importsOf(each)) reached.add(next);
    return databaseOfTests.some((each) => reached.has(each));
  };
}
