/** Checks the documents against the code that they cite, and reports what is wrong. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { documentProblems, type Project, undocumentedLimits } from './document-rules.ts';
import { errorsPage } from './errors-page.ts';
import { layersPage } from './layers.ts';
import { releasedMigrations } from './released-migrations.ts';
import { projectFolder } from './test-parts.ts';
import { settingsPage } from './settings-page.ts';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'cli/README.md',
  'forge/README.md',
  'functions/README.md',
  'platform/README.md',
  'scenarios/README.md',
  'docs/errors.md',
  'docs/glossary.md',
  'docs/limits.md',
  'docs/reliability.md',
  'docs/settings.md',
  'docs/spec-map.md',
  'docs/unspecified.md',
];

const problems = findProblems();
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${documents.length} documents, ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;

function findProblems(): string[] {
  const files = globSync('**/*', { cwd: projectFolder, exclude: ['**/node_modules', 'data'] });
  const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8');
  const project: Project = { files, read };
  const settings = read('docs/settings.md');
  const architecture = read('ARCHITECTURE.md');
  const released = read('migrations/released.sha256');
  return [
    ...documents.flatMap((path) => documentProblems(path, read(path), project)),
    ...undocumentedLimits(read('docs/limits.md'), project),
    ...(read('docs/errors.md') === errorsPage()
      ? []
      : ['docs/errors.md does not match the error catalogue: run `npm run docs`.']),
    ...(settings === settingsPage(settings)
      ? []
      : ['docs/settings.md does not match the setting tables: run `npm run docs`.']),
    ...(architecture === layersPage(architecture)
      ? []
      : ['ARCHITECTURE.md does not match the layers: run `npm run docs`.']),
    ...(released === releasedMigrations(released)
      ? []
      : ['migrations/released.sha256 does not list the migrations: run `npm run docs`.']),
  ];
}
