import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DescribeLogGroupsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import aws4 from 'aws4';

import { DatabaseUnavailableError } from '#platform/storage-failure.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { testKey } from '../testing/test-credentials.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe('requests to other services at this address', () => {
  let functions: TestFunctions;
  let endpoint = '';
  const wrong = { ...testKey, secretAccessKey: 'guess' };
  const configured = (
    credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } = testKey,
  ) => ({
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials,
  });

  before(async () => {
    functions = await createTestFunctions({ settings: { allowUnsigned: false } });
    endpoint = await functions.listen();
  });
  after(() => functions.close());

  describe('STS', () => {
    it('reports whose key it is', async () => {
      const client = new STSClient(configured());
      const { Account, Arn, UserId } = await client.send(new GetCallerIdentityCommand({}));
      assert.deepEqual(
        { Account, Arn, UserId },
        {
          Account: '123456789012',
          Arn: 'arn:aws:iam::123456789012:user/ada',
          UserId: 'AIDAEXAMPLE',
        },
      );
      client.destroy();
    });

    it('refuses other actions and wrong credentials in its own form', async () => {
      const client = new STSClient(configured());
      await assert.rejects(
        client.send(
          new AssumeRoleCommand({
            RoleArn: 'arn:aws:iam::123456789012:role/worker',
            RoleSessionName: 'one',
          }),
        ),
        {
          name: 'InvalidAction',
          message: /Unsupported STS action: AssumeRole/,
        },
      );
      client.destroy();
      const guessing = new STSClient(configured(wrong));
      await assert.rejects(guessing.send(new GetCallerIdentityCommand({})), {
        name: 'SignatureDoesNotMatch',
      });
      guessing.destroy();
      const other = new STSClient(configured({ ...wrong, accessKeyId: 'AKIASTRANGER' }));
      await assert.rejects(other.send(new GetCallerIdentityCommand({})), {
        name: 'InvalidClientTokenId',
        message: 'The security token included in the request is invalid.',
      });
      other.destroy();
    });

    it('answers presigned requests, and those that no one signed with a refusal', async () => {
      const { path = '' } = aws4.sign(
        {
          host: new URL(endpoint).host,
          service: 'sts',
          region: 'us-east-1',
          path: '/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Expires=60',
          signQuery: true,
        },
        testKey,
      );
      const presigned = await fetch(`${endpoint}${path}`);
      assert.equal(presigned.status, 200);
      assert.match(await presigned.text(), /<Arn>arn:aws:iam::123456789012:user\/ada<\/Arn>/);

      const unsigned = await fetch(`${endpoint}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'Action=GetCallerIdentity&Version=2011-06-15',
      });
      assert.equal(unsigned.status, 400);
      assert.match(await unsigned.text(), /<Code>InvalidAction<\/Code>/);
    });
  });

  describe('CloudWatch Logs', () => {
    it('refuses wrong credentials and what it does not serve', async () => {
      const guessing = new CloudWatchLogsClient(configured(wrong));
      await assert.rejects(guessing.send(new DescribeLogGroupsCommand({})), {
        name: 'InvalidSignatureException',
      });
      guessing.destroy();
      const client = new CloudWatchLogsClient(configured());
      await assert.rejects(client.send(new CreateLogGroupCommand({ logGroupName: 'made' })), {
        name: 'UnknownOperationException',
        message: /no operation CreateLogGroup of CloudWatch Logs/,
      });
      await assert.rejects(client.send(new DescribeLogGroupsCommand({ limit: 51 })), {
        name: 'InvalidParameterException',
        message: /'limit' failed to satisfy constraint/,
      });
      client.destroy();
    });

    it('refuses a signature for another service, and a body that is no JSON', async () => {
      const target = 'Logs_20140328.DescribeLogGroups';
      for (const [service, body, code] of [
        ['sts', '{}', 'UnknownOperationException'],
        ['logs', '{', 'SerializationException'],
        ['logs', '[]', 'SerializationException'],
      ] as const) {
        const answer = await signed(service, '/', { target, body });
        assert.equal(answer.status, 400);
        assert.match(await answer.text(), new RegExp(`"__type":"${code}"`));
      }
    });
  });

  const signed = (
    service: string,
    path: string,
    {
      method = 'POST',
      target,
      type,
      body = '',
      headers = {},
    }: {
      method?: string;
      target?: string;
      type?: string;
      body?: string;
      headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Response> => {
    const request = aws4.sign(
      {
        host: new URL(endpoint).host,
        service,
        region: 'us-east-1',
        method,
        path,
        body,
        headers: {
          ...headers,
          ...(target === undefined ? {} : { 'X-Amz-Target': target }),
          ...(type === undefined ? {} : { 'Content-Type': type }),
        },
      },
      testKey,
    );
    const { Host: _host, 'Content-Length': _length, ...sent } = { ...request.headers };
    return fetch(`${endpoint}${path}`, {
      method,
      headers: Object.entries(sent).map(([name, value]) => [name, String(value)]),
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    });
  };

  const form = 'application/x-www-form-urlencoded; charset=utf-8';
  const refused = 'is not supported by this server, which implements';
  for (const [name, service, path, options, status, shape] of [
    [
      'IAM',
      'iam',
      '/',
      { type: form, body: 'Action=ListUsers&Version=2010-05-08' },
      400,
      /^<\?xml .*<ErrorResponse><Error><Type>Sender<\/Type><Code>InvalidAction<\/Code><Message>/s,
    ],
    [
      'EC2',
      'ec2',
      '/',
      { type: form, body: 'Action=DescribeVpcs&Version=2016-11-15' },
      400,
      /<Response><Errors><Error><Code>InvalidAction<\/Code>/,
    ],
    [
      'S3',
      's3',
      '/bucket/key?list-type=2',
      { method: 'GET' },
      501,
      /<Error><Code>NotImplemented<\/Code>/,
    ],
    [
      'CloudFront',
      'cloudfront',
      '/2020-05-31/distribution',
      { method: 'GET' },
      404,
      /<ErrorResponse><Error>/,
    ],
    [
      'DynamoDB',
      'dynamodb',
      '/',
      { target: 'DynamoDB_20120810.ListTables', body: '{}' },
      400,
      /^\{"__type":"UnknownOperationException","message":/,
    ],
    ['API Gateway', 'apigateway', '/restapis', { method: 'GET' }, 404, /^\{"message":/],
    [
      'CloudWatch',
      'monitoring',
      '/service/GraniteServiceVersion20100801/operation/ListMetrics',
      { headers: { 'smithy-protocol': 'rpc-v2-cbor' } },
      400,
      /__type.*UnknownOperationException/,
    ],
  ] as const) {
    it(`are refused in the form of their protocol (${name})`, async () => {
      const answer = await signed(service, path, options);
      assert.equal(answer.status, status);
      const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      assert.match(text, shape);
      assert.ok(text.includes(refused), text);
      assert.ok(answer.headers.has('x-amzn-requestid'));
    });
  }

  it('are refused before their body is read', async () => {
    const answer = await signed('s3', '/bucket/key', {
      method: 'PUT',
      body: 'x'.repeat(3_000_000),
    });
    assert.equal(answer.status, 501);
    await answer.arrayBuffer();
  });

  it('that are signed for the functions are refused as functions are', async () => {
    const answer = await signed('lambda', '/no/such/path', { method: 'GET' });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('x-amzn-errortype'), 'UnknownOperationException');
  });

  it('with a path of the functions stay with them', async () => {
    const answer = await signed('sts', '/2015-03-31/functions', { method: 'GET' });
    assert.equal(answer.status, 403);
    assert.match(await answer.text(), /Credential should be scoped to correct service: 'lambda'/);
  });

  it('are not found by their path', async () => {
    const answer = await fetch(`${endpoint}/-/other-services`);
    assert.equal(answer.status, 404);
  });
});

describe('requests to other services while the database is away', () => {
  it('are refused in their own forms, and their clients may try again', async () => {
    const database = await openTestDatabase();
    const gone = new DatabaseUnavailableError(new Error('no'));
    const functions = await createTestFunctions({
      settings: { allowUnsigned: false },
      database: { ...database, readOne: () => Promise.reject(gone) },
    });
    try {
      const options = {
        endpoint: await functions.listen(),
        region: 'us-east-1',
        maxAttempts: 1,
        credentials: { accessKeyId: 'AKIASTORED', secretAccessKey: 'secret' },
      };
      const logs = new CloudWatchLogsClient(options);
      await assert.rejects(logs.send(new DescribeLogGroupsCommand({})), {
        name: 'ServiceUnavailableException',
        message: /database is unavailable/,
      });
      logs.destroy();
      const sts = new STSClient(options);
      await assert.rejects(sts.send(new GetCallerIdentityCommand({})), {
        name: 'ServiceUnavailable',
        message: /database is unavailable/,
      });
      sts.destroy();
    } finally {
      await functions.close();
      await database.close();
    }
  });
});
