/** Builds the client as one executable file, and runs the client's tests and the examples with that. */
import { clientExecutable } from './build-client.ts';
import { runTests } from './run-tests.ts';

const args = process.argv.slice(2);
const filters = args.some((word) => !word.startsWith('-')) ? [] : ['cli/', 'examples/'];
process.exitCode = await runTests([...filters, ...args], {
  environment: {
    HOB_CLIENT_EXECUTABLE: clientExecutable,
  },
});
