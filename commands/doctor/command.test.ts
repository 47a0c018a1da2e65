import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { supportedRuntimes } from '#functions-contract/runtimes.ts';
import { isolationTiers } from '#functions/launcher/isolation.ts';

const program = join(import.meta.dirname, '..', '..', 'hob.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function doctor(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const command = [program, 'doctor', ...args];
    execFile(process.execPath, command, { timeout: 60_000 }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}

describe('hob doctor', () => {
  test('refuses a tier that is none', async () => {
    const { code, err } = await doctor('--require-isolation', 'most');
    assert.equal(code, 2);
    assert.match(err, /^hob: --require-isolation must be full or user or container or bare, not /);
  });

  test('reports what this host enforces and runs, and by its exit code whether that is enough', async () => {
    const { code, out } = await doctor('--require-isolation', 'full');
    const tier = /^Isolation: (\w+) \(/.exec(out)?.[1] ?? '';
    assert.ok(
      isolationTiers.some((each) => each === tier),
      out,
    );
    assert.equal(code, tier === 'full' ? 0 : 1);
    for (const name of ['timeout', 'memory', 'processor', '/tmp', 'network', 'system calls']) {
      assert.match(out, new RegExp(`^ {2}${name} +(?:full|partial|none) +\\S`, 'm'));
    }
    for (const runtime of supportedRuntimes) {
      assert.match(out, new RegExp(`^ {2}${runtime.replaceAll('.', '\\.')} +\\S`, 'm'));
    }
    assert.match(out, /^ {2}nodejs\S+ +Node\.js \d/m);
  });
});
