import { getFunctionConfiguration } from '#functions-contract/operations/functions.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { openSession } from '../calls/open-session.ts';
import type { Globals } from '../input/globals.ts';
import { inputMap } from '../validation/input-value.ts';
import { parseOperationArgs } from '../input/operation-args.ts';
import { readInput } from '../input/read-input.ts';
import { visibleControls } from '../output/visible-controls.ts';
import { validateInput } from '../validation/validate-input.ts';
import type { CliContext } from '../context/cli-context.ts';
import { type Change, changesOf } from './configuration-changes.ts';
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
