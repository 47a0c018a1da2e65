import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateCodeSigningConfigCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  GetAccountSettingsCommand,
  GetFunctionCodeSigningConfigCommand,
  GetLayerVersionByArnCommand,
  GetPolicyCommand,
  InvokeCommand,
  InvokeWithResponseStreamCommand,
  LambdaClient,
  ListLayersCommand,
  ListProvisionedConcurrencyConfigsCommand,
  ListTagsCommand,
  paginateListAliases,
  PublishLayerVersionCommand,
  PublishVersionCommand,
  PutFunctionCodeSigningConfigCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { testKey } from './test-credentials.ts';
import { createTestFunctions, testRole, testZip, type TestFunctions } from './test-functions.ts';

describe('the AWS SDK and the whole service', () => {
  let functions: TestFunctions;
  let client: LambdaClient;
  before(async () => {
    functions = await createTestFunctions({ settings: { allowUnsigned: false } });
    client = new LambdaClient({
      endpoint: await functions.listen(),
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: testKey,
    });
  });
  after(async () => {
    client.destroy();
    await functions.close();
  });

  const FunctionName = 'fn';

  it('make, wait for, change, publish and delete a function', async () => {
    const made = await client.send(
      new CreateFunctionCommand({
        FunctionName,
        Role: testRole,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: testZip },
      }),
    );
    assert.equal(made.State, 'Pending');
    const waiting = { client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 };
    await waitUntilFunctionActiveV2(waiting, { FunctionName });
    await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 9 }));
    await waitUntilFunctionUpdatedV2(waiting, { FunctionName });
    const published = await client.send(new PublishVersionCommand({ FunctionName }));
    assert.equal(published.Version, '1');
    for (const Name of ['a', 'b', 'c']) {
      await client.send(new CreateAliasCommand({ FunctionName, Name, FunctionVersion: '1' }));
    }
    const names: (string | undefined)[] = [];
    for await (const page of paginateListAliases({ client, pageSize: 2 }, { FunctionName })) {
      for (const { Name } of page.Aliases ?? []) names.push(Name);
    }
    assert.deepEqual(names, ['a', 'b', 'c']);
    const Payload = Buffer.from('{"a":1}');
    const ran = await client.send(
      new InvokeCommand({ FunctionName, Qualifier: 'a', Payload, LogType: 'Tail' }),
    );
    assert.equal(ran.ExecutedVersion, '1');
    assert.equal(Buffer.from(ran.Payload ?? []).toString(), '{"a":1}');
    assert.equal(Buffer.from(ran.LogResult ?? '', 'base64').toString(), 'the log\n');
  });

  it('read answers piece by piece', async () => {
    functions.environments.answer(() => ({
      kind: 'stream',
      body: (async function* () {
        yield Buffer.from('Hello');
        yield Buffer.from(', world!');
      })(),
      trailer: Promise.resolve({ type: 'Error.Late', payload: Buffer.from('{"late":true}') }),
    }));
    const { EventStream, ExecutedVersion } = await client.send(
      new InvokeWithResponseStreamCommand({ FunctionName, LogType: 'Tail' }),
    );
    functions.environments.answer((event) => ({ kind: 'response', payload: event.payload }));
    assert.equal(ExecutedVersion, '$LATEST');
    const texts: string[] = [];
    for await (const event of EventStream ?? []) {
      if (event.PayloadChunk) texts.push(Buffer.from(event.PayloadChunk.Payload ?? []).toString());
      if (event.InvokeComplete) texts.push(JSON.stringify(event.InvokeComplete));
    }
    const log = Buffer.from('the log\n').toString('base64');
    assert.deepEqual(texts, [
      'Hello',
      ', world!',
      JSON.stringify({
        ErrorCode: 'Error.Late',
        ErrorDetails: '{"late":true}',
        LogResult: log,
      }),
    ]);
  });

  it('share it, tag it and read what surrounds it', async () => {
    await client.send(
      new AddPermissionCommand({
        FunctionName,
        StatementId: 's3',
        Action: 'lambda:InvokeFunction',
        Principal: 's3.amazonaws.com',
      }),
    );
    const { Policy } = await client.send(new GetPolicyCommand({ FunctionName }));
    assert.equal(JSON.parse(Policy ?? '').Statement[0].Sid, 's3');
    const Resource = 'arn:aws:lambda:us-east-1:123456789012:function:fn';
    await client.send(new TagResourceCommand({ Resource, Tags: { a: '1', b: '2' } }));
    await client.send(new UntagResourceCommand({ Resource, TagKeys: ['a', 'c'] }));
    assert.deepEqual((await client.send(new ListTagsCommand({ Resource }))).Tags, { b: '2' });
    const { AccountUsage } = await client.send(new GetAccountSettingsCommand({}));
    assert.equal(AccountUsage?.FunctionCount, 1);
    const unset = await client.send(new GetFunctionCodeSigningConfigCommand({ FunctionName }));
    assert.equal(unset.CodeSigningConfigArn, undefined);
    const publisher = 'arn:aws:signer:us-east-1:123456789012:/signing-profiles/build/abcdefghij';
    const { CodeSigningConfig } = await client.send(
      new CreateCodeSigningConfigCommand({
        AllowedPublishers: { SigningProfileVersionArns: [publisher] },
      }),
    );
    const { CodeSigningConfigArn } = CodeSigningConfig ?? {};
    await client.send(
      new PutFunctionCodeSigningConfigCommand({ FunctionName, CodeSigningConfigArn }),
    );
    const set = await client.send(new GetFunctionCodeSigningConfigCommand({ FunctionName }));
    assert.equal(set.CodeSigningConfigArn, CodeSigningConfigArn);
    const provisioned = await client.send(
      new ListProvisionedConcurrencyConfigsCommand({ FunctionName }),
    );
    assert.deepEqual(provisioned.ProvisionedConcurrencyConfigs, []);
    const url = await client.send(
      new CreateFunctionUrlConfigCommand({ FunctionName, AuthType: 'NONE' }),
    );
    assert.match(url.FunctionUrl ?? '', /lambda-url/);
  });

  it('publish a layer and find it by its ARN', async () => {
    const published = await client.send(
      new PublishLayerVersionCommand({ LayerName: 'tools', Content: { ZipFile: testZip } }),
    );
    assert.equal(published.Version, 1);
    const { Layers } = await client.send(new ListLayersCommand({}));
    assert.equal(Layers?.[0]?.LayerName, 'tools');
    const Arn = published.LayerVersionArn ?? '';
    const found = await client.send(new GetLayerVersionByArnCommand({ Arn }));
    assert.equal(found.Version, 1);
  });

  it('are shown the exception', async () => {
    await client.send(new DeleteFunctionCommand({ FunctionName }));
    await assert.rejects(client.send(new DeleteFunctionCommand({ FunctionName })), {
      name: 'ResourceNotFoundException',
      message: `Function not found: arn:aws:lambda:us-east-1:123456789012:function:fn`,
    });
  });
});
