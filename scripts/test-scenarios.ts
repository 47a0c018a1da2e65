/** Runs the scenarios, faults and examples, or those whose path contains one of the arguments. */
import { canBeOffline, offlineScenarios } from '../scenarios/offline.ts';
import { isBrowserTest, isScenario, runTests } from './run-tests.ts';

// Those that run without a network by scenarios/offline.scenario.test.ts do not run with one as well: it has nothing to add.
const elsewhere = canBeOffline() ? offlineScenarios : [];

process.exitCode = await runTests(process.argv.slice(2), {
  usual: (file) => isScenario(file) && !isBrowserTest(file) && !elsewhere.includes(file),
});
