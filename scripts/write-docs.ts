/** Writes the generated documents: docs/errors.md, and the tables of docs/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorsPage } from './errors-page.ts';
import { projectFolder } from './run-tests.ts';
import { settingsPage } from './settings-page.ts';

const settings = join(projectFolder, 'docs/settings.md');

writeFileSync(join(projectFolder, 'docs/errors.md'), errorsPage());
writeFileSync(settings, settingsPage(readFileSync(settings, 'utf8')));
