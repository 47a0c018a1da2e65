// Runs on SQLite alone: it shows what isolation enforces.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { nodeProbe } from './probe-functions.ts';

const files = { 'index.mjs': nodeProbe };

/** Each setting is changed by the AWS SDK, and its effect is seen from inside the function. */
describe('settings of functions', { concurrency: 4 }, () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService();
  });
  after(() => service.stop());

  /** Why a part that needs the host's help is not tested here; false where it is. */
  const unlessIsolated = (): string | false =>
    service.tier === 'full' ? false : `this host isolates functions by tier "${service.tier}"`;

  test('Timeout: everything that the function started ends; /tmp survives, memory does not', async (context) => {
    await service.create('timeout', files, { Timeout: 60 });
    // On a busy host what is started needs a while before it runs.
    const { Timeout } = await service.update('timeout', { Timeout: 4 });
    assert.equal(Timeout, 4);
    assert.equal((await service.invoke('timeout', { do: 'count' })).value, 1);
    assert.equal((await service.invoke('timeout', { do: 'count' })).value, 2);
    const began = performance.now();
    const late = await service.invoke('timeout', { do: 'escape' });
    // Long before the 60 seconds of the configuration before.
    assert.ok(performance.now() - began < 40_000);
    assert.equal(late.error, 'Unhandled');
    assert.equal(late.value.errorType, 'Sandbox.Timedout');
    assert.match(
      late.value.errorMessage,
      /^RequestId: \S+ Error: Task timed out after 4\.00 seconds$/,
    );
    assert.match(late.log, /Task timed out after 4\.00 seconds\n/);
    assert.equal((await service.invoke('timeout', { do: 'count' })).value, 1);
    const alive = { do: 'read', path: '/tmp/alive' };
    const { value } = await service.invoke('timeout', alive);
    assert.match(value, /^\d+\n$/);
    if (unlessIsolated() !== false) {
      context.diagnostic(`children that left their group are not searched: ${unlessIsolated()}`);
      return;
    }
    await service.invoke('timeout', { do: 'sleep', milliseconds: 100 });
    assert.equal((await service.invoke('timeout', alive)).value, value);
  });

  test('MemorySize is reported, measured and enforced', async (context) => {
    await service.create('memory', files, { MemorySize: 256, Timeout: 60 });
    const reported = { do: 'environment', names: ['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] };
    assert.deepEqual(Object.values((await service.invoke('memory', reported)).value), ['256']);
    if (unlessIsolated() === false) {
      const tooMuch = await service.invoke('memory', { do: 'allocate', mebibytes: 400 });
      assert.equal(tooMuch.value.errorType, 'Runtime.ExitError');
      assert.match(tooMuch.value.errorMessage, /signal: killed$/);
    } else context.diagnostic(`memory beyond the limit is not tried: ${unlessIsolated()}`);
    await service.update('memory', { MemorySize: 1024 });
    assert.deepEqual(Object.values((await service.invoke('memory', reported)).value), ['1024']);
    const enough = await service.invoke('memory', { do: 'allocate', mebibytes: 400 });
    assert.equal(enough.error, undefined, JSON.stringify(enough.value));
    const { log } = await service.invoke('memory', reported);
    assert.match(log, /\tMemory Size: 1024 MB\t/);
    const used = Number(/Max Memory Used: (\d+) MB/.exec(log)?.[1]);
    assert.ok(used >= 400 && used <= 1024, `Max Memory Used: ${used} MB`);
  });

  test('EphemeralStorage: /tmp is that large, and what is in it is no memory', async (context) => {
    if (unlessIsolated() !== false) return context.skip(String(unlessIsolated()));
    const space = async (mebibytes: number): Promise<string> =>
      (await service.invoke('storage', { do: 'reserve', mebibytes })).value;
    await service.create('storage', files, { Timeout: 60 });
    assert.equal(await space(400), 'there is space');
    assert.match(await space(530), /No space left on device/);
    await service.update('storage', { EphemeralStorage: { Size: 600 }, MemorySize: 256 });
    assert.equal(await space(530), 'there is space');
    const more = await service.invoke('storage', { do: 'fill', mebibytes: 320 });
    assert.deepEqual(more.value, { written: 320 * 1024 * 1024 });
  });

  test('Environment is what the function sees, and nowhere to be read on disk', async () => {
    const look = { do: 'environment', names: ['GREETING', 'OTHER'] };
    const secret = 'xyzzy-this-is-a-secret';
    await service.create('environment', files, { Environment: { Variables: { GREETING: 'hi' } } });
    assert.deepEqual((await service.invoke('environment', look)).value, { GREETING: 'hi' });
    const changed = { Environment: { Variables: { GREETING: secret, OTHER: 'ü' } } };
    const { Environment } = await service.update('environment', changed);
    assert.deepEqual(Environment, changed.Environment);
    const seen = (await service.invoke('environment', look)).value;
    assert.deepEqual(seen, changed.Environment.Variables);
    assert.equal(await filesWith(secret, service.dataFolder), '');
    await service.update('environment', { Description: 'without variables' });
    assert.equal((await service.invoke('environment', look)).value.GREETING, secret);
    const instead = { TZ: 'Asia/Tokyo', NODE_PATH: '/tmp', PATH: '/usr/bin', LANG: 'C' };
    await service.update('environment', { Environment: { Variables: instead } });
    const names = Object.keys(instead);
    const { value } = await service.invoke('environment', { do: 'environment', names });
    assert.deepEqual(value, instead);
    await service.update('environment', { Environment: { Variables: {} } });
    assert.deepEqual((await service.invoke('environment', look)).value, {});
  });

  test('KMSKeyArn: a key of the ring seals the variables; without it they are not returned', async () => {
    const KMSKeyArn = (await service.server.admin('create-key')).trim().split('\n')[0] ?? '';
    const Environment = { Variables: { GREETING: 'sealed' } };
    await service.create('sealed', files);
    await service.update('sealed', { KMSKeyArn, Environment });
    const look = { do: 'environment', names: ['GREETING'] };
    assert.equal((await service.invoke('sealed', look)).value.GREETING, 'sealed');
    await service.server.admin('disable-key', KMSKeyArn);
    const failed = await service.updateThatFails('sealed', { Description: 'changed' });
    assert.equal(failed.LastUpdateStatusReasonCode, 'DisabledKMSKey');
    assert.equal(
      (await service.configuration('sealed')).Environment?.Error?.ErrorCode,
      'DisabledException',
    );
    assert.equal((await service.invoke('sealed', look)).value.GREETING, 'sealed');
    await service.server.admin('enable-key', KMSKeyArn);
    await service.update('sealed', { Description: 'changed' });
  });

  test('Handler, Runtime and Description', async () => {
    await service.create('handler', files);
    await service.update('handler', { Handler: 'index.other' });
    assert.equal((await service.invoke('handler')).value, 'the other handler');
    const settings = { Handler: 'index.handler', Runtime: 'nodejs22.x' } as const;
    const { Description } = await service.update('handler', { ...settings, Description: 'é' });
    assert.equal(Description, 'é');
    const names = ['AWS_EXECUTION_ENV', '_HANDLER'];
    const { value } = await service.invoke('handler', { do: 'environment', names });
    assert.deepEqual(value, {
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
      _HANDLER: 'index.handler',
    });
  });

  test('Role: the function has its credentials, and the service takes them', async () => {
    await service.create('role', files);
    const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
    const look = { do: 'environment', names };
    const first = (await service.invoke('role', look)).value;
    const Role = 'arn:aws:iam::123456789012:role/path/other';
    assert.equal((await service.update('role', { Role })).Role, Role);
    const inside = (await service.invoke('role', look)).value;
    assert.notEqual(inside.AWS_ACCESS_KEY_ID, first.AWS_ACCESS_KEY_ID);
    const client = new LambdaClient({
      endpoint: service.server.url,
      region: 'us-east-1',
      credentials: {
        accessKeyId: inside.AWS_ACCESS_KEY_ID,
        secretAccessKey: inside.AWS_SECRET_ACCESS_KEY,
        sessionToken: inside.AWS_SESSION_TOKEN,
      },
    });
    const reported = await client.send(
      new GetFunctionConfigurationCommand({ FunctionName: 'role' }),
    );
    assert.equal(reported.FunctionName, 'role');
  });

  test('LoggingConfig: JSON records, by level, in a group of its own', async () => {
    await service.create('logging', files);
    const lines = [
      ['info', 'quiet'],
      ['error', 'loud'],
    ];
    const plain = await service.invoke('logging', { do: 'log', lines });
    assert.match(plain.log, /\tINFO\tquiet\n.*\tERROR\tloud\n/);
    const LoggingConfig = {
      LogFormat: 'JSON',
      ApplicationLogLevel: 'ERROR',
      SystemLogLevel: 'INFO',
      LogGroup: '/shared/group',
    } as const;
    await service.update('logging', { LoggingConfig });
    const { log } = await service.invoke('logging', { do: 'log', lines });
    const records = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      records.map(({ type, level, message }) => type ?? [level, message]),
      ['platform.start', ['ERROR', 'loud'], 'platform.report'],
    );
    await service.update('logging', {
      LoggingConfig: { ...LoggingConfig, SystemLogLevel: 'WARN' },
    });
    const { log: less } = await service.invoke('logging', { do: 'log', lines });
    assert.deepEqual(JSON.parse(less).message, 'loud');
    const groups = await readdir(join(service.dataFolder, 'functions', 'logs'));
    assert.ok(
      groups.some((group) => decodeURIComponent(group).includes('shared')),
      groups.join(),
    );
  });
});

/** But for what the functions themselves have in their `/tmp`. */
async function filesWith(text: string, folder: string): Promise<string> {
  const args = ['-rlaFs', '--devices=skip', '--exclude-dir=launcher', text, folder];
  const { stdout } = await promisify(execFile)('sh', ['-c', 'grep "$@" || true', 'grep', ...args]);
  return stdout;
}
