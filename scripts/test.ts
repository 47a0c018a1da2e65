/**
 * Runs the test files whose path contains one of the arguments, or all but those of `npm run test:scenarios`; arguments that
 * begin with a dash go to Node.
 */
import { runTests, scenarioFolders } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';

process.exitCode = await withTestFolder((environment) =>
  runTests(process.argv.slice(2), {
    environment,
    usual: (file) => !scenarioFolders.some((folder) => file.startsWith(folder)),
  }),
);
