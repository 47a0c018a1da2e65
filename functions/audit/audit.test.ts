import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { createFunction } from '#functions-contract/operations/functions.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { auditLine, type AuditEvent, openAuditLog } from './audit-log.ts';
import { withoutSecrets } from './without-secrets.ts';

const secret = 'hunter2';
const server = { id: 'the-server', host: 'machine-1' };
const event: AuditEvent = {
  operation: updateFunctionConfiguration,
  principal: { accessKeyId: 'AKIAEXAMPLE', arn: 'arn:aws:iam::123456789012:user/ada' },
  requestId: '00000000-0000-4000-8000-000000000000',
  sourceAddress: '127.0.0.1',
  input: { FunctionName: 'f', Timeout: 5, Environment: { Variables: { A: secret } } },
  errorCode: undefined,
  revisionId: 'r',
  warnings: [],
};

describe('what the audit log shows', () => {
  const shown = (input: unknown): unknown =>
    withoutSecrets(updateFunctionConfiguration.input, input);

  it('has no environment, whatever its form', () => {
    const environments = [
      { Variables: { [secret]: secret } },
      { Variables: secret },
      secret,
      [secret],
    ];
    for (const Environment of environments) {
      assert.deepEqual(shown({ FunctionName: 'f', Environment }), { FunctionName: 'f' });
    }
  });

  it('has no code', () => {
    const ZipFile = Buffer.from(secret);
    const input = { FunctionName: 'f', Code: { ZipFile }, Tags: { a: 'b' } };
    assert.deepEqual(withoutSecrets(createFunction.input, input), {
      FunctionName: 'f',
      Tags: { a: 'b' },
    });
    const both = { Code: { ZipFile, S3Bucket: 'bucket' } };
    assert.deepEqual(withoutSecrets(createFunction.input, both), { Code: { S3Bucket: 'bucket' } });
  });

  it('has nothing that the contract does not know or that does not fit', () => {
    assert.deepEqual(shown({ FunctionName: 'f', Enviroment: secret, Timeout: secret }), {
      FunctionName: 'f',
    });
    for (const nothing of [undefined, null, secret, 1, [secret]]) {
      assert.equal(shown(nothing), undefined);
    }
  });

  it('has all the rest, empty structures too', () => {
    const input = {
      FunctionName: 'f',
      Timeout: 5,
      Layers: ['a', 'b'],
      VpcConfig: {},
      DeadLetterConfig: { TargetArn: '' },
    };
    assert.deepEqual(shown(input), input);
  });

  it('is one line, whatever the input holds', () => {
    const Description = 'a\nb\u0000\u001b[31m';
    const line = auditLine({ ...event, input: { FunctionName: 'f', Description } }, server, 0);
    // oxlint-disable-next-line no-control-regex -- that there are none is the point
    assert.doesNotMatch(line, /[\u0000-\u001f]/);
    assert.equal(JSON.parse(line).parameters.Description, Description);
  });

  it('is short, whatever the input’s size', () => {
    const line = auditLine({ ...event, input: { Description: 'x'.repeat(100_000) } }, server, 0);
    assert.equal(JSON.parse(line).parameters, 'left out: too long');
    assert.ok(line.length < 1000);
  });

  it('says who did what', () => {
    assert.deepEqual(JSON.parse(auditLine(event, server, Date.UTC(2026, 0, 1))), {
      time: '2026-01-01T00:00:00.000Z',
      event: 'UpdateFunctionConfiguration',
      principal: 'arn:aws:iam::123456789012:user/ada',
      accessKeyId: 'AKIAEXAMPLE',
      sourceAddress: '127.0.0.1',
      requestId: '00000000-0000-4000-8000-000000000000',
      parameters: { FunctionName: 'f', Timeout: 5 },
      revisionId: 'r',
      serverId: 'the-server',
      host: 'machine-1',
    });
    const refused = { ...event, principal: undefined, input: undefined, errorCode: 'AccessDenied' };
    const line = JSON.parse(auditLine({ ...refused, revisionId: undefined }, server, 0));
    assert.deepEqual(Object.keys(line), [
      'time',
      'event',
      'sourceAddress',
      'requestId',
      'errorCode',
      'serverId',
      'host',
    ]);
  });
});

