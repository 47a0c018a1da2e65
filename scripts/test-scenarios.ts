/** Runs the scenarios, faults and examples, or those whose path contains one of the arguments. */
import { isBrowserTest, runTests, scenarioFolders } from './run-tests.ts';

process.exitCode = await runTests(process.argv.slice(2), {
  usual: (file) =>
    !isBrowserTest(file) && scenarioFolders.some((folder) => file.startsWith(folder)),
});
