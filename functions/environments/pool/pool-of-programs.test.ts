import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startRealEnvironments, type RealEnvironments } from '../testing/real-environments.ts';

const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:small';
const wide = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:wide';
const on = (PerExecutionEnvironmentMaxConcurrency: number, CapacityProviderArn = provider) => ({
  CapacityProviderConfig: {
    LambdaManagedInstancesCapacityProviderConfig: {
      CapacityProviderArn,
      PerExecutionEnvironmentMaxConcurrency,
    },
  },
});

/** Answers once as many events are in the same process as it was configured. */
const together = `
const { randomUUID } = require('node:crypto');
const process_ = randomUUID();
let inside = 0, most = 0, waiting = [];
exports.handler = async ({ until }, context) => {
  inside += 1;
  most = Math.max(most, inside);
  if (inside >= until) for (const go of waiting.splice(0)) go();
  else await new Promise((resolve) => waiting.push(resolve));
  inside -= 1;
  return { process: process_, most, max: process.env.AWS_LAMBDA_MAX_CONCURRENCY,
           type: process.env.AWS_LAMBDA_INITIALIZATION_TYPE };
};`;

/** Answers after a while, and says who it is. */
const slow = `
const name = require('node:crypto').randomUUID();
let seen = [];
exports.handler = async ({ milliseconds = 0 }, context) => {
  seen.push(context.tenantId);
  console.log('working');
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return { name, seen };
};`;

describe('pools of environments', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({
      capacityProviders: new Map([
        [provider, { environmentsMax: 1 }],
        [wide, { environmentsMax: 2 }],
      ]),
    });
  });
  after(() => environments.close());

  it('have several events in one environment at once, where the function asks for it', async () => {
    const spec = await environments.spec({ 'index.js': together }, on(4));
    assert.equal(await environments.pool.prewarm(spec), undefined);
    const madeBefore = environments.created();
    const event = { until: 4 };
    const answers = await Promise.all([1, 2, 3, 4].map(() => environments.invoke(spec, event)));
    assert.equal(new Set(answers.map((answer) => answer.process)).size, 1);
    assert.equal(environments.created(), madeBefore);
    assert.deepEqual(
      answers.map(({ most, max, type }) => [most, max, type]),
      Array.from({ length: 4 }, () => [4, '4', 'lambda-managed-instances']),
    );
  });

  it('have no more environments on a capacity provider than it was declared to have', async () => {
    const one = await environments.spec({ 'index.js': slow }, on(1));
    const event = { milliseconds: 20 };
    const answers = await Promise.all([1, 2, 3].map(() => environments.invoke(one, event)));
    assert.equal(new Set(answers.map(({ name }) => name)).size, 1);
    // Another function of the same provider replaces an idle one, and not of a busy one.
    const other = await environments.spec({ 'index.js': slow }, on(1));
    assert.notEqual((await environments.invoke(other)).name, answers[0].name);
    assert.notEqual((await environments.invoke(one)).name, answers[0].name);
  });

  it('grow on a capacity provider as far as it was declared, and no further', async () => {
    const spec = await environments.spec({ 'index.js': slow }, on(1, wide));
    const event = { milliseconds: 300 };
    const answers = await Promise.all([1, 2, 3].map(() => environments.invoke(spec, event)));
    assert.equal(new Set(answers.map(({ name }) => name)).size, 2);
  });

  it('never let two tenants share an environment; the first gets the one that was prepared', async () => {
    const spec = await environments.spec(
      { 'index.js': slow },
      {
        TenancyConfig: { TenantIsolationMode: 'PER_TENANT' },
        LoggingConfig: {
          LogFormat: 'JSON',
          LogGroup: 'group',
          ApplicationLogLevel: 'INFO',
          SystemLogLevel: 'INFO',
        },
      },
    );
    assert.equal(await environments.pool.prewarm(spec), undefined);
    const madeBefore = environments.created();
    const blue = { ...spec, tenantId: 'blue' };
    const green = { ...spec, tenantId: 'green' };
    assert.deepEqual((await environments.invoke(blue)).seen, ['blue']);
    assert.equal(environments.created(), madeBefore);
    assert.deepEqual((await environments.invoke(green)).seen, ['green']);
    assert.deepEqual((await environments.invoke(blue)).seen, ['blue', 'blue']);
    assert.equal(environments.created(), madeBefore + 1);
    const tenantsIn = (what: string): unknown[] =>
      environments.lines
        .filter((line) => line.startsWith('{') && line.includes(what))
        .map((line) => JSON.parse(line))
        .map(({ tenantId, record }) => tenantId ?? record.tenantId);
    assert.deepEqual(tenantsIn('"working"'), ['blue', 'green', 'blue']);
    assert.deepEqual(tenantsIn('platform.start'), ['blue', 'green', 'blue']);
  });

  it('run the hooks around a snapshot: before it ahead of any event, after it with the first', async () => {
    const spec = await environments.spec(
      { 'app.py': restorable },
      {
        Runtime: 'python3.13',
        Handler: 'app.handler',
        SnapStart: { ApplyOn: 'PublishedVersions' },
      },
      '1',
    );
    assert.equal(await environments.pool.prewarm(spec), undefined);
    const marked = (): string[] =>
      environments.lines.filter((line) => line.startsWith('hook:')).map((line) => line.trim());
    assert.deepEqual(marked(), ['hook: second before', 'hook: first before']);
    assert.deepEqual(await environments.invoke(spec), {
      type: 'snap-start',
      reported: ['loaded', 'second before', 'first before', 'after'],
    });
    assert.deepEqual(marked().slice(2), ['hook: after']);
    assert.equal((await environments.invoke(spec)).reported.length, 4);
  });

  it('report the failure of a hook that runs after a snapshot to the caller', async () => {
    const spec = await environments.spec(
      {
        'app.py': `${restorable}\n@register_after_restore\ndef fails():\n    raise ValueError("no")\n`,
      },
      {
        Runtime: 'python3.13',
        Handler: 'app.handler',
        SnapStart: { ApplyOn: 'PublishedVersions' },
      },
      '1',
    );
    assert.equal(await environments.pool.prewarm(spec), undefined);
    const { errorType, errorMessage } = await environments.invoke(spec);
    assert.deepEqual([errorType, errorMessage], ['ValueError', 'no']);
  });
});

