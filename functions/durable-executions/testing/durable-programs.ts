import type { TestResponse, TestFunctions } from '../../testing/test-functions.ts';
import type { OperationUpdate } from '../operation.ts';
import type { FunctionOutcome } from '../../environments/execution-environment.ts';

/** What a program is started with, and what it may ask. */
export interface Started {
  readonly arn: string;
  readonly token: string;
  /** Ids of what changed since the last invocation. */
  readonly updated: readonly string[];
  readonly input: unknown;
  /** An operation as the event has it, or the last checkpoint. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into operations of every shape
  operation(this: void, id: string): any;
  readonly ids: readonly string[];
  readonly nextMarker: string | undefined;
  /** Keeps updates with the newest token. */
  checkpoint(this: void, updates?: readonly Partial<OperationUpdate>[]): Promise<TestResponse>;
}

/** A program's answer; text is taken as it is. */
export type Program = (started: Started) => Promise<object | string>;

export const pending = { Status: 'PENDING' };
export const succeeded = (result: unknown): object => ({
  Status: 'SUCCEEDED',
  Result: JSON.stringify(result),
});

/** Functions by name that are durable, and others that only have an outcome. */
export function setPrograms(
  functions: TestFunctions,
  programs: Readonly<Record<string, Program | (() => FunctionOutcome | Promise<FunctionOutcome>)>>,
  plain: readonly string[] = [],
): void {
  functions.environments.answer(async (event, spec): Promise<FunctionOutcome> => {
    const program = programs[spec.functionName];
    if (!program) throw new Error(`${spec.functionName} has no program.`);
    if (plain.includes(spec.functionName)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list says so
      return (program as () => FunctionOutcome | Promise<FunctionOutcome>)();
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all others are durable
    const answer = await (program as Program)(startedWith(functions, event.payload));
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return { kind: 'response', payload: Buffer.from(text) };
  });
}

/** Runs due executions and advances the clock until `waited` has settled. */
export async function goOn<T>(functions: TestFunctions, waited: Promise<T>): Promise<T> {
  const going = { on: true };
  const done = (): void => {
    going.on = false;
  };
  waited.then(done, done);
  while (going.on) {
    await functions.ports.durable.poll();
    functions.clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return waited;
}

function startedWith(functions: TestFunctions, payload: Uint8Array): Started {
  const event = JSON.parse(Buffer.from(payload).toString());
  const { Operations, NextMarker } = event.InitialExecutionState;
  const [itself, ...others] = Operations;
  const operations = new Map<string, unknown>();
  for (const operation of others) operations.set(operation.Id, operation);
  let token: string = event.CheckpointToken;
  return {
    arn: event.DurableExecutionArn,
    token,
    updated: event.UpdatedOperationIds,
    input: JSON.parse(itself.ExecutionDetails.InputPayload),
    operation: (id) => operations.get(id),
    ids: [...operations.keys()],
    nextMarker: NextMarker,
    async checkpoint(updates = []) {
      const answer = await functions.call('CheckpointDurableExecution', {
        DurableExecutionArn: event.DurableExecutionArn,
        CheckpointToken: token,
        Updates: updates,
      });
      if (answer.status !== 200) return answer;
      token = answer.body.CheckpointToken;
      for (const one of answer.body.NewExecutionState.Operations) operations.set(one.Id, one);
      return answer;
    },
  };
}
