import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  functionNamePattern,
  namespacedFunctionNamePattern,
} from '#functions-contract/patterns.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

const reading = ['GetFunction', 'GetFunctionConfiguration', 'DeleteFunction', 'Invoke'] as const;
const arn = 'arn:aws:lambda:us-east-1:123456789012:function:my-function';
const long = 'a'.repeat(65);
const badRegion = `arn:aws:lambda:invalid-region:123456789012:function:my-function`;

const ofPattern = (name: string, pattern: string): string =>
  `Value '${name}' at 'functionName' failed to satisfy constraint: Member must satisfy regular expression pattern: ${pattern}`;
const ofLength = (name: string, at: string, max: number): string =>
  `Value '${name}' at '${at}' failed to satisfy constraint: Member must have length less than or equal to ${max}`;

describe('the name of a function', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const create = (FunctionName: string) =>
    functions.call('CreateFunction', {
      FunctionName,
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
    });

  const broken = [
    'my-function!',
    '*',
    'invalid-account:function:my-function',
    badRegion,
    'arn:aws:ec2:us-east-1:123456789012:instance:i-1234567890abcdef0',
    'arn:aws:lambda::123456789012:function:my-function',
    'arn:aws:lambda:us-east-1::function:my-function',
    `${arn}:1:2`,
    'function:my-function:$LATEST:extra',
    `${arn}:$LATES`,
    'arn:aws:lambda:us-east-1:123400000000@function:myfn',
  ];

  for (const name of broken) {
    it(`is refused by its form: ${name}`, async () => {
      for (const operation of reading) {
        assertRefused(
          await functions.call(operation, { FunctionName: name }),
          'ValidationException',
          violations(ofPattern(name, namespacedFunctionNamePattern)),
        );
      }
      assertRefused(
        await create(name),
        'ValidationException',
        violations(ofPattern(name, functionNamePattern)),
      );
    });
  }

  it('is refused by its length when a function is made, and else not found', async () => {
    assertRefused(
      await create(long),
      'InvalidParameterValueException',
      violations(ofLength(long, 'functionName', 64)),
    );
    const invoked = await functions.call('Invoke', { FunctionName: long });
    assertRefused(
      invoked,
      'ResourceNotFoundException',
      `Function not found: ${arnOf(`${long}:$LATEST`)}`,
    );
    for (const operation of ['GetFunction', 'DeleteFunction']) {
      assertRefused(
        await functions.call(operation, { FunctionName: long }),
        'ResourceNotFoundException',
        `Function not found: ${arnOf(long)}`,
      );
    }
  });

  it('is refused by form and length at once', async () => {
    const name = `arn:aws:lambda:invalid-region:123456789012:function:${'a'.repeat(100)}`;
    assertRefused(
      await create(name),
      'ValidationException',
      violations(ofLength(name, 'functionName', 140), ofPattern(name, functionNamePattern)),
    );
    assertRefused(
      await functions.call('GetFunction', { FunctionName: name }),
      'ValidationException',
      violations(ofPattern(name, namespacedFunctionNamePattern)),
    );
  });

  it('carries no qualifier that its parameter contradicts', async () => {
    for (const operation of reading) {
      assertRefused(
        await functions.call(operation, { FunctionName: `${arn}:$LATEST`, Qualifier: '1' }),
        'InvalidParameterValueException',
        'The derived qualifier from the function name does not match the specified qualifier.',
      );
    }
  });

  it('has a qualifier of a form and a length', async () => {
    const pattern = String.raw`\$(LATEST(\.PUBLISHED)?)|[a-zA-Z0-9-_$]+`;
    for (const operation of reading) {
      assertRefused(
        await functions.call(operation, { FunctionName: 'my-function', Qualifier: 'invalid!' }),
        'ValidationException',
        violations(
          `Value 'invalid!' at 'qualifier' failed to satisfy constraint: Member must satisfy regular expression pattern: ${pattern}`,
        ),
      );
      const tooLong = 'a'.repeat(129);
      assertRefused(
        await functions.call(operation, { FunctionName: 'my-function', Qualifier: tooLong }),
        'ValidationException',
        violations(ofLength(tooLong, 'qualifier', 128)),
      );
    }
  });

  it('has no qualifier when a function is made', async () => {
    for (const name of ['my-function:invalid!', 'my-function:$latest', `${arn}:$LATEST:1`]) {
      assertRefused(
        await create(name),
        'ValidationException',
        violations(ofPattern(name, functionNamePattern)),
      );
    }
    const tooLong = `my-function:${'a'.repeat(129)}`;
    assertRefused(
      await create(tooLong),
      'ValidationException',
      violations(ofLength(tooLong, 'functionName', 140)),
    );
  });

  it('is looked for with the qualifier that was given', async () => {
    for (const Qualifier of ['$latest', 'a'.repeat(65), '1221']) {
      for (const operation of ['GetFunction', 'GetFunctionConfiguration', 'Invoke']) {
        assertRefused(
          await functions.call(operation, { FunctionName: 'my-function', Qualifier }),
          'ResourceNotFoundException',
          `Function not found: ${arnOf(`my-function:${Qualifier}`)}`,
        );
      }
    }
    for (const Qualifier of ['$latest', '1']) {
      assertRefused(
        await functions.call('DeleteFunction', { FunctionName: 'my-function', Qualifier }),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('my-function')}`,
      );
    }
    assertRefused(
      await functions.call('DeleteFunction', {
        FunctionName: 'my-function',
        Qualifier: 'a'.repeat(65),
      }),
      'InvalidParameterValueException',
      'Deletion of aliases is not currently supported.',
    );
    assertRefused(
      await functions.call('DeleteFunction', {
        FunctionName: 'my-function',
        Qualifier: '$LATEST',
      }),
      'InvalidParameterValueException',
      '$LATEST version cannot be deleted without deleting the function.',
    );
  });

  it('is not reachable in another region, nor in another account', async () => {
    const elsewhere = 'arn:aws:lambda:eu-west-3:123456789012:function:my-function';
    for (const operation of [...reading, 'UpdateFunctionConfiguration', 'PublishVersion']) {
      assertRefused(
        await functions.call(operation, { FunctionName: elsewhere }),
        'ResourceNotFoundException',
        "Functions from 'eu-west-3' are not reachable in this region ('us-east-1')",
      );
    }
    const foreign = await create('arn:aws:lambda:us-east-1:999999999999:function:my-function');
    assert.equal(foreign.status, 403);
    assert.equal(foreign.headers['x-amzn-errortype'], 'AccessDeniedException');
    assert.deepEqual(Object.values(foreign.body), [null]);
  });

  it('may be in an ARN without a partition', async () => {
    const FunctionName = 'arn::lambda:us-east-1:123456789012:function:my-function';
    for (const operation of ['GetFunction', 'UpdateFunctionConfiguration']) {
      assertRefused(
        await functions.call(operation, { FunctionName }),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('my-function')}`,
      );
    }
  });

  it('may be `function`', async () => {
    const incomplete = 'arn:aws:lambda:us-east-1:123456789012:function';
    assertRefused(
      await functions.call('GetFunction', { FunctionName: incomplete }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('function')}`,
    );
    assert.equal((await create(incomplete)).body.FunctionName, 'function');
    await functions.untilProvisioned();
  });

  it('means one function in every form', async () => {
    await functions.create('formed');
    const forms = [
      'formed',
      'formed:$LATEST',
      'function:formed',
      '123456789012:function:formed',
      '123456789012:formed',
      'us-east-1:123456789012:function:formed',
      arnOf('formed'),
      arnOf('formed:$LATEST'),
    ];
    for (const [index, FunctionName] of forms.entries()) {
      const given = { FunctionName, Timeout: index + 10 };
      const answer = await functions.call('UpdateFunctionConfiguration', given);
      assert.equal(answer.body.FunctionName, 'formed', answer.text);
      assert.equal(answer.body.FunctionArn, arnOf('formed'));
      await functions.untilProvisioned();
    }
    const raw = `/2015-03-31/functions/${arnOf('formed')}/configuration`;
    assert.equal((await functions.send({ method: 'GET', target: raw })).body.Timeout, 17);
  });

  it('is case sensitive', async () => {
    await functions.create('Cased');
    assert.equal((await functions.call('GetFunction', { FunctionName: 'cased' })).status, 404);
  });

  it('leads to versions that can be deleted twice', async () => {
    await functions.create('shed', { Publish: true });
    for (let times = 0; times < 2; times += 1) {
      const given = { FunctionName: 'shed', Qualifier: '1' };
      assert.equal((await functions.call('DeleteFunction', given)).status, 204);
    }
  });
});
