/** Checks the documents against the code that they cite, and reports what is wrong. */
import { documentProblems } from './document-rules.ts';
import { errorsPage } from './errors-page.ts';
import { layersPage } from './layers.ts';
import { unexplainedLimits } from './limits.ts';
import { limitsPage } from './limits-page.ts';
import { releasedMigrations } from './released-migrations.ts';
import { openProject } from './project.ts';
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
  const project = openProject();
  const { read } = project;
  const limits = read('docs/limits.md');
  const settings = read('docs/settings.md');
  const architecture = read('ARCHITECTURE.md');
  const released = read('migrations/released.sha256');
  return [
    ...documents.flatMap((path) => documentProblems(path, read(path), project)),
    ...unexplainedLimits(project),
    ...(limits === limitsPage(limits, project)
      ? []
      : ['docs/limits.md does not match the limits in the code: run `npm run docs`.']),
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
