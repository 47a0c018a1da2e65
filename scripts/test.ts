/**
 * Runs the test files whose path contains one of the arguments, or all but those of `npm run test:scenarios`; arguments that
 * begin with a dash go to Node.
 */
import { runTests, scenarioFolders } from './run-tests.ts';

process.exitCode = await runTests(process.argv.slice(2), {
  usual: (file) => !scenarioFolders.some((folder) => file.startsWith(folder)),
});
