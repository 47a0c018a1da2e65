import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { dependsOnDatabase } from './database-tests.ts';
import { testFiles } from './run-tests.ts';
import { projectFolder } from './test-parts.ts';

test('files depend on the database when they import the one of tests, however far away, and do not say otherwise', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hob-imports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('forge/a.test.ts', "import { x } from './b.ts';");
  write(
    'forge/b.ts',
    "import type { y } from '#platform/testing/test-database.ts';\nimport './a.test.ts';",
  );
  write(
    'forge/c.test.ts',
    "import { z } from 'node:fs';\nimport { join } from '../platform/d.ts';",
  );
  write(
    'forge/d.test.ts',
    "// Runs on SQLite alone: it shows what git does.\nimport { x } from './b.ts';",
  );
  const depends = dependsOnDatabase(folder);
  const files = ['a', 'c', 'd'].map((name) => `forge/${name}.test.ts`);
  assert.deepEqual(files.map(depends), [true, false, false]);
});

test('the tests of the interfaces and of servers run on every engine', () => {
  const files = testFiles([]).filter(dependsOnDatabase(projectFolder));
  for (const file of ['forge/pulls/pull-routes.test.ts', 'scenarios/stop.scenario.test.ts']) {
    assert.ok(files.includes(file), file);
  }
  for (const file of ['cli/main.test.ts', 'scenarios/package.scenario.test.ts']) {
    assert.ok(!files.includes(file), file);
  }
});
