import type { Operation } from '#functions-contract/operation.ts';

import { CliError } from '../context/errors.ts';
import type { OptionValue } from './argument-parser.ts';
import { type InputMap, inputMap, type InputValue, isInputMap } from '../validation/input-value.ts';
import { readParameter } from './read-parameter.ts';
import type { CliContext } from '../context/cli-context.ts';

/** The member of an operation's input whose ZipFile is given as `--zip-file`: text options cannot carry bytes. */
export function zipFileMember(operation: Operation): string | undefined {
  return Object.entries(operation.input.members).find(
    ([, { shape }]) => shape.type === 'structure' && 'ZipFile' in shape.members,
  )?.[0];
}

/** The input with the archive of `--zip-file` inserted; refuses what is no archive. */
export async function withZipFile(
  operation: Operation,
  input: InputMap,
  given: ReadonlyMap<string, OptionValue>,
  context: CliContext,
): Promise<InputMap> {
  const member = zipFileMember(operation);
  const structure = member === undefined ? undefined : input[member];
  const argument = given.get('zip-file');
  if (member === undefined) {
    if (argument !== undefined && input['ZipFile'] !== undefined) requireArchive(input['ZipFile']);
    return input;
  }
  const option = `--${member.toLowerCase()}`;
  const fields = structure !== undefined && isInputMap(structure) ? structure : inputMap();
  if (given.has(option.slice(2)) && Object.hasOwn(fields, 'ZipFile'))
    throw new CliError(
      252,
      `ZipFile cannot be provided as part of the ${option} argument. Please use the '--zip-file' option instead to specify a zip file.`,
    );
  if (argument === undefined) return input;
  const archive = await readParameter('--zip-file', argument, { type: 'blob' }, context);
  requireArchive(archive);
  return inputMap([
    ...Object.entries(input).filter(([name]) => name !== member),
    [member, inputMap([...Object.entries(fields), ['ZipFile', archive]])],
  ]);
}

/** An archive ends in a record of its own, before a comment of at most 64 KiB. */
function requireArchive(value: InputValue): void {
  const end = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
  if (value instanceof Uint8Array && Buffer.from(value).subarray(-65_557).includes(end)) return;
  throw new CliError(
    252,
    '--zip-file must be a zip file with the fileb:// prefix.\nExample usage:  --zip-file fileb://path/to/file.zip',
  );
}
