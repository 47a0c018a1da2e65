import type { Operation } from '#functions-contract/operation.ts';
import type { Member } from '#functions-contract/shape.ts';

import { commandName } from '../context/cli-context.ts';
import { UnknownOptions, UsageError } from '../context/usage.ts';
import { type OptionValue, type Option, parseArgs } from './argument-parser.ts';
import { globalOptions } from './globals.ts';
import { zipFileMember } from './zip-file.ts';

/** The arguments of an operation's command, sorted but not yet parsed. */
export interface OperationArgs {
  readonly given: ReadonlyMap<string, OptionValue>;
  /** Where the payload of the response goes; undefined: it is printed. */
  readonly outfile: string | undefined;
  /** Whether the client paginates. */
  readonly paged: boolean;
  /** Whether the response is a payload rather than a record. */
  readonly returnsPayload: boolean;
}

export function parseOperationArgs(
  operation: Operation,
  args: readonly string[],
  paginate: boolean,
): OperationArgs {
  const returnsPayload = answersWithPayload(operation);
  const options = allOptions(operation, paginate);
  const parsed = parseArgs(args, options, returnsPayload ? [{ name: 'outfile' }] : []);
  const missing = missingOptions(operation, parsed.given);
  const outfile = parsed.positionals.get('outfile');
  if (missing.length > 0) {
    const names = missing.map((name) => `--${name}`).join(', ');
    const hint = outfile === undefined ? '' : ` ("${outfile}" was read as OUTFILE)`;
    throw new UsageError(`the following arguments are required: ${names}${hint}`, missing);
  }
  const unknown = parsed.rest.filter((argument) => argument !== '--');
  if (unknown.length > 0)
    throw new UnknownOptions(
      unknown,
      [...options, ...globalOptions].map(({ name }) => name),
    );
  return {
    given: parsed.given,
    outfile,
    returnsPayload,
    paged: paginate && paginates(operation, parsed.given),
  };
}

/** Every option of an operation: the contract's and the client's own. */
export function allOptions(operation: Operation, paginate: boolean): Option[] {
  const zip =
    zipFileMember(operation) === undefined ? [] : [{ name: 'zip-file', arity: 'one' as const }];
  return [...operationOptions(operation, paginate), ...zip, ...updateOptions(operation)];
}

/** A named page disables automatic pagination. */
function paginates({ pages }: Operation, given: ReadonlyMap<string, OptionValue>): boolean {
  return pages !== undefined && !given.has(commandName(pages.token));
}

export function answersWithPayload(operation: Operation): boolean {
  return Object.values(operation.output.members).some(
    ({ location, shape }) =>
      location.in === 'payload' && (shape.type === 'blob' || shape.type === 'stream'),
  );
}

/** A document may bring what the options do not, and a skeleton needs nothing. */
function missingOptions(operation: Operation, given: ReadonlyMap<string, OptionValue>): string[] {
  const skeleton = given.get('generate-cli-skeleton');
  if (skeleton !== undefined && skeleton !== 'output') return [];
  if (given.has('cli-input-json') || given.has('cli-input-yaml')) return [];
  const replaced = zipFileMember(operation);
  return memberOptions(operation)
    .filter(({ declaration, member }) => declaration.required && member !== replaced)
    .map(({ name }) => name)
    .filter((name) => !given.has(name));
}

/** An option that gives one member of an operation's input. */
export interface MemberOption {
  readonly member: string;
  readonly declaration: Member;
  /** As it stands on the command line, without hyphens; the key of its value. */
  readonly name: string;
}

/** In the order of the contract. */
export function memberOptions(operation: Operation): MemberOption[] {
  return Object.entries(operation.input.members).map(([member, declaration]) => ({
    member,
    declaration,
    name: commandName(member),
  }));
}

/** What the command line of an operation takes in addition to the global options. */
function operationOptions(operation: Operation, paginate: boolean): Option[] {
  const members = memberOptions(operation).flatMap((option) => optionsOf(option));
  const own = operation.pages === undefined ? [] : ownPageOptions(members, paginate);
  const taken = new Set([...own, ...documentOptions].map((option) => option.name));
  return [...members.filter((option) => !taken.has(option.name)), ...documentOptions, ...own];
}

function optionsOf({ name, declaration }: MemberOption): Option[] {
  if (declaration.shape.type === 'boolean')
    return [
      { name, arity: 'none', constant: true },
      { name: `no-${name}`, arity: 'none', key: name, constant: false },
    ];
  return [{ name, arity: declaration.shape.type === 'list' ? 'variadic' : 'one' }];
}

const skeletonKinds = ['input', 'yaml-input', 'output'] as const;

const documentOptions: readonly Option[] = [
  { name: 'cli-input-json', arity: 'one' },
  { name: 'cli-input-yaml', arity: 'one' },
  { name: 'generate-cli-skeleton', arity: 'optional', constant: 'input', choices: skeletonKinds },
];

/** They are known with `--no-paginate` too, which refuses them, but then a member of their name is meant. */
function ownPageOptions(members: readonly Option[], paginate: boolean): readonly Option[] {
  if (paginate) return pageOptions;
  return pageOptions.filter(({ name }) => !members.some((member) => member.name === name));
}

/** These replace the members for manual pagination. */
const pageOptions: readonly Option[] = [
  { name: 'starting-token', arity: 'one' },
  { name: 'page-size', arity: 'one' },
  { name: 'max-items', arity: 'one' },
];

/** Options that the AWS CLI lacks: they change single variables, and wait until an update is done. */
function updateOptions(operation: Operation): Option[] {
  const wait: Option[] = canBeWaitedFor(operation)
    ? [{ name: 'wait', arity: 'none', unabbreviated: true }]
    : [];
  if (operation.name !== 'UpdateFunctionConfiguration') return wait;
  return [
    { name: 'set-env', arity: 'variadic', collects: true, unabbreviated: true },
    { name: 'unset-env', arity: 'variadic', collects: true, unabbreviated: true },
    ...wait,
  ];
}

/** Whether the record answered can still be on its way. */
function canBeWaitedFor(operation: Operation): boolean {
  return operation.method !== 'GET' && 'LastUpdateStatus' in operation.output.members;
}
