import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { newConfiguration, readConfiguration } from './configuration.ts';

describe('a configuration', () => {
  const created = newConfiguration({
    functionName: 'f',
    role: 'arn:aws:iam::123456789012:role/worker',
    packageType: 'Zip',
    architecture: 'x86_64',
    code: { sha256: 'ab', size: 1, unzippedSize: 2 },
  });

  test('of a new function has the defaults of the contract', () => {
    assert.partialDeepStrictEqual(created, {
      Description: '',
      Timeout: 3,
      MemorySize: 128,
      TracingConfig: { Mode: 'PassThrough' },
      EphemeralStorage: { Size: 512 },
      SnapStart: { ApplyOn: 'None' },
      LoggingConfig: { LogFormat: 'Text', LogGroup: '/aws/lambda/f' },
      Layers: [],
      FileSystemConfigs: [],
    });
  });

  test('that was stored before a setting was added has its default', () => {
    const { Timeout, SnapStart: _later, ...earlier } = { ...created, Timeout: 9 };
    assert.deepEqual(readConfiguration(JSON.stringify({ ...earlier, Timeout })), {
      ...created,
      Timeout,
    });
  });
});
