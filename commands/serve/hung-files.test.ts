import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const program = join(import.meta.dirname, 'hung-files.ts');

describe('a server that has stopped', () => {
  it('ends although a file does not answer', { skip: process.platform === 'win32' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'hob-hung-'));
    try {
      // To open it takes until another process opens it to write.
      const file = join(folder, 'file');
      assert.equal(spawnSync('mkfifo', [file]).status, 0);
      const { signal, stderr } = run(`open(${JSON.stringify(file)}, () => {});`);
      assert.equal(signal, 'SIGKILL');
      assert.match(stderr, /^hob: The server has stopped, but its process does not end/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is not waited for', () => {
    const { status, stderr } = run('');
    assert.deepEqual([status, stderr], [0, '']);
  });

  function run(last: string) {
    const text = `import { open } from 'node:fs';
      import { endWhereFilesHang } from ${JSON.stringify(program)};
      ${last}
      endWhereFilesHang(${last === '' ? 60_000 : 100});`;
    return spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
      encoding: 'utf8',
      timeout: 30_000,
    });
  }
});
