import jmespath from 'jmespath';

import { CliError } from '../context/errors.ts';

/**
 * `--query` as a function from the answer to what is left of it. The syntax is checked now, before anything is sent;
 * functions and their arguments only when there is an answer.
 */
export function compileQuery(expression: string): (value: unknown) => unknown {
  const problem = syntaxProblem(expression);
  if (problem !== undefined) {
    throw new CliError(252, `Bad value for --query ${expression}: ${problem}`);
  }
  return (value) => withoutFunctions(evaluate(expression, value));
}

function evaluate(expression: string, value: unknown): unknown {
  try {
    return jmespath.search(value, expression);
  } catch (error) {
    throw new CliError(255, error instanceof Error ? error.message : String(error));
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

interface Token {
  readonly type: string;
  readonly value: unknown;
  readonly start: number;
}

declare module 'jmespath' {
  // Exported by the library, and missing in its types.
  function compile(expression: string): unknown;
  function tokenize(expression: string): readonly (Token | undefined)[];
}

/** What is wrong with an expression, with a caret at the position as in the AWS CLI; undefined: nothing. */
export function syntaxProblem(expression: string): string | undefined {
  if (expression === '') return 'Invalid JMESPath expression: cannot be empty.';
  const tokens = readTokens(expression);
  if ('problem' in tokens) return tokens.problem;
  // The library takes a dot at the end for an expression, and breaks when it is used.
  if (tokens.tokens.at(-1)?.type === 'Dot') return incomplete(expression);
  if (endOf(expression) === 'complete') return undefined;
  const wrong = firstWrongToken(expression, tokens.tokens);
  return wrong === undefined ? incomplete(expression) : unexpectedToken(expression, wrong);
}

type Tokens = { readonly tokens: readonly Token[] } | { readonly problem: string };

function readTokens(expression: string): Tokens {
  const tokens: Token[] = [];
  try {
    for (const token of jmespath.tokenize(expression)) {
      // A single `=` makes the library leave a hole.
      if (token === undefined) return { problem: lexical(expression, "Unknown token '='") };
      tokens.push(token);
    }
  } catch (error) {
    return { problem: lexical(expression, error instanceof Error ? error.message : 'Bad token') };
  }
  return { tokens };
}

const lexical = (expression: string, detail: string): string =>
  `Bad jmespath expression: ${detail}:\n${expression}`;

const incomplete = (expression: string): string =>
  `Invalid jmespath expression: Incomplete expression:\n${pointed(expression, expression.length)}`;

function unexpectedToken(expression: string, { type, value, start }: Token): string {
  const named = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const position = `column ${start}, token "${String(value)}" (${named})`;
  return `Invalid jmespath expression: Parse error at ${position}, for expression:\n${pointed(expression, start)}`;
}

const pointed = (expression: string, column: number): string =>
  `"${expression}"\n${' '.repeat(column + 1)}^`;

/** The parser does not say where it stopped: the shortest beginning that no continuation can mend ends there. */
function firstWrongToken(expression: string, tokens: readonly Token[]): Token | undefined {
  return tokens.find((_, index) => {
    const beginning = expression.slice(0, tokens[index + 1]?.start);
    return endOf(beginning) === 'wrong';
  });
}

function endOf(expression: string): 'complete' | 'incomplete' | 'wrong' {
  try {
    jmespath.compile(expression);
    return 'complete';
  } catch (error) {
    // The library has no better mark of an expression that ended too early.
    const early = error instanceof Error && /\bEOF\b|reading 'type'/.test(error.message);
    return early ? 'incomplete' : 'wrong';
  }
}
