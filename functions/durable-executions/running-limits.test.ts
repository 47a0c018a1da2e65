import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { runningExecutionBytesMax, runningExecutionsMax } from './begin-execution.ts';
import { createDurableCalls, type DurableCalls } from './testing/durable-calls.ts';
import { pending, setPrograms, succeeded } from './testing/durable-programs.ts';

const throttled = { Reason: 'FunctionInvocationRateLimitExceeded' };

describe('durable executions that have not ended', () => {
  let calls: DurableCalls;
  beforeEach(async () => {
    calls = await createDurableCalls();
  });
  afterEach(() => calls.functions.close());

  const sql = (text: string, ...values: (string | number)[]): Promise<number> =>
    calls.functions.ports.database.write((one) => one.run(text, ...values));

  /** As if so many more had been started, which wait. */
  const fill = (count: number): Promise<number> =>
    sql(
      `insert into durable_executions (function_id, name, key, number, qualifier, input, timeout_seconds, retention_days,
          started_at, times_out_at, status)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < $1)
        select f.id, 'filled' || n, 'filled' || n, 0, '$LATEST', '{}', 600, 1, 0, 9000000000000, 'RUNNING'
          from numbers, functions f where f.name = 'durable'`,
      count,
    );

  const send = (given: object = {}) => calls.invoke({ InvocationType: 'Event', ...given });

  it('are at most so many of a function, and the next begins when one has ended', async () => {
    const arn = await calls.begin({ DurableExecutionName: 'first' });
    await fill(runningExecutionsMax - 1);
    const refused = await send();
    assertRefused(refused, 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    assert.equal(refused.headers['retry-after'], '10');
    assertRefused(await calls.invoke(), 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    // One that is there already, and those of other functions.
    assert.equal((await send({ DurableExecutionName: 'first' })).status, 202);
    assert.equal((await send({ FunctionName: 'child:$LATEST' })).status, 202);
    await calls.stop(arn);
    assert.equal((await send()).status, 202);
    assert.equal((await send()).status, 429);
  });

  it('have at most so many bytes of events', async () => {
    await calls.begin();
    await sql('update durable_executions set bytes = $1', runningExecutionBytesMax - 10);
    assert.equal((await send({ Payload: '"123456789"' })).status, 429);
    assert.equal((await send({ Payload: '"12345678"' })).status, 202);
    assert.equal((await send()).status, 429);
  });

  it('may be invoked by others beyond that, so that these can end', async () => {
    setPrograms(calls.functions, {
      child: async ({ ids, checkpoint }) => {
        if (ids.length > 0) return succeeded('invoked');
        await checkpoint([
          {
            Id: 'i',
            Type: 'CHAINED_INVOKE',
            Action: 'START',
            ChainedInvokeOptions: { FunctionName: 'durable:$LATEST' },
          },
        ]);
        return pending;
      },
      durable: async () => succeeded(1),
    });
    await fill(runningExecutionsMax);
    const arn = await calls.begin({ FunctionName: 'child:$LATEST' });
    await calls.run();
    await calls.run();
    const { body } = await calls.call('GetDurableExecution', { DurableExecutionArn: arn });
    assert.equal(body.Status, 'SUCCEEDED');
  });
});
