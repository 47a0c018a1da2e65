import jmespath from 'jmespath';

import { ClientError } from '../context/errors.ts';
import { syntaxProblem } from './syntax-problem.ts';

/**
 * `--query` as a function from the answer to what is left of it. The syntax is checked now, before anything is sent;
 * functions and their arguments only when there is an answer.
 */
export function compileQuery(expression: string): (value: unknown) => unknown {
  const problem = syntaxProblem(expression);
  if (problem !== undefined) {
    throw new ClientError(252, `Bad value for --query ${expression}: ${problem}`);
  }
  return (value) => withoutFunctions(evaluate(expression, value));
}

function evaluate(expression: string, value: unknown): unknown {
  try {
    return jmespath.search(value, expression);
  } catch (error) {
    throw new ClientError(255, error instanceof Error ? error.message : String(error));
  }
}

/** The library finds what every object inherits, like `toString`; in an answer there is no such member. */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function' || value === undefined) return null;
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutFunctions(member)]),
  );
}
