import type { Operation } from '#functions-contract/operation.ts';

import type { CliContext } from '../context/cli-context.ts';
import { canonicalInput } from './canonical-input.ts';
import { type InputMap, inputMap, type InputValue } from '../validation/input-value.ts';
import { memberOptions } from './operation-options.ts';
import type { OperationArgs } from './operation-args.ts';
import { readParameter } from './read-parameter.ts';
import { withZipFile } from './zip-file.ts';

/**
 * The input that the arguments of a command describe. Options come in the order of the contract and replace whole members
 * of a document; members that only the document has follow.
 */
export async function readInput(
  operation: Operation,
  { given, paged }: OperationArgs,
  binaryFormat: string,
  context: CliContext,
): Promise<InputMap> {
  const document = await documentOf(given, context);
  const options: (readonly [string, InputValue])[] = [];
  for (const { member, name, declaration } of memberOptions(operation)) {
    const args = given.get(name);
    if (args === undefined || (paged && member === shadowed)) continue;
    options.push([member, await readParameter(`--${name}`, args, declaration.shape, context)]);
  }
  const named = new Set(options.map(([member]) => member));
  const rest = Object.entries(document).filter(([member]) => !named.has(member));
  const input = await withZipFile(operation, inputMap([...options, ...rest]), given, context);
  return canonicalInput(
    input,
    operation.input,
    binaryFormat === 'raw-in-base64-out' ? 'raw-in-base64-out' : 'base64',
  );
}

async function documentOf(given: OperationArgs['given'], context: CliContext): Promise<InputMap> {
  if (!given.has('cli-input-json') && !given.has('cli-input-yaml')) return inputMap();
  return (await import('./input-document.ts')).readInputDocument(given, context);
}

/** `--max-items` counts what the client prints, unless pages are turned by hand. */
const shadowed = 'MaxItems';
