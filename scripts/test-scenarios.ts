/** Runs the scenarios, faults and examples, or those whose path contains one of the arguments. */
import { canBeOffline, offlineScenarios } from '../scenarios/offline.ts';
import { runTests } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';
import { isBrowserTest, isScenario } from './test-kinds.ts';

// Those that run without a network by scenarios/offline.scenario.test.ts do not run with one as well: it has nothing to add.
const elsewhere = canBeOffline() ? offlineScenarios : [];

process.exitCode = await withTestFolder((environment) =>
  runTests(process.argv.slice(2), {
    environment,
    usual: (file) => isScenario(file) && !isBrowserTest(file) && !elsewhere.includes(file),
  }),
);
