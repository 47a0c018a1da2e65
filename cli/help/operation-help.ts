import type { NamedOperation } from '../operations/operations.ts';
import { globalOptions } from '../input/globals.ts';
import {
  type MemberOption,
  memberOptions,
  allOptions,
  answersWithPayload,
} from '../input/operation-args.ts';
import { UsageError, closeMatches } from '../context/usage.ts';
import { optionDescription, optionForm, termAndText, paragraph } from './global-help.ts';
import { defaultFact, memberForm, shapeFacts, shapeOutline } from './shape-facts.ts';

/** All about an operation: its options with their types, bounds and defaults, and what it answers. */
export function operationHelp({ command, operation }: NamedOperation): string {
  const members = memberOptions(operation);
  const names = new Set(members.flatMap(({ name }) => [name, `no-${name}`]));
  const others = allOptions(operation, true).filter(
    (option) => !names.has(option.name) || option.name === 'max-items',
  );
  const streams = answersWithPayload(operation);
  return [
    `hob functions ${command} [OPTION ...]${streams ? ' [OUTFILE]' : ''}\n`,
    paragraph(operation.description),
    ...(streams ? [paragraph(aboutOutfile)] : []),
    `Options\n\n${members.map(memberText).join('\n')}`,
    others.map((option) => termAndText(optionForm(option), optionDescription(option))).join(''),
    paragraph(`Global options: ${globalOptions.map(({ name }) => `--${name}`).join(', ')}.`),
    `Output\n\n${shapeOutline(operation.output, '  ')}`,
  ].join('\n');
}

const aboutOutfile =
  'With OUTFILE, writes the payload of the response to that file and prints the other members. Without OUTFILE, prints the payload.';

/** One option alone, with an example in shorthand and as JSON. */
export function optionHelp(named: NamedOperation, command: string): string {
  const name = command.replace(/^--(no-)?/, '');
  const members = memberOptions(named.operation);
  const member = members.find((candidate) => candidate.name === name);
  if (member !== undefined) return memberText(member) + memberForm(member);
  const option = [...allOptions(named.operation, true), ...globalOptions].find(
    (candidate) => candidate.name === name || candidate.name === command.replace(/^--/, ''),
  );
  if (option !== undefined) return termAndText(optionForm(option), optionDescription(option));
  const near = closeMatches(
    name,
    members.map((candidate) => candidate.name),
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((n) => `--${n}`).join(' or ')}?`;
  throw new UsageError(`${named.command} has no option --${name}.${hint}`);
}

function memberText({ name, declaration }: MemberOption): string {
  const { shape, required, description } = declaration;
  const form = shape.type === 'boolean' ? `--${name} | --no-${name}` : `--${name}`;
  const facts = [
    ...(required ? ['required'] : []),
    ...shapeFacts(shape),
    ...defaultFact(declaration),
  ];
  const inner = shapeOutline(shape, '      ');
  return `  ${form} (${facts.join('; ')})\n${paragraph(description, '      ')}${inner}`;
}
