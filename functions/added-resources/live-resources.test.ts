import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { noConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { ServiceKey } from '../keys/service-key.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { addResource, removeResource, resourcesOf } from './administer-resources.ts';
import type { HostAccess } from './host-access.ts';
import { openLiveResources } from './live-resources.ts';
import type { ResourceKind } from '../configured-resources/resource-kinds.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failures';
const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:large';
const accessPoint =
  'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-0123456789abcdef0';
const file = {
  ...noConfiguredResources,
  subnets: new Map([['subnet-file', { vpcId: 'vpc-1', reaches: [] }]]),
};

describe('resources that are declared while the server runs', () => {
  let database: Database;
  let functions: TestFunctions;
  let key: ServiceKey | undefined;
  const faults: unknown[] = [];

  before(async () => {
    database = await openTestDatabase();
    const configured = await openLiveResources(
      {
        database,
        serviceKey: { unseal: (sealed, context) => key?.unseal(sealed, context) },
        log: { error: (_about, text) => faults.push(text) },
      },
      file,
    );
    functions = await createTestFunctions({ database, configured });
    key = functions.ports.serviceKey;
  });
  after(async () => {
    await functions.close();
    await database.close();
  });

  const add = (kind: ResourceKind, name: string, declaration: unknown): Promise<void> =>
    addResource(functions.ports, { kind, name }, JSON.stringify(declaration), file, access());
  const access = (): HostAccess => ({
    dataDirectory: functions.ports.dataDirectory,
    shared: undefined,
  });
  const remove = (kind: ResourceKind, name: string): Promise<void> =>
    removeResource(functions.ports, { kind, name }, file);
  const configure = (name: string, given: Readonly<Record<string, unknown>>) =>
    functions.call('UpdateFunctionConfiguration', { FunctionName: name, ...given });

  it('are refused when they are malformed, misnamed or more than one', async () => {
    await assert.rejects(add('subnet', 'subnet-1', {}), /The declaration: subnets\["subnet-1"\]/);
    await assert.rejects(add('subnet', 'other', { vpc: 'vpc-1' }), /must match/);
    await assert.rejects(add('target', `${queue}\0`, { folder: '/tmp' }), /at most 256 characters/);
    await assert.rejects(add('subnet', 'subnet-1', { vpc: 'vpc-1', port: 1 }), /unknown member/);
    const named = { kind: 'subnet', name: 'subnet-1' } as const;
    for (const text of [
      '{"vpc":"vpc-1"},"subnet-2":{"vpc":"vpc-1"}',
      '{"vpc":"vpc-1"}},"securityGroups":{"sg-1":{"vpc":"vpc-1"}',
      'nothing',
      `{"vpc":"vpc-1","reaches":[${' '.repeat(70_000)}]}`,
    ]) {
      await assert.rejects(
        addResource(functions.ports, named, text, file, access()),
        /declaration/i,
      );
    }
    assert.equal((await resourcesOf(functions.ports, file)).length, 1);
  });

  it('of the file can be neither replaced nor removed', async () => {
    await assert.rejects(add('subnet', 'subnet-file', { vpc: 'vpc-2' }), /file of HOB_RESOURCES/);
    await assert.rejects(remove('subnet', 'subnet-file'), /file of HOB_RESOURCES/);
  });

  it('can be used at once, not removed while functions use them, and not used after that', async () => {
    await functions.create('networked');
    const VpcConfig = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] };
    assert.equal((await configure('networked', { VpcConfig })).status, 400);
    await add('subnet', 'subnet-1', { vpc: 'vpc-1' });
    await add('security-group', 'sg-1', { vpc: 'vpc-1' });
    await add('access-point', accessPoint, { folder: '/srv/shared' });
    await add('target', queue, { http: 'http://127.0.0.1:1/', credentials });
    const FileSystemConfigs = [{ Arn: accessPoint, LocalMountPath: '/mnt/shared' }];
    const DeadLetterConfig = { TargetArn: queue };
    const used = await configure('networked', { VpcConfig, FileSystemConfigs, DeadLetterConfig });
    assert.equal(used.status, 200, used.text);
    await functions.untilProvisioned();
    for (const [kind, name] of [
      ['subnet', 'subnet-1'],
      ['security-group', 'sg-1'],
      ['access-point', accessPoint],
      ['target', queue],
    ] as const) {
      await assert.rejects(remove(kind, name), /is in use by networked\. Remove it from/);
    }
    const free = {
      VpcConfig: { SubnetIds: [], SecurityGroupIds: [] },
      FileSystemConfigs: [],
      DeadLetterConfig: { TargetArn: '' },
    };
    assert.equal((await configure('networked', free)).status, 200);
    await functions.untilProvisioned();
    await remove('subnet', 'subnet-1');
    await assert.rejects(remove('subnet', 'subnet-1'), /There is no subnet subnet-1/);
    assert.equal((await configure('networked', { VpcConfig })).status, 400);
    await remove('target', queue);
  });

  it('are in use by published versions and by destinations of events', async () => {
    await functions.create('notifying');
    await add('target', queue, { folder: '/srv/queue' });
    const named = { FunctionName: 'notifying' };
    const handled = await functions.call('PutFunctionEventInvokeConfig', {
      ...named,
      DestinationConfig: { OnSuccess: {}, OnFailure: { Destination: queue } },
    });
    assert.equal(handled.status, 200, handled.text);
    await assert.rejects(remove('target', queue), /in use by notifying/);
    await functions.call('DeleteFunctionEventInvokeConfig', named);
    await configure('notifying', { DeadLetterConfig: { TargetArn: queue } });
    await functions.untilProvisioned();
    await functions.call('PublishVersion', named);
    await configure('notifying', { DeadLetterConfig: { TargetArn: '' } });
    await functions.untilProvisioned();
    await assert.rejects(remove('target', queue), /in use by notifying/);
    await functions.call('DeleteFunction', named);
    await remove('target', queue);
  });

  it('are reported as capacity providers', async () => {
    await add('capacity-provider', provider, { environmentsMax: 3 });
    const listed = await functions.call('ListCapacityProviders');
    assert.equal(listed.body.CapacityProviders[0].CapacityProviderArn, provider);
    await remove('capacity-provider', provider);
    const got = await functions.call('GetCapacityProvider', { CapacityProviderName: provider });
    assert.equal(got.status, 404);
  });

  it('store their credentials encrypted, and are passed over when no key decrypts them', async () => {
    await add('target', queue, { http: 'http://127.0.0.1:1/', credentials });
    const stored = await database.read((sql) =>
      sql.all<{ sealed_declaration: string }>('select sealed_declaration from declared_resources'),
    );
    assert.ok(stored.every((row) => !row.sealed_declaration.includes(credentials.secretAccessKey)));
    const live = await openLiveResources(
      {
        database,
        serviceKey: { unseal: () => undefined },
        log: { error: (_about, text) => faults.push(text) },
      },
      file,
    );
    assert.deepEqual([...live.targets.keys()], []);
    assert.deepEqual([...live.subnets.keys()], ['subnet-file']);
    assert.match(String(faults.at(-1)), /unusable/);
    await remove('target', queue);
  });
});

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a-secret-of-the-queue' };
