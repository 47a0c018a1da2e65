import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { ErrorCode } from '#functions-contract/error-names.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

type Input = Readonly<Record<string, unknown>>;
type Row = readonly [name: string, given: Input, code: ErrorCode, message: string];

const text = Array.from({ length: 1501 }, () => 'w');

describe('a creation that is refused', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const create = (given: Input) =>
    functions.call('CreateFunction', {
      FunctionName: 'fn',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
      ...given,
    });

  const rows: readonly Row[] = [
    [
      'no runtime',
      { Runtime: undefined },
      'InvalidParameterValueException',
      'Runtime and Handler are mandatory parameters for functions created with deployment packages.',
    ],
    [
      'an entry point of more than 1500 args',
      { PackageType: 'Image', ImageConfig: { EntryPoint: text } },
      'ValidationException',
      violations(
        `Value '[${text.join(', ')}]' at 'imageConfig.entryPoint' failed to satisfy constraint: Member must have length less than or equal to 1500`,
      ),
    ],
    [
      'a command of more than 1500 args',
      { PackageType: 'Image', ImageConfig: { Command: text } },
      'ValidationException',
      violations(
        `Value '[${text.join(', ')}]' at 'imageConfig.command' failed to satisfy constraint: Member must have length less than or equal to 1500`,
      ),
    ],
    [
      'no handler',
      { Handler: undefined },
      'InvalidParameterValueException',
      'Runtime and Handler are mandatory parameters for functions created with deployment packages.',
    ],
    [
      'no code',
      { Code: {} },
      'InvalidParameterValueException',
      'Please provide a source for function code.',
    ],
    [
      'code that is no archive',
      { Code: { ZipFile: Buffer.from('no archive') } },
      'InvalidParameterValueException',
      'Could not unzip uploaded file. Please check your file, then try to upload again.',
    ],
    [
      'two architectures',
      { Architectures: ['x86_64', 'arm64'] },
      'ValidationException',
      violations(
        "Value '[x86_64, arm64]' at 'architectures' failed to satisfy constraint: Member must have length less than or equal to 1",
      ),
    ],
    [
      'an architecture in the wrong case',
      { Architectures: ['X86_64'] },
      'ValidationException',
      violations(
        "Value '[X86_64]' at 'architectures' failed to satisfy constraint: Member must satisfy constraint: [Member must satisfy enum value set: [x86_64, arm64], Member must not be null]",
      ),
    ],
    [
      'a snapshot setting that is none',
      { SnapStart: { ApplyOn: 'invalidOption' } },
      'ValidationException',
      violations(
        "Value 'invalidOption' at 'snapStart.applyOn' failed to satisfy constraint: Member must satisfy enum value set: [PublishedVersions, None]",
      ),
    ],
    [
      'a bucket that is not there',
      { Code: { S3Bucket: 'missing', S3Key: 'k' } },
      'InvalidParameterValueException',
      'Error occurred while GetObject. S3 Error Code: NoSuchBucket. S3 Error Message: The specified bucket does not exist',
    ],
  ];

  for (const [name, given, code, message] of rows) {
    it(`reports ${name}`, async () => {
      assertRefused(await create(given), code, message);
    });
  }

  it('reports an archive over 50 MiB', async () => {
    const answer = await create({ Code: { ZipFile: Buffer.alloc(52_428_801).toString('base64') } });
    assertRefused(
      answer,
      'RequestEntityTooLargeException',
      'Zipped size must be smaller than 52428800 bytes',
    );
  });

  it('reports a request over 70167211 bytes before it reads it', async () => {
    const answer = await functions.send({
      method: 'POST',
      target: '/2015-03-31/functions',
      headers: { 'content-length': '70167212' },
      body: '{}',
    });
    assertRefused(
      answer,
      'RequestEntityTooLargeException',
      'Request must be smaller than 70167211 bytes for the CreateFunction operation',
    );
  });

  it('reports a name that is taken', async () => {
    assert.equal((await create({ FunctionName: 'taken' })).status, 201);
    assertRefused(
      await create({ FunctionName: 'taken' }),
      'ResourceConflictException',
      'Function already exist: taken',
      'without-type',
    );
    await functions.untilProvisioned();
  });
});
