import assert from 'node:assert/strict';

import {
  createTestFunctions,
  type TestResponse,
  type TestFunctions,
} from '../../testing/test-functions.ts';
import type { ErrorObject } from '../operation.ts';

/** A whole service with the functions that tests of durable executions are about, and what they ask it. */
export interface DurableCalls {
  readonly functions: TestFunctions;
  /** Members that are undefined are not sent. */
  call(operation: string, input: object): Promise<TestResponse>;
  /** Of `durable:$LATEST` with `{}` by default. */
  invoke(given?: object): Promise<TestResponse>;
  /** Starts an execution asynchronously; returns its ARN. */
  begin(given?: object): Promise<string>;
  stop(arn: string, error?: ErrorObject): Promise<TestResponse>;
  /** Fails a callback. */
  fail(callbackId: string, error: ErrorObject): Promise<TestResponse>;
  reportedOperations(arn: string): Promise<TestResponse['body']>;
  eventsOf(arn: string): Promise<readonly TestResponse['body'][]>;
  typesOf(arn: string): Promise<readonly string[]>;
  /** ARNs of running executions. */
  runningOf(name: string): Promise<readonly string[]>;
  run(): Promise<void>;
  /** Time goes by. */
  later(milliseconds: number): Promise<void>;
}

export async function createDurableCalls(): Promise<DurableCalls> {
  const functions = await createTestFunctions();
  const durable = { DurableConfig: { ExecutionTimeout: 600, RetentionPeriodInDays: 2 } };
  await functions.create('durable', durable);
  await functions.create('child', durable);
  await functions.create('plain');
  const call: DurableCalls['call'] = (operation, input) => {
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    return functions.call(operation, Object.fromEntries(given));
  };
  const invoke: DurableCalls['invoke'] = (given = {}) =>
    call('Invoke', { FunctionName: 'durable:$LATEST', Payload: '{}', ...given });
  const run = (): Promise<void> => functions.ports.durable.poll();
  const eventsOf: DurableCalls['eventsOf'] = async (DurableExecutionArn) =>
    (await call('GetDurableExecutionHistory', { DurableExecutionArn })).body.Events;
  return {
    functions,
    call,
    invoke,
    run,
    eventsOf,
    async begin(given = {}) {
      const answer = await invoke({ InvocationType: 'Event', ...given });
      assert.equal(answer.status, 202, answer.text);
      return answer.headers['x-amz-durable-execution-arn'] ?? '';
    },
    stop: (DurableExecutionArn, error = {}) =>
      call('StopDurableExecution', { DurableExecutionArn, Error: error }),
    fail: (CallbackId, error) =>
      call('SendDurableExecutionCallbackFailure', { CallbackId, Error: error }),
    reportedOperations: async (DurableExecutionArn) =>
      (await call('GetDurableExecution', { DurableExecutionArn })).body,
    typesOf: async (arn) => (await eventsOf(arn)).map(({ EventType }) => EventType),
    async runningOf(FunctionName) {
      const input = { FunctionName, Statuses: ['RUNNING'] };
      const { body } = await call('ListDurableExecutionsByFunction', input);
      return body.DurableExecutions.map((one: TestResponse['body']) => one.DurableExecutionArn);
    },
    async later(milliseconds) {
      functions.clock.advance(milliseconds);
      await run();
    },
  };
}
