import assert from 'node:assert/strict';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';

import { runClient, type ClientRun } from '../testing/run-client.ts';

/** Runs the client with a server, and counts what it sends. */
async function runWith(
  t: TestContext,
  args: readonly string[],
  answer: (response: ServerResponse, count: number) => void,
): Promise<ClientRun & { readonly count: number }> {
  let count = 0;
  const listener: RequestListener = (request, response) => {
    count += 1;
    request.resume().once('end', () => answer(response, count));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const endpoint = ['--endpoint-url', `http://127.0.0.1:${port}`];
  const run = await runClient(['functions', ...args, ...endpoint], { network: true });
  return { ...run, count };
}

function cutOff(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '100' });
  response.write('{"half', () => response.destroy());
}

describe('an answer that is cut off', () => {
  it('does not invoke the function again', async (t) => {
    const args = ['invoke', '--function-name', 'f', 'out.json'];
    const { count, exitCode, stderr } = await runWith(t, args, (response) => cutOff(response, 200));
    assert.equal(count, 1);
    assert.equal(exitCode, 255);
    assert.match(stderr, /Connection was closed before we received a valid response/);
  });

  it('does not invoke the function again where it stops for too long', async (t) => {
    const args = ['invoke', '--function-name', 'f', 'out.json', '--cli-read-timeout', '1'];
    const { count, stderr } = await runWith(t, args, (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    });
    assert.equal(count, 1);
    assert.match(stderr, /Read timeout on endpoint URL/);
  });

  it('invokes again after an error that is cut off, and where nothing was answered', async (t) => {
    const args = ['invoke', '--function-name', 'f', '/dev/stdout'];
    const { count, exitCode } = await runWith(t, args, (response, attempt) => {
      if (attempt === 1) response.destroy();
      else if (attempt === 2) cutOff(response, 500);
      else response.end('1');
    });
    assert.equal(count, 3);
    assert.equal(exitCode, 0);
  });

  it('is asked for again where it is a record', async (t) => {
    const args = ['get-function-configuration', '--function-name', 'f'];
    const { count, exitCode } = await runWith(t, args, (response, attempt) => {
      if (attempt === 1) cutOff(response, 200);
      else response.end('{}');
    });
    assert.equal(count, 2);
    assert.equal(exitCode, 0);
  });
});
