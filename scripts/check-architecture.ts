/** Checks every file against the invariants of ARCHITECTURE.md and reports violations. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { architectureProblems } from './architecture-rules.ts';
import { projectFolder } from './test-parts.ts';

const paths = globSync('**/*.{ts,sh,sql}', {
  cwd: projectFolder,
  exclude: ['**/node_modules', 'data'],
}).toSorted();
const problems = paths.flatMap((path) =>
  architectureProblems(path, readFileSync(join(projectFolder, path), 'utf8')),
);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${paths.length} files, ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;
