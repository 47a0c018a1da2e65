/** Opens every page in an installed Chromium; without one, says so and skips. */
import { runTests } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';
import { isBrowserTest } from './test-kinds.ts';

process.exitCode = await withTestFolder((environment) =>
  runTests(process.argv.slice(2), { environment, usual: isBrowserTest }),
);
