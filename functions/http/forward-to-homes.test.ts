import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { setRequestLineage } from '#platform/invocation-lineage.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { type HomeNodes, onlyNode } from '../ports/home-nodes.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import { arnOf, createTestFunctions } from '../testing/test-functions.ts';
import { createTestHomes, otherResponse, type TestHomes } from '../testing/test-homes.ts';

describe('requests about a function whose home is another server', () => {
  let homes: TestHomes;
  let functions: TestConsole;
  /** Of the function URL of `there`. */
  let id: string;
  before(async () => {
    homes = createTestHomes();
    functions = await createTestConsole({ homes });
    await functions.create('here');
    await functions.create('there');
    const url = await functions.call('CreateFunctionUrlConfig', {
      FunctionName: 'there',
      AuthType: 'NONE',
    });
    id = new URL(url.body.FunctionUrl).host.split('.')[0] ?? '';
    homes.own('here', 'new');
  });
  after(() => functions.close());

  it('are answered by that server, before anything of them is checked', async () => {
    const requests = [
      ['POST', '/2015-03-31/functions/there/invocations'],
      ['POST', `/2015-03-31/functions/${encodeURIComponent(arnOf('there'))}/invocations`],
      ['POST', '/2015-03-31/functions/123456789012:function:there:alias/invocations'],
      ['POST', '/2014-11-13/functions/there/invoke-async'],
      ['POST', '/2021-11-15/functions/there/response-streaming-invocations'],
      ['PUT', '/2015-03-31/functions/there/configuration?Qualifier=1'],
      ['DELETE', '/2015-03-31/functions/there'],
    ] as const;
    for (const [method, target] of requests) {
      // Neither this signature nor this body is valid.
      const headers = { authorization: 'AWS4-HMAC-SHA256 wrong', 'content-type': 'text/plain' };
      const body = '{';
      const answer = await functions.send({ method, target, headers, body });
      assert.deepEqual([answer.status, answer.text], [299, otherResponse], target);
      assert.equal(answer.headers['x-amzn-requestid'], undefined, target);
    }
    assert.deepEqual(
      homes.passedOn.slice(-requests.length),
      requests.map(() => 'there'),
    );
  });

  it('are answered here if they only read, or name no function', async () => {
    const count = homes.passedOn.length;
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'there' });
    assert.equal(body.FunctionName, 'there');
    assert.equal((await functions.call('ListFunctions')).status, 200);
    assert.equal((await functions.create('new')).status, 201);
    const unreadable = {
      method: 'POST',
      target: '/2015-03-31/functions/a%2Fb/invocations',
    } as const;
    assert.equal((await functions.send(unreadable)).status, 400);
    assert.equal((await functions.call('Invoke', { FunctionName: 'here' })).status, 200);
    assert.equal(homes.passedOn.length, count);
  });

  it('are answered by that server at function URLs, of both forms', async () => {
    const byPath = await functions.send({ method: 'PUT', target: `/lambda-url/${id}/a?b=c` });
    assert.deepEqual([byPath.status, byPath.text], [299, otherResponse]);
    const host = `${id}.lambda-url.us-east-1.localhost`;
    const byHost = await functions.send({ method: 'GET', target: '/a', headers: { host } });
    assert.deepEqual([byHost.status, byHost.text], [299, otherResponse]);
    const unknown = `/lambda-url/${'a'.repeat(32)}/`;
    assert.equal((await functions.send({ method: 'GET', target: unknown })).status, 404);
  });

  it('are answered by that server for forms of the console, and here for its pages', async () => {
    const browser = await functions.signedIn('octocat');
    assert.equal((await browser.get('/-/functions/there/test')).status, 200);
    const posted = await functions.send({
      method: 'POST',
      target: '/-/functions/there/test/invoke',
    });
    assert.deepEqual([posted.status, posted.text], [299, otherResponse]);
    const own = await functions.send({ method: 'POST', target: '/-/functions/here/test/invoke' });
    assert.notEqual(own.status, 299);
  });

  it('are refused, to be repeated, when that server is unavailable', async () => {
    const details = { status: 503, retryAfterSeconds: 1 };
    homes.failWith(new FunctionsError('ServiceException', 'Unavailable.', details));
    const answer = await functions.call('Invoke', { FunctionName: 'there' });
    homes.failWith(undefined);
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
    assert.equal(answer.body.message ?? answer.body.Message, 'Unavailable.');
  });
});

describe('a request to a function URL that another server has sent', () => {
  it('continues the chain of requests that this one vouches for, unlike that of a client', async () => {
    const lineage = '0a1b2c3d:2';
    let isOfServer = false;
    const homes: HomeNodes = {
      ...onlyNode,
      async forwardToHome(_name, { raw }) {
        if (isOfServer) setRequestLineage(raw, lineage);
        return false;
      },
    };
    const functions = await createTestFunctions({ homes });
    try {
      await functions.create('fn');
      const config = { FunctionName: 'fn', AuthType: 'NONE' };
      const { body } = await functions.call('CreateFunctionUrlConfig', config);
      await functions.call('AddPermission', {
        FunctionName: 'fn',
        StatementId: 'public',
        Action: 'lambda:InvokeFunctionUrl',
        Principal: '*',
        FunctionUrlAuthType: 'NONE',
      });
      const headers = {
        host: new URL(body.FunctionUrl).host,
        'x-amzn-trace-id': `Lineage=${lineage}`,
      };
      const traced = async (): Promise<string> => {
        const answer = await functions.send({ method: 'POST', target: '/', headers });
        assert.equal(answer.status, 200, answer.text);
        return functions.environments.invoked.at(-1)?.event.traceHeader ?? '';
      };
      assert.doesNotMatch(await traced(), /0a1b2c3d/);
      isOfServer = true;
      assert.match(await traced(), /0a1b2c3d:2/);
    } finally {
      await functions.close();
    }
  });
});
