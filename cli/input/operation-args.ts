import type { Operation } from '#functions-contract/operation.ts';

import { commandName } from '../context/command-name.ts';
import { UnknownOptions, UsageError } from '../context/usage.ts';
import { type Given, type Option, parseArgs } from './argument-parser.ts';
import { careOptions } from './wait-options.ts';
import { globalOptions } from './global-options.ts';
import { memberOptions, operationOptions } from './operation-options.ts';
import { zipFileMember } from './zip-file.ts';

/** The arguments of an operation's command, sorted but not yet parsed. */
export interface OperationArgs {
  readonly given: ReadonlyMap<string, Given>;
  /** Where the payload of the answer goes; undefined: it is printed. */
  readonly outfile: string | undefined;
  /** Whether the client turns the pages. */
  readonly paged: boolean;
  /** Whether the answer is a payload rather than a record. */
  readonly streams: boolean;
}

export function parseOperationArgs(
  operation: Operation,
  args: readonly string[],
  paginate: boolean,
): OperationArgs {
  const streams = answersWithPayload(operation);
  const options = allOptions(operation, paginate);
  const parsed = parseArgs(args, options, streams ? [{ name: 'outfile' }] : []);
  const missing = missingOptions(operation, parsed.given);
  if (missing.length > 0)
    throw new UsageError(
      `the following arguments are required: ${missing.map((name) => `--${name}`).join(', ')}`,
      missing,
    );
  const unknown = parsed.rest.filter((argument) => argument !== '--');
  if (unknown.length > 0)
    throw new UnknownOptions(
      unknown,
      [...options, ...globalOptions].map(({ name }) => name),
    );
  return {
    given: parsed.given,
    outfile: parsed.positionals.get('outfile'),
    streams,
    paged: paginate && turnsPages(operation, parsed.given),
  };
}

/** Every option of an operation: the contract's and the client's own. */
export function allOptions(operation: Operation, paginate: boolean): Option[] {
  const zip =
    zipFileMember(operation) === undefined ? [] : [{ name: 'zip-file', arity: 'one' as const }];
  return [...operationOptions(operation, paginate), ...zip, ...careOptions(operation)];
}

/** A named page disables automatic pagination. */
function turnsPages({ pages }: Operation, given: ReadonlyMap<string, Given>): boolean {
  return pages !== undefined && !given.has(commandName(pages.token));
}

export function answersWithPayload(operation: Operation): boolean {
  return Object.values(operation.output.members).some(
    ({ location, shape }) =>
      location.in === 'payload' && (shape.type === 'blob' || shape.type === 'stream'),
  );
}

/** A document may bring what the options do not, and a skeleton needs nothing. */
function missingOptions(operation: Operation, given: ReadonlyMap<string, Given>): string[] {
  const skeleton = given.get('generate-cli-skeleton');
  if (skeleton !== undefined && skeleton !== 'output') return [];
  if (given.has('cli-input-json') || given.has('cli-input-yaml')) return [];
  const replaced = zipFileMember(operation);
  return memberOptions(operation)
    .filter(({ declaration, member }) => declaration.required && member !== replaced)
    .map(({ name }) => name)
    .filter((name) => !given.has(name));
}
