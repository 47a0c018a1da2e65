import { getFunctionConfiguration } from '#functions-contract/operations/functions.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { openSession, type Output } from '../calls/session.ts';
import type { CliContext } from '../context/cli-context.ts';
import type { Globals } from '../input/globals.ts';
import { parseOperationArgs } from '../input/operation-args.ts';
import { readInput } from '../input/read-input.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import {
  inputMap,
  Float,
  type InputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';
import { validateInput } from '../validation/validate-input.ts';
import { readVariableChange, withVariables } from './variable-change.ts';

/** `diff`, with the options of update-function-configuration: what that update would change. Nothing is changed. */
export async function runDiff(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const operation = updateFunctionConfiguration;
  if (args.includes('--help') || args[0] === 'help')
    return (await import('../help/print-help.ts')).printOperationHelp(
      { command: 'diff', operation },
      globals,
      context,
    );
  const parsed = parseOperationArgs(operation, args, globals.paginate);
  const session = await openSession(operation.name, globals, context);
  const input = await readInput(operation, parsed, session.profile.binaryFormat, context);
  validateInput(input, operation.input);
  const variables = readVariableChange(parsed.given, input);
  const update = variables === undefined ? input : await withVariables(variables, input, session);
  const { FunctionName: name = '', RevisionId: _, ...wanted } = update;
  const record = await session.call(getFunctionConfiguration, inputMap([['FunctionName', name]]));
  const changes = changesOf(record, inputMap(Object.entries(wanted)));
  if (context.isTerminal.stdout && globals.output === undefined && globals.query === undefined) {
    context.stdout.write(readable(changes));
    return 0;
  }
  return session.print({ Changes: changes });
}

function readable(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing would change.\n';
  return changes
    .map(({ Setting, Before, After }) =>
      visibleControls(`${Setting}: ${JSON.stringify(Before)} -> ${JSON.stringify(After)}`),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** One setting that an update would give another value; null where there is none. */
export interface Change {
  /** `Environment.Variables.A`. */
  readonly Setting: string;
  readonly Before: unknown;
  readonly After: unknown;
}

/** What differs between a record and an update of it; what the update does not name stays. */
export function changesOf(record: Output, update: InputMap): Change[] {
  return Object.entries(update).flatMap(([name, value]) =>
    differences(name, currentOf(record, name), plain(value)),
  );
}

/** Two settings have another form in the record than in the request. */
function currentOf(record: Output, name: string): unknown {
  if (name === 'Layers') return listOf(record['Layers']).map((layer) => memberOf(layer, 'Arn'));
  if (name === 'ImageConfig') return memberOf(record['ImageConfigResponse'], 'ImageConfig');
  return record[name];
}

/** Variables are replaced together: one that the update does not name goes. */
const replacedWhole = 'Environment.Variables';

function differences(setting: string, before: unknown, after: unknown): Change[] {
  if (isRecord(after) && (isRecord(before) || before === undefined)) {
    const known = isRecord(before) ? before : {};
    const gone = setting === replacedWhole ? Object.keys(known) : [];
    return [...new Set([...Object.keys(after), ...gone])].flatMap((name) =>
      differences(`${setting}.${name}`, known[name], after[name]),
    );
  }
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return [];
  return [{ Setting: setting, Before: before ?? null, After: after ?? null }];
}

function plain(value: InputValue): unknown {
  if (isInputList(value)) return value.map(plain);
  if (value instanceof Float) return value.value;
  if (isInputMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return typeof value === 'bigint' ? String(value) : value;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
