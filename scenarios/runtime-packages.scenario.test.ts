// Runs on SQLite alone: it shows what programs find.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { recordName, setsFolder } from '#functions/runtimes/runtime-packages.ts';
import { openDataDirectory } from '#platform/data-directory.ts';

import { type FunctionService, startFunctionService } from './function-service.ts';

const nodePackage = (name: string, text: string): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: '{"main":"index.js"}',
  [`node_modules/${name}/index.js`]: `exports.from = ${JSON.stringify(text)};`,
});

/** As `hob runtimes add` leaves them, with packages that need no registry. */
async function addPackages(dataFolder: string): Promise<void> {
  await openDataDirectory(dataFolder);
  const sets = {
    nodejs: {
      ...nodePackage('@aws-sdk/client-s3', 'the runtime'),
      ...nodePackage('@aws-sdk/client-sqs', 'the runtime'),
    },
    python: { 'boto3/__init__.py': 'origin = "the runtime"\n' },
  };
  for (const [runtime, files] of Object.entries(sets)) {
    const folder = join(
      setsFolder(join(dataFolder, 'functions'), runtime === 'python' ? 'python' : 'nodejs'),
      '1',
    );
    for (const [name, text] of Object.entries({ ...files, [recordName]: '{}' })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }
}

describe('packages that were added to runtimes', { concurrency: 3 }, () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService({}, addPackages);
  });
  after(() => service.stop());

  const own = nodePackage('@aws-sdk/client-sqs', 'the function');

  test('are found by modules, and those of the function win', async () => {
    await service.create('modules', {
      'index.mjs': `
        import { from as s3 } from '@aws-sdk/client-s3';
        import { from as sqs } from '@aws-sdk/client-sqs';
        export const handler = async () => [s3, sqs];`,
      ...own,
    });
    const { value } = await service.invoke('modules');
    assert.deepEqual(value, ['the runtime', 'the function']);
  });

  test('are found by require, and cannot be changed', async () => {
    await service.create('require', {
      'index.js': `
        const fs = require('node:fs');
        const file = require.resolve('@aws-sdk/client-s3');
        exports.handler = async () => {
          let written = 'yes';
          try { fs.appendFileSync(file, ' '); } catch ({ code }) { written = code; }
          return [require('@aws-sdk/client-s3').from, require('@aws-sdk/client-sqs').from, file, written];
        };`,
      ...own,
    });
    const { value } = await service.invoke('require');
    assert.deepEqual(value.slice(0, 2), ['the runtime', 'the function']);
    assert.match(value[2], /node_modules\/@aws-sdk\/client-s3\/index\.js$/);
    assert.match(value[3], /^(EROFS|EACCES)$/);
  });

  test('are found by Python', async () => {
    await service.create(
      'python',
      {
        'index.py': 'import boto3\n\ndef handler(event, context):\n    return boto3.origin\n',
      },
      { Runtime: 'python3.13' },
    );
    assert.equal((await service.invoke('python')).value, 'the runtime');
  });

  test('are named when they are not there', async () => {
    await service.create('lacking', {
      'index.mjs': "import '@aws-sdk/client-none'; export const handler = async () => 1;",
    });
    const { error, value, log } = await service.invoke('lacking');
    assert.equal(error, 'Unhandled');
    const hint = 'hob runtimes add nodejs @aws-sdk/client-none';
    assert.ok(value.errorMessage.endsWith(hint), value.errorMessage);
    assert.ok(log.includes(hint), log);
  });
});
