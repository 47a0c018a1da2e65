import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { setFunctionCaller } from '#platform/function-caller.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { metricsAccess } from './metrics-access.ts';

function requestFrom(address: string, headers: Record<string, string>): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, headers);
  return request;
}

describe('who reads the metrics', () => {
  it('is nobody where they are off', async () => {
    assert.equal(await metricsAccess({ kind: 'off' }), undefined);
  });

  describe('on loopback', () => {
    const mayRead = async (address: string, headers: Record<string, string>): Promise<boolean> =>
      (await metricsAccess({ kind: 'loopback' }))?.(requestFrom(address, headers)) ?? false;

    for (const [address, host] of [
      ['127.0.0.1', 'localhost:3000'],
      ['::ffff:127.0.0.1', '127.0.0.1:3000'],
      ['::1', '[::1]:3000'],
    ] as const) {
      it(`is a program at ${address} that asks ${host}`, async () => {
        assert.equal(await mayRead(address, { host }), true);
      });
    }

    for (const [address, headers, why] of [
      ['10.0.0.1', { host: 'localhost:3000' }, 'another machine'],
      ['127.0.0.1', { host: 'code.example.org' }, 'a proxy that keeps the host, or DNS rebinding'],
      ['127.0.0.1', { host: 'localhost.example.org' }, 'a host that begins alike'],
      ['127.0.0.1', {}, 'no host'],
      ['127.0.0.1', { host: 'localhost', 'x-forwarded-for': '10.0.0.1' }, 'a proxy'],
      ['127.0.0.1', { host: 'localhost', forwarded: 'for=10.0.0.1' }, 'a proxy'],
      ['127.0.0.1', { host: 'localhost', via: '1.1 proxy' }, 'a proxy'],
    ] as const) {
      it(`is not ${why}: ${address} ${JSON.stringify(headers)}`, async () => {
        assert.equal(await mayRead(address, headers), false);
      });
    }

    it('is no function, wherever its connection comes from', async () => {
      const request = requestFrom('127.0.0.1', { host: 'localhost' });
      setFunctionCaller(request, { functionArn: 'arn', reach: 'service' });
      assert.equal((await metricsAccess({ kind: 'loopback' }))?.(request), false);
    });
  });

  describe('by a token', () => {
    const token = '0123456789abcdef';
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hob-metrics-'));
    });
    after(() => rm(folder, { recursive: true }));

    async function accessWith(text: string): ReturnType<typeof metricsAccess> {
      const file = join(folder, 'token');
      await writeFile(file, text);
      return metricsAccess({ kind: 'token', file });
    }

    it('is who has it, from anywhere', async () => {
      const mayRead = await accessWith(`${token}\n`);
      const ask = (headers: Record<string, string>): boolean | undefined =>
        mayRead?.(requestFrom('10.0.0.1', headers));
      for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
        assert.equal(ask({ authorization }), true);
      }
      assert.equal(ask({}), false);
      for (const wrong of ['', 'Bearer', `Bearer ${token}0`, `Basic ${token}`, token]) {
        assert.equal(ask({ authorization: wrong }), false, wrong);
      }
    });

    it('refuses to start with a token that is short, two tokens or no file', async () => {
      const isReadable = (error: unknown): boolean =>
        error instanceof OperatorError && /HOB_METRICS/.test(error.message);
      await assert.rejects(accessWith('short'), isReadable);
      await assert.rejects(accessWith(`${token}\n${token}\n`), isReadable);
      const file = join(folder, 'absent');
      await assert.rejects(metricsAccess({ kind: 'token', file }), isReadable);
    });
  });
});
