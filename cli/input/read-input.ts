import type { Operation } from '#functions-contract/operation.ts';
import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import type { CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import {
  type InputMap,
  inputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';
import { memberOptions, type OperationArgs } from './operation-args.ts';
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
    if (args === undefined || (paged && member === replacedByMaxItems)) continue;
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

/** `--max-items` counts what the client prints, unless the caller asks for each page. */
const replacedByMaxItems = 'MaxItems';

type BinaryFormat = 'base64' | 'raw-in-base64-out';

/**
 * The input as the service knows it: members by their wire names, and bytes for texts that stand for bytes. What does not fit
 * the shape stays, for the validation to report.
 */
function canonicalInput(input: InputMap, shape: StructureShape, format: BinaryFormat): InputMap {
  const value = canonical(input, shape, format);
  return isInputMap(value) ? value : input;
}

function canonical(value: InputValue, shape: Shape, format: BinaryFormat): InputValue {
  switch (shape.type) {
    case 'structure':
      if (!isInputMap(value)) return value;
      return inputMap(
        Object.entries(value).map(([given, item]) => {
          const name = wireName(shape, given, value);
          const member = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
          return [name, member === undefined ? item : canonical(item, member.shape, format)];
        }),
      );
    case 'map':
      if (!isInputMap(value)) return value;
      return inputMap(
        Object.entries(value).map(([key, item]) => [key, canonical(item, shape.value, format)]),
      );
    case 'list':
      return isInputList(value) ? value.map((item) => canonical(item, shape.item, format)) : value;
    case 'blob':
      return typeof value === 'string' ? bytesOf(value, format) : value;
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
    case 'timestamp':
      return value;
  }
}

function wireName(shape: StructureShape, given: string, siblings: InputMap): string {
  if (Object.hasOwn(shape.members, given)) return given;
  const name = Object.entries(shape.members).find(([, member]) => member.aliases?.includes(given));
  return name === undefined || Object.hasOwn(siblings, name[0]) ? given : name[0];
}

function bytesOf(text: string, format: BinaryFormat): Uint8Array {
  if (format === 'raw-in-base64-out') return new TextEncoder().encode(text);
  const compact = text.replaceAll(/\s/g, '');
  if (/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact))
    return Buffer.from(compact, 'base64');
  throw new BinaryProblem(text);
}

/** A text is given where base64 is expected. */
class BinaryProblem extends CliError {
  readonly hint: string;

  constructor(text: string) {
    super(255, `Invalid base64: "${text}"`);
    this.name = 'BinaryProblem';
    const looksLikeJson = /^\s*([[{"]|-?\d|true|false|null)/.test(text);
    this.hint = `${looksLikeJson ? 'The value is JSON, not base64' : 'The value is not base64'}: add --cli-binary-format raw-in-base64-out to send it unencoded, or pass a file with fileb://path.`;
  }
}
