import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { enforcedSettings, type Isolation } from '#functions/launcher/isolation.ts';
import type { InstalledRuntimes } from '#functions/runtimes/runtimes.ts';

import { internetReport, isolationReport, runtimeReport } from './report.ts';

const installed: InstalledRuntimes = {
  interpreters: [{ language: 'python', path: '/usr/bin/python3.12', version: '3.12' }],
  ownNode: { language: 'node', path: '/opt/node', version: '26.1.0' },
  overrides: {},
  clients: '/clients',
};

describe('the report of the doctor', () => {
  test('says what enforces each setting, and what would make it stronger', () => {
    const lines = isolationReport(isolationOf('user'));
    assert.equal(lines.length, 1 + enforcedSettings.length);
    assert.match(lines[0] ?? '', /^Isolation: user \(/);
    assert.ok(
      lines.includes('  memory             partial  watchdog every 20 ms. Run as root.'),
      lines.join('\n'),
    );
  });

  test('says whether functions can have the internet alone, and what is missing', () => {
    const isolation = isolationOf('full');
    assert.match(internetReport(isolation), /^ {2}internet {11}full {5}by pasta/);
    assert.equal(
      internetReport({ ...isolation, noInternet: 'Install pasta (package passt).' }),
      '  internet           none     Install pasta (package passt).',
    );
  });

  test('says what really runs a runtime', () => {
    const lines = runtimeReport(['python3.12', 'nodejs22.x', 'java21'], installed);
    assert.deepEqual(lines.slice(0, 3), [
      'Runtimes:',
      '  python3.12         Python 3.12 (/usr/bin/python3.12)',
      '  nodejs22.x         Node.js 26.1.0 (/opt/node), as there is no Node.js 22',
    ]);
    assert.match(lines[3] ?? '', /^ {2}java21 {13}not available: java21 requires java 21 or later/);
  });
});

function isolationOf(tier: Isolation['tier']): Isolation {
  const full = { strength: 'full', by: 'the kernel' } as const;
  return {
    tier,
    enforced: {
      timeout: full,
      memory: { strength: 'partial', by: 'watchdog every 20 ms', advice: 'Run as root.' },
      cpu: full,
      'temporary-storage': full,
      files: full,
      network: full,
      user: full,
      'system-calls': full,
      processes: full,
    },
  };
}