describe('the audit log', () => {
  let parent = '';
  let folder = '';
  let path = '';
  let count = 0;

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'hob-audit-'));
  });
  beforeEach(() => {
    folder = join(parent, String((count += 1)));
    path = join(folder, 'audit.log');
  });
  after(() => rm(parent, { recursive: true }));

  const open = (fileBytes?: number) =>
    openAuditLog({
      path,
      clock: { now: () => 0 },
      server,
      onLost: (error) => assert.fail(String(error)),
      ...(fileBytes === undefined ? {} : { fileBytes }),
    });

  async function linesOf(name: string): Promise<string[]> {
    const text = await readFile(join(folder, name), 'utf8');
    return text.split('\n').slice(0, -1);
  }

  it('has a line in the file when it says so, in order, for its owner only', async () => {
    const log = await open();
    await log.record(event);
    assert.equal((await linesOf('audit.log')).length, 1);
    const requestIds = Array.from({ length: 50 }, (_none, index) => `r${index}`);
    await Promise.all(requestIds.map((requestId) => log.record({ ...event, requestId })));
    const lines = (await linesOf('audit.log')).slice(1);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).requestId),
      requestIds,
    );
    assert.ok(!(await readFile(path, 'utf8')).includes(secret));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await log.close();
  });

  it(
    'hands over each line that the disk does not take, and lets the call end',
    { skip: !existsSync('/dev/full') },
    async () => {
      const lost: string[] = [];
      const log = await openAuditLog({
        path: '/dev/full',
        clock: { now: () => 0 },
        server,
        onLost: (error, lines) => {
          assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC');
          lost.push(lines);
        },
      });
      await Promise.all([1, 2].map(() => log.record(event)));
      await log.record(event);
      await log.close();
      assert.equal(lost.join(''), `${auditLine(event, server, 0)}\n`.repeat(3));
    },
  );

  it('goes on where it ended, on a line of its own', async () => {
    const log = await open();
    await log.record(event);
    await log.close();
    await writeFile(path, '{"time":"20', { flag: 'a' });
    const again = await open();
    await again.record(event);
    await again.close();
    const [first, cut, last] = await linesOf('audit.log');
    assert.deepEqual(
      [first, cut, last],
      [auditLine(event, server, 0), '{"time":"20', auditLine(event, server, 0)],
    );
  });

  it('puts full files aside and drops the oldest', async () => {
    const log = await open(auditLine(event, server, 0).length * 2 + 10);
    for (let index = 0; index < 30; index += 1) {
      await log.record({ ...event, requestId: `${event.requestId.slice(0, -2)}${index + 10}` });
    }
    await log.close();
    const names = await readdir(folder);
    assert.equal(names.length, 8);
    const retained = await Promise.all(names.map(linesOf));
    assert.ok(retained.every((lines) => lines.length === 2));
    const [last = ''] = (await linesOf('audit.log')).slice(-1);
    assert.match(JSON.parse(last).requestId, /39$/);
    const [oldest = ''] = await linesOf('audit.log.7');
    assert.match(JSON.parse(oldest).requestId, /24$/);
  });

  it('reads its last lines, newest first, also just after a rotation and of a line that was cut', async () => {
    const log = await open(auditLine(event, server, 0).length * 3 + 10);
    assert.deepEqual(await log.recent(5), []);
    for (let index = 0; index < 4; index += 1) {
      await log.record({ ...event, sourceAddress: `127.0.0.${index}` });
    }
    const addresses = async (max: number): Promise<unknown[]> =>
      (await log.recent(max)).map(({ sourceAddress }) => sourceAddress);
    assert.equal((await linesOf('audit.log')).length, 1);
    assert.deepEqual(await addresses(9), ['127.0.0.3', '127.0.0.2', '127.0.0.1', '127.0.0.0']);
    assert.deepEqual(await addresses(2), ['127.0.0.3', '127.0.0.2']);
    await writeFile(path, '{"time":"20\n', { flag: 'a' });
    const [cut, last] = await log.recent(2);
    assert.deepEqual([cut?.event, cut?.parameters], [undefined, '{"time":"20']);
    assert.deepEqual(last, {
      time: '1970-01-01T00:00:00.000Z',
      event: 'UpdateFunctionConfiguration',
      principal: 'arn:aws:iam::123456789012:user/ada',
      sourceAddress: '127.0.0.3',
      errorCode: undefined,
      parameters: '{"FunctionName":"f","Timeout":5}',
    });
    await log.close();
  });

  it('reads no more than the end of a long file', async () => {
    const log = await open();
    const Description = 'x'.repeat(60_000);
    for (let index = 0; index < 6; index += 1) {
      await log.record({ ...event, input: { Description } });
    }
    const entries = await log.recent(100);
    assert.equal(entries.length, 4);
    assert.ok(entries.every((entry) => entry.event === 'UpdateFunctionConfiguration'));
    await log.close();
  });
});
