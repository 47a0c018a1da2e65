/** Opens every page in an installed Chromium; without one, says so and skips. */
import { isBrowserTest, runTests } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';

process.exitCode = await withTestFolder((environment) =>
  runTests(process.argv.slice(2), { environment, usual: isBrowserTest }),
);
