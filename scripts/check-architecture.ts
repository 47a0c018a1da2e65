/** Checks every file against the invariants of ARCHITECTURE.md and reports violations, and as a warning what is close to one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { architectureProblems } from './architecture-rules.ts';
import { isNearLinesMax, linesMax } from './file-length.ts';
import { projectFolder } from './test-parts.ts';

const paths = globSync('**/*.{ts,sh,sql}', {
  cwd: projectFolder,
  exclude: ['**/node_modules', 'data'],
}).toSorted();
const files = paths.map((path) => [path, readFileSync(join(projectFolder, path), 'utf8')] as const);
const problems = files.flatMap(([path, text]) => architectureProblems(path, text));
const near = files.filter(([path, text]) => isNearLinesMax(path, text)).map(([path]) => path);
if (near.length > 0) process.stdout.write(`Warning: near ${linesMax} lines: ${near.join(', ')}\n`);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${paths.length} files, ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;
