import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { missingForDisks } from './host.ts';

describe('a server that is disturbed', () => {
  const run = promisify(execFile);
  const missing = missingForDisks() ?? (testPostgresUrl === undefined ? undefined : 'is of SQLite');

  for (const fault of ['power-cut', 'full-disk']) {
    const skip = missing === undefined ? false : missing;
    test(`by ${fault} loses nothing that was acknowledged`, { skip }, async () => {
      const program = join(import.meta.dirname, 'run.ts');
      const { stdout } = await run(process.execPath, [program, fault, '--short'], {
        maxBuffer: 1 << 26,
      }).catch((error: unknown) => assert.fail(String(Object(error).stdout)));
      assert.match(stdout, new RegExp(`${fault} +passed +1 rounds, \\d+ acknowledged, 0 lost`));
    });
  }
});
