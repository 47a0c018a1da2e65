/**
 * Runs every test that depends on the database, scenarios included, on a PostgreSQL of its own, which lives in a temporary folder as
 * long as the suite runs.
 */
import { dependsOnDatabase } from './database-tests.ts';
import { startPostgres } from './private-postgres.ts';
import { runTests } from './run-tests.ts';
import { withTestFolder } from './test-folder.ts';
import { isBrowserTest } from './test-kinds.ts';
import { projectFolder } from './test-parts.ts';

// The tests get the signal too, and their end is ours: PostgreSQL must not be left behind.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.exitCode = await withTestFolder(async (environment) => {
  const depends = dependsOnDatabase(projectFolder);
  const postgres = startPostgres('fast', environment['TMPDIR']);
  try {
    return await runTests(process.argv.slice(2), {
      environment: { ...environment, DATABASE_URL: postgres.url },
      // What a browser shows does not depend on the engine.
      usual: (file) => !isBrowserTest(file) && depends(file),
    });
  } finally {
    postgres.stop();
  }
});
