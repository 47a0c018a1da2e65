import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { readTlsCertificate } from './tls-certificate.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', '..', 'hob.ts');

describe('hob dev-cert', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-dev-cert-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function devCert(...args: readonly string[]): Promise<{ stdout: string }> {
    return run(process.execPath, [program, 'dev-cert', ...args]);
  }

  test('refuses what it does not understand', async () => {
    await assert.rejects(devCert('--dat', folder), { code: 2, stderr: /Did you mean --data\?/ });
  });

  test('prints files that can be served with, and how', async () => {
    const { stdout } = await devCert('--data', join(folder, 'data'));
    const certificate = /certificate +(\S+)/.exec(stdout)?.[1] ?? '';
    const key = /key +(\S+)/.exec(stdout)?.[1] ?? '';
    assert.ok(stdout.includes(`./hob serve --tls-cert ${certificate} --tls-key ${key}`));
    await readTlsCertificate({ certificate, key });
  });
});
