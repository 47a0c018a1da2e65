/** Runs the test files whose path contains one of the arguments, or all; arguments that begin with a dash go to Node. */
import { runTests } from './run-tests.ts';

process.exitCode = await runTests(process.argv.slice(2), {});
