import type { Operation } from '#functions-contract/operation.ts';
import type { Member } from '#functions-contract/shape.ts';

import { commandName } from '../context/command-name.ts';
import type { Option } from './argument-parser.ts';

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
export function operationOptions(operation: Operation, paginate: boolean): Option[] {
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

export const skeletonKinds = ['input', 'yaml-input', 'output'] as const;

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
