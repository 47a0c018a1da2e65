import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { zipOf } from '#functions/code/testing/zip-of.ts';
import {
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '#functions/testing/test-functions.ts';
import { present } from '#platform/present.ts';

import { deployFunction, type DeployOptions, type DeployResult } from './deploy-function.ts';
import type { DeployCode, DeployService } from './deploy-service.ts';
import { planFunction } from './plan.ts';
import type { FunctionTemplate, MappingSettings, QueueSettings } from './template.ts';

class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

const codeOf = (content: string): DeployCode => ({
  source: { ZipFile: zipOf({ 'index.mjs': content }) },
  sha256: undefined,
});

const orders = 'arn:aws:sqs:us-east-1:123456789012:orders';

describe('the deployment of a function', () => {
  let functions: TestFunctions;
  let service: DeployService;
  const called: string[] = [];
  before(async () => {
    functions = await createTestFunctions({
      // Nothing listens there: mappings are made, and nothing receives.
      configured: { targets: new Map([[orders, { kind: 'endpoint', url: 'http://127.0.0.1:9' }]]) },
    });
    service = {
      async call({ name }, input) {
        called.push(name);
        const { status, headers, body, text } = await functions.call(name, present(input));
        if (status < 400) return body ?? {};
        throw new Refused(String(headers['x-amzn-errortype']).split(':')[0] ?? '', text);
      },
      refusalCode: (error) => (error instanceof Refused ? error.code : undefined),
      pause: () => functions.untilProvisioned(),
    };
  });
  after(() => functions.close());

  const template = (name: string, more: Partial<FunctionTemplate> = {}): FunctionTemplate => ({
    logicalId: name,
    name,
    codeUri: '',
    settings: { Runtime: 'nodejs24.x', Handler: 'index.handler', ...more.settings },
    url: more.url,
    queues: more.queues ?? [],
    alias: more.alias,
  });

  const deploy = (
    wanted: FunctionTemplate,
    code = codeOf('1'),
    options: Partial<DeployOptions> = {},
  ): Promise<DeployResult> => deployFunction(service, wanted, code, { role: testRole, ...options });

  const changesOf = async (wanted: FunctionTemplate, code = codeOf('1')) =>
    (await planFunction(service, wanted, code)).changes.map(({ setting }) => setting);

  const configuration = async (FunctionName: string, Qualifier?: string) =>
    (
      await functions.call('GetFunctionConfiguration', {
        FunctionName,
        ...(Qualifier && { Qualifier }),
      })
    ).body;

  test('passes refusals of the service on', async () => {
    await assert.rejects(deploy(template('bad', { settings: { Timeout: 0 } })), {
      code: 'ValidationException',
    });
  });

  test('creates, changes nothing again, and updates what the template names only', async () => {
    const settings = { Timeout: 5, Environment: { Variables: { ONE: '1' } } };
    assert.deepEqual(await deploy(template('life', { settings })), {
      kind: 'created',
      version: undefined,
    });
    assert.deepEqual(await changesOf(template('life', { settings })), []);
    called.length = 0;
    assert.equal((await deploy(template('life', { settings }))).kind, 'unchanged');
    assert.ok(
      called.every((name) => /^Get|^UpdateFunctionCode$/.test(name)),
      called.join(),
    );
    await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'life',
      MemorySize: 512,
      Environment: { Variables: { ONE: '1', SECRET: 'x' } },
    });
    await functions.untilProvisioned();
    const next = template('life', {
      settings: { Timeout: 7, Environment: { Variables: { ONE: '2', TWO: '3' } } },
    });
    const names = [
      'Timeout',
      'Environment.Variables.ONE',
      'Environment.Variables.TWO',
      'CodeSha256',
    ];
    assert.deepEqual(await changesOf(next, codeOf('2')), names);
    assert.equal((await deploy(next, codeOf('2'))).kind, 'updated');
    const { Timeout, MemorySize, Environment } = await configuration('life');
    assert.deepEqual([Timeout, MemorySize], [7, 512]);
    assert.deepEqual(Environment.Variables, { ONE: '2', TWO: '3', SECRET: 'x' });
    assert.deepEqual(await changesOf(next, codeOf('2')), []);
  });

  test('reports why an update does not start, and tries it again', async () => {
    await deploy(template('failing'));
    const failure = { code: 'InvalidRuntime', text: 'The runtime is not installed.' } as const;
    functions.environments.failStarts(failure);
    const states: string[] = [];
    const onState = (state: string): void => void states.push(state);
    const failed = await deploy(template('failing'), codeOf('2'), { onState });
    functions.environments.failStarts(undefined);
    assert.deepEqual(failed, {
      kind: 'failed',
      reason: 'InvalidRuntime: The runtime is not installed.',
    });
    assert.equal(states.at(-1), 'Failed');
    assert.deepEqual(await changesOf(template('failing'), codeOf('2')), ['LastUpdateStatus']);
    assert.equal((await deploy(template('failing'), codeOf('2'))).kind, 'updated');
    assert.deepEqual(await changesOf(template('failing'), codeOf('2')), []);
  });

  test('opens a function URL without authentication as SAM does, and closes it', async () => {
    const open = template('url', { url: { AuthType: 'NONE', Cors: { AllowOrigins: ['*'] } } });
    await deploy(open);
    assert.deepEqual(await changesOf(open), []);
    const policy = await functions.call('GetPolicy', { FunctionName: 'url' });
    const [statement] = JSON.parse(policy.body.Policy).Statement;
    assert.equal(statement.Sid, 'urlUrlPublicPermissions');
    assert.equal(statement.Action, 'lambda:InvokeFunctionUrl');
    const closed = template('url', { url: { AuthType: 'AWS_IAM' } });
    assert.equal((await deploy(closed)).kind, 'updated');
    assert.equal((await functions.call('GetPolicy', { FunctionName: 'url' })).status, 404);
    assert.deepEqual(await changesOf(closed), []);
  });

  test('publishes a version for an alias, once for each change', async () => {
    const wanted = template('aliased', { alias: 'live', url: { AuthType: 'NONE' } });
    assert.deepEqual(await deploy(wanted), { kind: 'created', version: '1' });
    assert.deepEqual(await deploy(wanted), { kind: 'unchanged', version: undefined });
    assert.deepEqual(await deploy(wanted, codeOf('2')), { kind: 'updated', version: '2' });
    assert.equal((await configuration('aliased', 'live')).Version, '2');
    // As a deployment that ended before it published.
    await functions.call('UpdateFunctionCode', { FunctionName: 'aliased', ZipFile: testZip });
    await functions.untilProvisioned();
    const third = { source: { ZipFile: testZip }, sha256: undefined };
    assert.deepEqual(await changesOf(wanted, third), ['Alias.live']);
    assert.deepEqual(await deploy(wanted, third), { kind: 'updated', version: '3' });
    const url = { FunctionName: 'aliased', Qualifier: 'live' };
    assert.equal((await functions.call('GetFunctionUrlConfig', url)).status, 200);
  });

  test('maps the queues that the template names, and updates the mappings', async () => {
    const queueOf = (settings: MappingSettings): readonly QueueSettings[] => [
      { eventName: 'Orders', EventSourceArn: orders, settings },
    ];
    const mappings = async (FunctionName: string) =>
      (await functions.call('ListEventSourceMappings', { FunctionName })).body.EventSourceMappings;
    const first = template('queued', { alias: 'live', queues: queueOf({ BatchSize: 5 }) });
    assert.equal((await deploy(first)).kind, 'created');
    assert.deepEqual(await changesOf(first), []);
    const [made] = await mappings('queued:live');
    assert.deepEqual([made.EventSourceArn, made.BatchSize], [orders, 5]);
    const next = template('queued', {
      alias: 'live',
      queues: queueOf({
        Enabled: false,
        FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["order"]}}' }] },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 3 },
      }),
    });
    assert.deepEqual(await changesOf(next), [
      'Events.Orders.Enabled',
      'Events.Orders.FilterCriteria',
      'Events.Orders.FunctionResponseTypes',
      'Events.Orders.ScalingConfig',
    ]);
    assert.equal((await deploy(next)).kind, 'updated');
    assert.deepEqual(await changesOf(next), []);
    const [mapping] = await mappings('queued:live');
    assert.equal(mapping.UUID, made.UUID);
    assert.deepEqual([mapping.State, mapping.BatchSize], ['Disabled', 5]);
    const cleared = queueOf({ FilterCriteria: { Filters: [] }, ScalingConfig: {} });
    const last = template('queued', { alias: 'live', queues: cleared });
    await deploy(last);
    assert.deepEqual(await changesOf(last), []);
    assert.equal((await mappings('queued:live'))[0].FilterCriteria, undefined);
  });

  test('passes on why a queue cannot be mapped', async () => {
    const other = { eventName: 'A', EventSourceArn: `${orders}-2`, settings: {} };
    await assert.rejects(deploy(template('unmapped', { queues: [other] })), {
      code: 'InvalidParameterValueException',
    });
  });

  test('describes a version of its own, and the same one when it is repeated', async () => {
    const options = { versionDescription: 'a'.repeat(40) };
    assert.equal((await deploy(template('described'), codeOf('1'), options)).kind, 'created');
    const again = await deploy(template('described'), codeOf('1'), options);
    assert.deepEqual(again, { kind: 'unchanged', version: '1' });
    assert.equal((await configuration('described', '1')).Description, options.versionDescription);
  });

  test('looks again where the function is changed at the same time', async () => {
    await deploy(template('raced'));
    let raced = false;
    const racing: DeployService = {
      ...service,
      async call(operation, input) {
        if (operation.name === 'UpdateFunctionConfiguration' && !raced) {
          raced = true;
          const other = { FunctionName: 'raced', Environment: { Variables: { OTHER: '1' } } };
          await functions.call('UpdateFunctionConfiguration', other);
        }
        return service.call(operation, input);
      },
    };
    const settings = { Environment: { Variables: { OWN: '2' } } };
    const wanted = template('raced', { settings });
    const result = await deployFunction(racing, wanted, codeOf('1'), { role: testRole });
    assert.equal(result.kind, 'updated');
    const { Environment } = await configuration('raced');
    assert.deepEqual(Environment.Variables, { OTHER: '1', OWN: '2' });
  });
});
