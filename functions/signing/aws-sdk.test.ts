import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';

import {
  InvokeCommand,
  LambdaClient,
  ListFunctionsCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';

import { FunctionsError } from '../errors/functions-error.ts';
import {
  type Credentials,
  createSignatureVerifier,
  type SignatureVerifier,
} from './signature-verifier.ts';

const credentials: Credentials = {
  async find(accessKeyId, sessionToken) {
    const principal = {
      kind: 'user',
      accessKeyId,
      accountId: '123456789012',
      arn: 'a',
      userId: 'u',
      forgeUserId: 1,
    } as const;
    const known = sessionToken === (accessKeyId === 'ASIAEXAMPLE' ? 'to/ken==' : undefined);
    const secret = (): string => 'secret';
    return known ? { principal, cacheKey: accessKeyId, expiresAt: undefined, secret } : undefined;
  },
};

describe('the AWS SDK', () => {
  let server: Server;
  let endpoint = '';
  let targets: string[] = [];

  before(async () => {
    const verifier = createSignatureVerifier({
      credentials,
      clock: { now: () => Date.now() },
      region: 'us-east-1',
      accountId: '123456789012',
      allowUnsigned: false,
      unsignedPayloads: 'refused',
    });
    server = createServer((request, response) => {
      void answer(verifier, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    endpoint = `http://127.0.0.1:${address.port}`;
  });
  after(() => server.close());

  async function answer(
    verifier: SignatureVerifier,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method = '', url = '', rawHeaders } = request;
    targets.push(url);
    try {
      const checked = await verifier.checkCredential({ method, target: url, rawHeaders });
      checked.checkSignature(Buffer.concat(await request.toArray()));
      response.end('{}');
    } catch (error) {
      const refused = error instanceof FunctionsError ? error : undefined;
      response.writeHead(refused?.status ?? 500, { 'x-amzn-errortype': refused?.code ?? 'Fault' });
      response.end(JSON.stringify({ message: String(refused?.message ?? error) }));
    }
  }

  async function withClient<T>(
    options: { region?: string; accessKeyId?: string; secret?: string; token?: string },
    work: (client: LambdaClient) => Promise<T>,
  ): Promise<T> {
    const { region = 'us-east-1', accessKeyId = 'AKIAEXAMPLE', secret = 'secret', token } = options;
    const client = new LambdaClient({
      endpoint,
      region,
      maxAttempts: 1,
      credentials: {
        accessKeyId,
        secretAccessKey: secret,
        ...(token === undefined ? {} : { sessionToken: token }),
      },
    });
    targets = [];
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }

  it('is shown the exception', async () => {
    const list = (client: LambdaClient) => client.send(new ListFunctionsCommand({}));
    await assert.rejects(withClient({ secret: 'guess' }, list), {
      name: 'InvalidSignatureException',
    });
    await assert.rejects(withClient({ token: 'none' }, list), {
      name: 'UnrecognizedClientException',
    });
    await assert.rejects(withClient({ region: 'eu-west-3' }, list), {
      name: 'InvalidSignatureException',
      message: "Credential should be scoped to a valid region, not 'eu-west-3'.",
    });
  });

  for (const name of [
    'my-fn',
    'arn:aws:lambda:us-east-1:123456789012:function:my-fn:$LATEST',
    'with space',
    "a/b!'()*é",
    '..',
  ]) {
    it(`is accepted for the function ${JSON.stringify(name)}`, async () => {
      await withClient({}, (client) =>
        client.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, Timeout: 5 })),
      );
      assert.match(targets[0] ?? '', /^\/2015-03-31\/functions\/.+\/configuration$/);
    });
  }

  it('is accepted with a query, a payload, headers of its own and a session token', async () => {
    await withClient({ accessKeyId: 'ASIAEXAMPLE', token: 'to/ken==' }, async (client) => {
      await client.send(new ListFunctionsCommand({ Marker: 'a/b+c d&e=f~é', MaxItems: 7 }));
      await client.send(
        new InvokeCommand({
          FunctionName: 'f',
          Qualifier: '$LATEST',
          InvocationType: 'Event',
          ClientContext: Buffer.from('{"a":"b"}').toString('base64'),
          Payload: Buffer.from('{"ü":1}'),
        }),
      );
    });
    assert.equal(targets.length, 2);
  });
});
