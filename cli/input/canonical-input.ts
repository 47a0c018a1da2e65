import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import { ClientError } from '../context/errors.ts';
import {
  type InputMap,
  inputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';

export type BinaryFormat = 'base64' | 'raw-in-base64-out';

/**
 * The input as the service knows it: members by their wire names, and bytes for texts that stand for bytes. What does not fit
 * the shape stays, for the validation to report.
 */
export function canonicalInput(
  input: InputMap,
  shape: StructureShape,
  format: BinaryFormat,
): InputMap {
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
export class BinaryProblem extends ClientError {
  readonly hint: string;

  constructor(text: string) {
    super(255, `Invalid base64: "${text}"`);
    this.name = 'BinaryProblem';
    const looksLikeJson = /^\s*([[{"]|-?\d|true|false|null)/.test(text);
    this.hint = `${looksLikeJson ? 'The value is JSON, not base64' : 'The value is not base64'}: add --cli-binary-format raw-in-base64-out to send it unencoded, or pass a file with fileb://path.`;
  }
}