describe('environments that no one uses', () => {
  let environments: RealEnvironments;
  before(async () => {
    environments = await startRealEnvironments({ idleMilliseconds: 40 });
  });
  after(() => environments.close());

  it('are closed, except one that serves as a snapshot', async () => {
    const files = { 'index.js': slow, 'app.py': restorable };
    const ordinary = await environments.spec(files);
    const snapshot = await environments.spec(
      files,
      {
        Runtime: 'python3.13',
        Handler: 'app.handler',
        SnapStart: { ApplyOn: 'PublishedVersions' },
      },
      '1',
    );
    await environments.pool.prewarm(snapshot);
    const first = await environments.invoke(ordinary);
    const startedAt = performance.now();
    let next = first;
    while (next.name === first.name && performance.now() - startedAt < 10_000) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      next = await environments.invoke(ordinary);
    }
    assert.notEqual(next.name, first.name);
    const made = environments.created();
    assert.equal((await environments.invoke(snapshot)).reported.length, 4);
    assert.equal(environments.created(), made);
  });
});

const restorable = `
import os
from snapshot_restore_py import register_before_snapshot, register_after_restore

reported = ["loaded"]

def note(what):
    reported.append(what)
    print("hook: " + what, flush=True)

register_before_snapshot(note, "first before")
register_before_snapshot(note, what="second before")
register_after_restore(note, "after")

def handler(event, context):
    return {"type": os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"], "reported": reported}
`;
