import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestUser } from '#forge/testing/test-forge.ts';
import { queuedEventsMax } from '#functions-contract/limits.ts';
import { arnOf } from '#functions/testing/test-functions.ts';
import { currentLineage, inLineage } from '#platform/invocation-lineage.ts';
import { present } from '#platform/present.ts';

import { connectServices, type ConnectedServices } from './testing/connected-services.ts';

const secret = 'hush';
/** Longer than a claim of a delivery lasts. */
const leaseMilliseconds = 61_000;
const deadLetters = 'arn:aws:sqs:us-east-1:123456789012:dead-letters';

describe('webhooks to the ARN of a function', () => {
  let services: ConnectedServices;
  let owner: TestUser;
  let serial = 0;
  let inbox: string;
  before(async () => {
    inbox = await mkdtemp(join(tmpdir(), 'hob-inbox-'));
    const targets = new Map([[deadLetters, { kind: 'folder', folder: inbox } as const]]);
    services = await connectServices({ targets });
    owner = await services.forge.user('own');
  });
  after(async () => {
    await services.close();
    await rm(inbox, { recursive: true, force: true });
  });

  async function newFunction(): Promise<string> {
    serial += 1;
    await services.functions.create(`fn-${serial}`, { Publish: true });
    return `fn-${serial}`;
  }

  const sourceOf = (repository: string): string =>
    `arn:aws:codecommit:us-east-1:123456789012:${repository}`;

  async function allow(
    FunctionName: string,
    SourceArn: string | undefined,
    more: Record<string, unknown> = {},
  ): Promise<void> {
    serial += 1;
    const { status, text } = await services.functions.call('AddPermission', {
      FunctionName,
      StatementId: `s${serial}`,
      Action: 'lambda:InvokeFunction',
      Principal: 'codecommit.amazonaws.com',
      ...present({ SourceArn }),
      ...more,
    });
    assert.equal(status, 201, text);
  }

  const create = (repository: string, url: string) =>
    owner.post(`/repos/${repository}/hooks`, {
      config: { url, content_type: 'json', secret },
      events: ['label'],
    });

  /** A function and a webhook to it in a repository of its own; the ping is delivered. */
  async function hooked(): Promise<{ name: string; repository: string; hook: string }> {
    const name = await newFunction();
    const repository = await services.forge.repository(owner);
    await allow(name, sourceOf(repository));
    const created = await create(repository, arnOf(name));
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.config.url, arnOf(name));
    await services.deliver();
    return { name, repository, hook: `/repos/${repository}/hooks/${created.body.id}` };
  }

  async function lastDelivery(hook: string): Promise<Record<string, any>> {
    const [{ id }] = (await owner.get(`${hook}/deliveries`)).body;
    return (await owner.get(`${hook}/deliveries/${id}`)).body;
  }

  const runsOf = (name: string) =>
    services.functions.environments.invoked.filter(({ spec }) => spec.functionName === name);

  test('are refused unless the function exists and its policy admits the repository', async () => {
    const name = await newFunction();
    const repository = await services.forge.repository(owner);
    await allow(name, sourceOf(`${repository}-2`));
    await allow(name, sourceOf(repository), { Principal: 's3.amazonaws.com' });
    const command = `aws lambda add-permission --function-name ${name} --statement-id webhooks-${repository.replace('/', '-')} --action lambda:InvokeFunction --principal codecommit.amazonaws.com --source-arn ${sourceOf(repository)}`;
    for (const [url, message] of [
      ['arn:aws:s3:::bucket', /not the ARN of a function/],
      ['arn:', /not the ARN of a function/],
      [arnOf(`${name}:absent`), /does not allow.*--function-name \S+ --qualifier absent/],
      [arnOf(name).replace('us-east-1', 'eu-west-1'), /region eu-west-1.*region us-east-1/],
      [arnOf(name).replace('123456789012', '210987654321'), /account 210987654321/],
      [arnOf(name), new RegExp(`does not allow.*: ${command}$`)],
      [arnOf(`${name}:1`), /--function-name \S+ --qualifier 1 --statement-id/],
    ] as const) {
      const response = await create(repository, url);
      assert.equal(response.status, 422, url);
      assert.match(response.body.errors[0].message, message, url);
    }
    assert.deepEqual((await owner.get(`/repos/${repository}/hooks`)).body, []);
  });

  test('are refused alike for functions that do not exist and those that do not admit them', async () => {
    const name = await newFunction();
    const repository = await services.forge.repository(owner);
    const messageOf = async (url: string): Promise<string> => {
      const { status, body } = await create(repository, url);
      assert.equal(status, 422);
      return body.errors[0].message;
    };
    for (const qualifier of ['', ':1', ':$LATEST']) {
      const closed = await messageOf(arnOf(`${name}${qualifier}`));
      const absent = await messageOf(arnOf(`absent${qualifier}`));
      assert.equal(absent.replaceAll('absent', name), closed);
    }
    const durable = { DurableConfig: { ExecutionTimeout: 60, RetentionPeriodInDays: 1 } };
    await services.functions.create('durable', durable);
    const closed = await messageOf(arnOf('durable'));
    assert.doesNotMatch(closed, /durable function/);
    await allow('durable', sourceOf(repository));
    assert.match(await messageOf(arnOf('durable')), /the ARN of a durable function/);
  });

  test('are refused by a statement that names no repository', async () => {
    const name = await newFunction();
    const repository = await services.forge.repository(owner);
    await allow(name, undefined, { SourceAccount: '123456789012' });
    await allow(name, undefined);
    const response = await create(repository, arnOf(name));
    assert.equal(response.status, 422, response.text);
    assert.match(response.body.errors[0].message, / --source-arn /);
  });

  test('are refused where no functions run', async () => {
    const alone = await startTestForge();
    try {
      const user = await alone.user();
      const path = `/repos/${await alone.repository(user)}/hooks`;
      const response = await user.post(path, { config: { url: arnOf('fn') } });
      assert.equal(response.status, 422);
      assert.match(response.body.errors[0].message, /this server runs no functions/);
    } finally {
      await alone.close();
    }
  });

  test('enqueue the event of a function URL, and show 202 with the request id', async () => {
    const { name, hook } = await hooked();
    const delivery = await lastDelivery(hook);
    const [run, ...others] = runsOf(name);
    assert.deepEqual([delivery['event'], delivery['status_code']], ['ping', 202]);
    assert.ok(run && others.length === 0);
    assert.equal(delivery['response'].headers['x-amzn-requestid'], run.event.requestId);
    const event = JSON.parse(Buffer.from(run.event.payload).toString());
    assert.equal(event.version, '2.0');
    assert.equal(event.requestContext.http.method, 'POST');
    assert.equal(event.headers['x-github-event'], 'ping');
    const hash = createHmac('sha256', secret).update(event.body).digest('hex');
    assert.equal(event.headers['x-hub-signature-256'], `sha256=${hash}`);
    assert.deepEqual(JSON.parse(event.body), delivery['request'].payload);
  });

  test('enqueue the event and record the delivery in one transaction', async (t) => {
    const { name, hook } = await hooked();
    const runs = runsOf(name).length;
    const targets = services.forge.ports.functionTargets ?? assert.fail('There are no functions.');
    const enqueue = targets.enqueue.bind(targets);
    // Recording the outcome fails after the event was enqueued.
    const headers: Record<string, string> = {};
    Object.defineProperty(headers, 'x-fault', {
      enumerable: true,
      get: () => assert.fail('The outcome cannot be stored.'),
    });
    const faulty = t.mock.method(
      targets,
      'enqueue',
      async (...given: Parameters<typeof enqueue>) => {
        const result = await enqueue(...given);
        assert.equal(result.kind, 'enqueued');
        return { ...result, headers };
      },
    );
    await owner.post(`${hook}/pings`);
    await assert.rejects(services.deliver(), /cannot be stored/);
    assert.equal(faulty.mock.callCount(), 1);
    faulty.mock.restore();
    await services.functions.ports.events.poll();
    assert.equal(runsOf(name).length, runs);
    // The next attempt, once the claim of the failed one has expired.
    services.forge.clock.advance(leaseMilliseconds);
    await services.deliver();
    assert.equal(runsOf(name).length, runs + 1);
    assert.equal((await lastDelivery(hook))['status_code'], 202);
  });

  test('are retried as asynchronous events, which end in the dead-letter queue and the destination', async () => {
    const { name, repository, hook } = await hooked();
    const caught = await newFunction();
    const configure = async (operation: string, input: Record<string, unknown>) => {
      const { status, text } = await services.functions.call(operation, {
        FunctionName: name,
        ...input,
      });
      assert.equal(status, 200, text);
    };
    await configure('UpdateFunctionConfiguration', {
      DeadLetterConfig: { TargetArn: deadLetters },
    });
    await services.functions.untilProvisioned();
    await configure('PutFunctionEventInvokeConfig', {
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnFailure: { Destination: arnOf(caught) } },
    });
    const { environments } = services.functions;
    const errorMessage = 'no luck';
    environments.answer(({ payload }, { functionName }) =>
      functionName === name
        ? {
            kind: 'failed',
            errorType: 'Error',
            payload: Buffer.from(JSON.stringify({ errorMessage })),
          }
        : { kind: 'response', payload },
    );
    try {
      const earlier = runsOf(name).length;
      await owner.post(`${hook}/pings`);
      for (let round = 0; round < 4; round += 1) await services.deliver();
      const runs = runsOf(name).slice(earlier);
      assert.equal(runs.length, 2);
      const delivery = await lastDelivery(hook);
      // The delivery was accepted; what the function makes of it is an outcome of the event.
      assert.equal(delivery['status_code'], 202);
      const requestId = delivery['response'].headers['x-amzn-requestid'];
      assert.deepEqual(
        runs.map(({ event }) => event.requestId),
        [requestId, requestId],
      );
      const record = JSON.parse(Buffer.from(runsOf(caught).at(-1)?.event.payload ?? []).toString());
      assert.deepEqual(
        [record.requestContext.requestId, record.requestContext.condition, record.responsePayload],
        [requestId, 'RetriesExhausted', { errorMessage }],
      );
      const [letter, ...others] = await readdir(inbox);
      assert.ok(letter && others.length === 0);
      const { attributes, body } = JSON.parse(await readFile(join(inbox, letter), 'utf8'));
      assert.equal(attributes.RequestID.value, requestId);
      // Both have the event of the delivery.
      for (const { headers, body: payload } of [JSON.parse(body), record.requestPayload]) {
        assert.equal(headers['x-github-event'], 'ping');
        assert.equal(JSON.parse(payload).repository.full_name, repository);
      }
    } finally {
      environments.answer(({ payload }) => ({ kind: 'response', payload }));
    }
  });

  test('name versions and aliases, by policies of their own', async () => {
    const name = await newFunction();
    const repository = await services.forge.repository(owner);
    const alias = { FunctionName: name, Name: 'live', FunctionVersion: '1' };
    assert.equal((await services.functions.call('CreateAlias', alias)).status, 201);
    await allow(name, sourceOf(repository));
    assert.equal((await create(repository, arnOf(`${name}:live`))).status, 422);
    await allow(name, sourceOf(`${owner.login}/*`), { Qualifier: 'live' });
    const created = await create(repository, arnOf(`${name}:live`));
    assert.equal(created.status, 201, created.text);
    await services.deliver();
    assert.deepEqual(
      runsOf(name).map(({ spec }) => spec.version),
      ['1'],
    );
  });

  test('fail readably once the policy does not admit them any more, and run nothing', async () => {
    const { name, hook } = await hooked();
    const { body } = await services.functions.call('GetPolicy', { FunctionName: name });
    const [{ Sid: StatementId }] = JSON.parse(body.Policy).Statement;
    await services.functions.call('RemovePermission', { FunctionName: name, StatementId });
    await owner.post(`${hook}/pings`);
    await services.deliver();
    const refused = await lastDelivery(hook);
    assert.equal(refused['status_code'], 0);
    assert.match(refused['status'], /aws lambda add-permission --function-name/);
    await services.functions.call('DeleteFunction', { FunctionName: name });
    await owner.post(`${hook}/pings`);
    await services.deliver();
    assert.match((await lastDelivery(hook))['status'], /does not exist, or its policy/);
    assert.equal(runsOf(name).length, 1);
  });

  test('fail readably while the queue of the function is full', async () => {
    const { hook } = await hooked();
    const fill = (events: number) =>
      services.forge.database.write((sql) =>
        sql.run('update function_event_queues set events = events + $1', events),
      );
    await fill(queuedEventsMax);
    await owner.post(`${hook}/pings`);
    await services.deliver();
    const refused = await lastDelivery(hook);
    assert.deepEqual([refused['event'], refused['status_code']], ['ping', 0]);
    assert.match(refused['status'], /^Rate Exceeded\./);
    await fill(-queuedEventsMax);
  });

  test('end a recursive loop through the forge, with the reason in the delivery', async () => {
    const { name, repository, hook } = await hooked();
    const { environments } = services.functions;
    let labels = 0;
    // What the function does reaches the forge as part of its chain.
    environments.answer(async ({ payload, traceHeader }) => {
      const lineage = /Lineage=(.*)$/.exec(traceHeader)?.[1];
      assert.match(lineage ?? '', /^[0-9a-f]{8}:\d+$/);
      labels += 1;
      const label = { name: `l${labels}`, color: 'ffffff' };
      await inLineage(lineage, async () => {
        assert.equal(currentLineage(), lineage);
        assert.equal((await owner.post(`/repos/${repository}/labels`, label)).status, 201);
      });
      return { kind: 'response', payload };
    });
    try {
      const count = runsOf(name).length;
      await owner.post(`${hook}/pings`);
      for (let round = 0; round < 20; round += 1) await services.deliver();
      assert.equal(runsOf(name).length - count, 16);
      const ended = await lastDelivery(hook);
      assert.deepEqual([ended['event'], ended['status_code']], ['label', 0]);
      assert.match(ended['status'], /^Recursive loop: .* 16 times/);
    } finally {
      environments.answer(({ payload }) => ({ kind: 'response', payload }));
    }
  });
});
