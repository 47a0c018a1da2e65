/**
 * Runs the test files whose path contains one of the arguments, or all but those of `npm run test:scenarios` and
 * `npm run test:pages`; arguments that begin with a dash go to Node.
 */
import { runTests } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';
import { isBrowserTest, isScenario } from './test-kinds.ts';

process.exitCode = await withTestFolder((environment) =>
  runTests(process.argv.slice(2), {
    environment,
    usual: (file) => !isBrowserTest(file) && !isScenario(file),
  }),
);
