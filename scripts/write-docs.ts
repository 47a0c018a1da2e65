/**
 * Writes the generated documents: docs/errors.md, the tables of docs/settings.md and docs/limits.md, the pictures of layers in ARCHITECTURE.md
 * and the checksums of new migrations.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorsPage } from './errors-page.ts';
import { layersPage } from './layers.ts';
import { limitsPage } from './limits-page.ts';
import { openProject } from './project.ts';
import { releasedMigrations } from './released-migrations.ts';
import { projectFolder } from './test-parts.ts';
import { settingsPage } from './settings-page.ts';

write('docs/errors.md', () => errorsPage());
write('docs/settings.md', settingsPage);
write('docs/limits.md', (page) => limitsPage(page, openProject()));
write('ARCHITECTURE.md', layersPage);
write('migrations/released.sha256', (page) => releasedMigrations(page));

function write(path: string, generate: (page: string) => string): void {
  const file = join(projectFolder, path);
  writeFileSync(file, generate(readFileSync(file, 'utf8')));
}
