import type { Operation } from '#functions-contract/operation.ts';
import type { InputMap } from '../validation/input-value.ts';
import { validateInput } from '../validation/validate-input.ts';
import { jsonLines } from '../wire/write-json.ts';
import type { CliContext } from '../context/cli-context.ts';
import { exampleOutput } from './example-output.ts';
import { exampleValue } from '../input/example-value.ts';
import type { Session } from '../calls/session.ts';

/** The form of an operation's input, for `--cli-input-json` or `--cli-input-yaml`. Nothing is sent. */
export async function printSkeleton(
  operation: Operation,
  kind: 'input' | 'yaml-input',
  context: CliContext,
): Promise<number> {
  if (kind === 'input') {
    context.stdout.write(`${jsonLines(exampleValue(operation.input))}\n`);
    return 0;
  }
  const { yamlSkeleton } = await import('./yaml-skeleton.ts');
  context.stdout.write(yamlSkeleton(operation.input));
  return 0;
}

/** A sample of the answer, once the input is known to be one that would be sent. */
export function printOutputSkeleton(
  operation: Operation,
  input: InputMap,
  session: Session,
): Promise<number> {
  validateInput(input, operation.input);
  return session.print(exampleOutput(operation.output));
}
