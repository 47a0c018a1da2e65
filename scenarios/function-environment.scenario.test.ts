// Runs on SQLite alone: it shows what isolation gives to programs.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateAliasCommand,
  PublishLayerVersionCommand,
  PublishVersionCommand,
  PutFunctionEventInvokeConfigCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';

import { zipOf } from '#functions/code/testing/zip-of.ts';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { until } from './patience.ts';
import { nodeProbe } from './probe-functions.ts';
import { removeFolder } from './running-server.ts';

const files = { 'index.mjs': nodeProbe };
const queue = 'arn:aws:sqs:us-east-1:123456789012:failed';
const accessPoint =
  'arn:aws:elasticfilesystem:us-east-1:123456789012:access-point/fsap-0123456789abcdef0';

/** What stands around functions, and what they are pointed at: layers, versions, and what the operator has declared. */
describe('the environment of functions', { concurrency: 4 }, () => {
  let folder: string;
  let service: FunctionService;
  let greeter: Server;
  const collector = createSocket('udp4');
  const segments: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-declared-'));
    for (const name of ['shared', 'failed']) await mkdir(join(folder, name));
    await chmod(folder, 0o755);
    // The programs of functions are users of their own.
    await chmod(join(folder, 'shared'), 0o777);
    greeter = createServer((socket) => socket.end('welcome'));
    greeter.listen(0, '127.0.0.1');
    await once(greeter, 'listening');
    collector.on('message', (bytes) => segments.push(bytes.toString()));
    collector.bind(0, '127.0.0.1');
    await once(collector, 'listening');
    const at = `127.0.0.1:${portOf(greeter.address())}`;
    const reaches = [
      { name: 'db.internal', port: 5432, at },
      { name: 'db.internal', port: 5433, at },
    ];
    const resources = join(folder, 'resources.json');
    const declared = {
      subnets: { 'subnet-1': { vpc: 'vpc-1', reaches } },
      securityGroups: { 'sg-1': { vpc: 'vpc-1', ports: [5432] } },
      accessPoints: { [accessPoint]: { folder: join(folder, 'shared') } },
      targets: { [queue]: { folder: join(folder, 'failed') } },
      traceCollector: `udp://127.0.0.1:${portOf(collector.address())}`,
    };
    await writeFile(resources, JSON.stringify(declared));
    service = await startFunctionService({ HOB_RESOURCES: resources });
  });
  after(async () => {
    greeter.close();
    collector.close();
    await service.stop();
    await removeFolder(folder);
  });

  const unlessIsolated = (): string | false =>
    service.tier === 'full' ? false : `this host isolates functions by tier "${service.tier}"`;

  async function publishLayer(name: string, content: Record<string, string>): Promise<string> {
    const { LayerVersionArn } = await service.client.send(
      new PublishLayerVersionCommand({ LayerName: name, Content: { ZipFile: zipOf(content) } }),
    );
    return LayerVersionArn ?? '';
  }

  test('Layers are at /opt, merged in their order, and modules are found there', async () => {
    const one = await publishLayer('one', {
      'who.txt': 'one',
      'only-one.txt': '1',
      'nodejs/node_modules/greeting/index.js': `module.exports = 'from a layer';`,
    });
    const two = await publishLayer('two', { 'who.txt': 'two' });
    await service.create(
      'layers',
      {
        'index.cjs': `const fs = require('node:fs');
        exports.handler = async () => ({ greeting: require('greeting'), who: fs.readFileSync('/opt/who.txt', 'utf8'), all: fs.readdirSync('/opt').sort() });`,
      },
      { Layers: [one] },
    );
    const first = await service.invoke('layers');
    assert.deepEqual(first.value, {
      greeting: 'from a layer',
      who: 'one',
      all: ['nodejs', 'only-one.txt', 'who.txt'],
    });
    const { Layers } = await service.update('layers', { Layers: [one, two] });
    assert.deepEqual(
      Layers?.map(({ Arn }) => Arn),
      [one, two],
    );
    assert.equal((await service.invoke('layers')).value.who, 'two');
  });

  test('FileSystemConfigs: what is written stays, for every environment', async (context) => {
    if (unlessIsolated() !== false) return context.skip(String(unlessIsolated()));
    const shared = { Arn: accessPoint, LocalMountPath: '/mnt/shared' };
    await service.create('files', files);
    await service.update('files', { FileSystemConfigs: [shared], VpcConfig: network });
    const path = '/mnt/shared/note';
    const written = await service.invoke('files', { do: 'write', path, text: 'kept' });
    assert.equal(written.error, undefined, JSON.stringify(written.value));
    assert.equal(await readFile(join(folder, 'shared', 'note'), 'utf8'), 'kept');
    await service.update('files', { Description: 'in another environment' });
    assert.equal((await service.invoke('files', { do: 'read', path })).value, 'kept');
    await service.update('files', { FileSystemConfigs: [] });
    assert.equal((await service.invoke('files', { do: 'read', path })).error, 'Unhandled');
  });

  test('VpcConfig: what the network declares is reached, and nothing else', async (context) => {
    if (unlessIsolated() !== false) return context.skip(String(unlessIsolated()));
    const reach = async (host: string, port: number): Promise<string> =>
      (await service.invoke('network', { do: 'connect', host, port })).value;
    const port = portOf(greeter.address());
    await service.create('network', files);
    assert.notEqual(await reach('127.0.0.1', port), 'welcome');
    assert.notEqual(await reach('db.internal', 5432), 'welcome');
    const { VpcConfig } = await service.update('network', { VpcConfig: network });
    assert.equal(VpcConfig?.VpcId, 'vpc-1');
    assert.equal(await reach('db.internal', 5432), 'welcome');
    // The security group lets this port not through.
    assert.notEqual(await reach('db.internal', 5433), 'welcome');
    assert.notEqual(await reach('127.0.0.1', port), 'welcome');
    await service.update('network', { VpcConfig: { SubnetIds: [], SecurityGroupIds: [] } });
    assert.notEqual(await reach('db.internal', 5432), 'welcome');
  });

  test('DeadLetterConfig: an event that fails to the end arrives there', async () => {
    const FunctionName = 'letters';
    await service.create(FunctionName, files);
    await service.update(FunctionName, { DeadLetterConfig: { TargetArn: queue } });
    await service.client.send(
      new PutFunctionEventInvokeConfigCommand({ FunctionName, MaximumRetryAttempts: 0 }),
    );
    const event = { do: 'fail', message: 'not today' };
    await service.invoke(FunctionName, event, { InvocationType: 'Event', LogType: undefined });
    const name = await until(() => finished(join(folder, 'failed')));
    const letter = JSON.parse(await readFile(join(folder, 'failed', name), 'utf8'));
    assert.equal(letter.target, queue);
    assert.deepEqual(JSON.parse(letter.body), event);
    assert.match(JSON.stringify(letter.attributes), /not today/);
  });

  test('TracingConfig: traces are sampled, passed on and collected', async () => {
    const look = { do: 'environment', names: ['_X_AMZN_TRACE_ID'] };
    const trace = async (): Promise<string> =>
      String(Object.values((await service.invoke('traced', look)).value)[0]);
    await service.create('traced', files);
    assert.match(await trace(), /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0/);
    const { TracingConfig } = await service.update('traced', { TracingConfig: { Mode: 'Active' } });
    assert.deepEqual(TracingConfig, { Mode: 'Active' });
    const active = await trace();
    assert.match(active, /;Sampled=1/);
    const root = /Root=([^;]+)/.exec(active)?.[1] ?? '';
    const segment = await until(() => segments.find((text) => text.includes(root)));
    assert.match(segment, /"name":"traced"/);
  });

  test('an alias points at a version, and shares events out between two', async () => {
    const FunctionName = 'aliased';
    const { client } = service;
    await service.create(FunctionName, files, { Environment: { Variables: { WHICH: 'one' } } });
    await client.send(new PublishVersionCommand({ FunctionName }));
    await service.update(FunctionName, { Environment: { Variables: { WHICH: 'two' } } });
    await client.send(new PublishVersionCommand({ FunctionName }));
    const alias = { FunctionName, Name: 'live' };
    const created = await client.send(new CreateAliasCommand({ ...alias, FunctionVersion: '1' }));
    assert.match(created.AliasArn ?? '', /:function:aliased:live$/);
    const which = async (): Promise<string> => {
      const look = { do: 'environment', names: ['WHICH'] };
      const { value, version } = await service.invoke(FunctionName, look, { Qualifier: 'live' });
      assert.equal(value.WHICH, { 1: 'one', 2: 'two' }[version ?? '']);
      return value.WHICH;
    };
    assert.equal(await which(), 'one');
    await client.send(new UpdateAliasCommand({ ...alias, FunctionVersion: '2' }));
    assert.equal(await which(), 'two');
    const RoutingConfig = { AdditionalVersionWeights: { 1: 0.5 } };
    await client.send(new UpdateAliasCommand({ ...alias, RoutingConfig }));
    const seen = new Set<string>();
    // That fifty draws are all the same happens in one of 2^49 runs.
    for (let draw = 0; draw < 50 && seen.size < 2; draw += 1) seen.add(await which());
    assert.deepEqual([...seen].toSorted(), ['one', 'two']);
  });
});

const network = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] };

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A file that is still being written has another name. */
async function finished(folder: string): Promise<string | undefined> {
  return (await readdir(folder)).find((name) => !name.startsWith('.'));
}
