/** Writes docs/errors.md anew from the catalogue of refusals. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorsPage } from './errors-page.ts';
import { projectFolder } from './run-tests.ts';

writeFileSync(join(projectFolder, 'docs/errors.md'), errorsPage());
