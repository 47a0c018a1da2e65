import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { assertRefused, violations } from '../testing/assert-refused.ts';
import { leavesOf } from '../testing/shape-leaves.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';
import { brokenConstraints } from './testing/broken-constraints.ts';
import { brokenRules, type Input } from './testing/broken-rules.ts';

describe('an update that is refused', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({
      configured: {
        subnets: new Map([['subnet-1', { vpcId: 'vpc-1', reaches: [] }]]),
        securityGroups: new Map([['sg-1', { vpcId: 'vpc-1', ports: undefined }]]),
      },
    });
    await functions.create('fn');
  });
  after(() => functions.close());

  const update = (given: Input) =>
    functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', ...given });

  for (const [name, given, violation] of brokenConstraints) {
    it(`reports ${name}`, async () => {
      assertRefused(await update(given), 'ValidationException', violations(violation));
    });
  }

  for (const [path, shape] of leavesOf(updateFunctionConfiguration.input)) {
    if (shape.type !== 'integer' && shape.type !== 'double') continue;
    it(`reports ${path} outside of its bounds`, async () => {
      const { min, max } = shape;
      assert.ok(min !== undefined && max !== undefined);
      const names = path.split('.');
      const at = names.map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`).join('.');
      const shown = (bound: number): string => bound.toFixed(shape.type === 'double' ? 1 : 0);
      for (const [value, bound] of [
        [min - 1, `greater than or equal to ${shown(min)}`],
        [max + 1, `less than or equal to ${shown(max)}`],
      ] as const) {
        const [first = '', ...others] = names;
        const inner = others.reduceRight<unknown>((given, name) => ({ [name]: given }), value);
        const answer = await update({ [first]: inner });
        const message = `at '${at}' failed to satisfy constraint: Member must have value ${bound}`;
        assertRefused(answer, 'ValidationException', new RegExp(RegExp.escape(message)));
      }
    });
  }

  for (const [name, given, code, message] of brokenRules) {
    it(`reports ${name}`, async () => {
      assertRefused(await update(given), code, message);
    });
  }

  it('reports every violation at once', async () => {
    const answer = await update({ Timeout: 0, MemorySize: 1 });
    const reported = String(answer.body.message);
    assert.match(reported, /^2 validation errors detected: Value '0' at .+; Value '1' at .+$/);
  });

  it('stores nothing', async () => {
    const earlier = await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
    for (const [, given] of brokenRules) await update({ Description: 'changed', ...given });
    const now = await functions.call('GetFunctionConfiguration', { FunctionName: 'fn' });
    assert.deepEqual(now.body, earlier.body);
  });

  it('reports a wrong type before any constraint', async () => {
    const wrong: readonly (readonly [Input, string])[] = [
      [{ Timeout: '5', MemorySize: 1 }, 'STRING_VALUE can not be converted to an Integer'],
      [{ Description: 5 }, 'NUMBER_VALUE can not be converted to a String'],
      [{ Timeout: 1.5 }, 'DECIMAL_VALUE can not be converted to an Integer'],
      [{ Layers: 'one' }, 'Expected list or null'],
    ];
    for (const [given, message] of wrong) {
      assertRefused(await update(given), 'SerializationException', message);
    }
  });

  it('reports a body that is no JSON without quoting it', async () => {
    const answer = await functions.send({
      method: 'PUT',
      target: '/2015-03-31/functions/fn/configuration',
      body: '{"Environment":{"Variables":{"PASSWORD":"hunter2" oops',
    });
    assertRefused(
      answer,
      'InvalidRequestContentException',
      /^Could not parse request body into json: /,
    );
    assert.ok(!answer.text.includes('hunter2'));
  });

  it('reports a request over 5120 bytes', async () => {
    assertRefused(
      await update({ Description: 'd'.repeat(5200) }),
      'RequestEntityTooLargeException',
      'Request must be smaller than 5120 bytes for the UpdateFunctionConfiguration operation',
    );
  });

  it('reports a function that is not there', async () => {
    assertRefused(
      await update({ FunctionName: 'missing' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('missing')}`,
    );
  });

  it('reports another revision, before it looks at the settings', async () => {
    assertRefused(
      await update({ RevisionId: 'wrong', Runtime: 'java8' }),
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id',
    );
  });

  it('reports versions and aliases', async () => {
    assertRefused(
      await update({ FunctionName: 'fn:1' }),
      'InvalidParameterValueException',
      'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please specify either a function name or an unqualified function ARN.',
    );
  });

  it('reports an update under way, and of a function in the making', async () => {
    const releaseStarts = functions.environments.holdStarts();
    assert.equal((await update({ Description: 'first' })).body.LastUpdateStatus, 'InProgress');
    assertRefused(
      await update({ Description: 'second' }),
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${arnOf('fn')}`,
    );
    assertRefused(
      await functions.call('UpdateFunctionCode', { FunctionName: 'fn', ZipFile: testZip }),
      'ResourceConflictException',
      `The operation cannot be performed at this time. An update is in progress for resource: ${arnOf('fn')}`,
    );
    await functions.call('CreateFunction', {
      FunctionName: 'young',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
    });
    for (const answer of [
      await update({ FunctionName: 'young' }),
      await functions.call('Invoke', { FunctionName: 'young' }),
      await functions.call('Invoke', { FunctionName: 'young', InvocationType: 'DryRun' }),
    ]) {
      assertRefused(
        answer,
        'ResourceConflictException',
        'The operation cannot be performed at this time. The function is currently in the following state: Pending',
      );
    }
    releaseStarts();
    await functions.untilProvisioned();
    assert.equal((await update({ Description: 'third' })).status, 200);
    await functions.untilProvisioned();
  });
});
