import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { releasedMigrations } from './released-migrations.ts';

test('a new migration gets its checksum, a changed one keeps its own, a removed one has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hob-released-'));
  try {
    writeFileSync(join(folder, '0001-one.sql'), 'changed');
    writeFileSync(join(folder, '0003-three.sql'), 'abc');
    const page = `${'1'.repeat(64)}  0001-one.sql\n${'2'.repeat(64)}  0002-two.sql\n`;
    const written = releasedMigrations(page, folder);
    assert.deepEqual(written.split('\n'), [
      `${'1'.repeat(64)}  0001-one.sql`,
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  0003-three.sql',
      '',
    ]);
    assert.equal(releasedMigrations(written, folder), written);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
