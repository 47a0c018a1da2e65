import type { TestResponse } from '../../testing/test-functions.ts';

interface FullPolicy {
  /** The first refusal. */
  readonly answer: TestResponse;
  /** Of each statement that was added. */
  readonly statementLength: number;
}

/** Adds statements to a policy until one is refused, at most a thousand. */
export async function fillPolicy(
  add: (statementId: string) => Promise<TestResponse>,
): Promise<FullPolicy> {
  let statementLength = 0;
  for (let number = 1000; number < 2000; number += 1) {
    const answer = await add(`s${number}`);
    if (answer.status !== 201) return { answer, statementLength };
    statementLength = answer.body.Statement.length;
  }
  throw new Error('The policy takes every statement.');
}
