import type { Operation } from '#functions-contract/operation.ts';
import type { Shape } from '#functions-contract/shape.ts';

import type { Session } from '../calls/session.ts';
import type { CliContext } from '../context/cli-context.ts';
import { exampleValue } from '../input/shorthand-hint.ts';
import type { InputMap } from '../validation/input-value.ts';
import { validateInput } from '../validation/validate-input.ts';
import { jsonLines } from '../wire/write-json.ts';

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

/** A sample of what an operation answers: texts are the names of their members. */
export function exampleOutput(shape: Shape, name = ''): unknown {
  switch (shape.type) {
    case 'structure':
      return Object.fromEntries(
        Object.entries(shape.members).map(([member, { shape: inner }]) => [
          member,
          exampleOutput(inner, member),
        ]),
      );
    case 'map':
      return { KeyName: exampleOutput(shape.value, 'KeyName') };
    case 'list':
      return [exampleOutput(shape.item, name)];
    case 'string':
      return shape.values?.[0] ?? name;
    case 'integer':
    case 'long':
    case 'double':
      return 0;
    case 'boolean':
      return true;
    case 'blob':
    case 'stream':
      return name;
    case 'timestamp':
      return '1970-01-01T00:00:00+00:00';
  }
}
