import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { isObject } from '../json/is-object.ts';

/**
 * Reads JSON as a structure of the contract. Unknown members are ignored and null is absent (REST-JSON); null in a list or
 * a map is undefined, which the constraints refuse. A value of another type is a SerializationException, which no constraint is looked at
 * after.
 */
export function parseStructure(shape: StructureShape, json: unknown): object {
  return structureOf(shape, json);
}

function parse(shape: Shape, json: unknown): unknown {
  switch (shape.type) {
    case 'string':
      return scalar(json, 'string', 'a String');
    case 'boolean':
      return scalar(json, 'boolean', 'a Boolean');
    case 'integer':
    case 'long':
      return whole(json, shape.type === 'integer' ? 'an Integer' : 'a Long');
    case 'double':
    case 'timestamp':
      return scalar(json, 'number', 'a Double');
    case 'blob':
    case 'stream':
      return bytes(json);
    case 'list':
      if (!Array.isArray(json)) throw unexpected('Expected list or null');
      checkItems(json.length);
      return json.map((item) => parseItem(shape.item, item));
    case 'map':
      return mapOf(shape.value, json);
    case 'structure':
      return structureOf(shape, json);
  }
}

function structureOf(shape: StructureShape, json: unknown): Record<string, unknown> {
  const object = objectOf(json);
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape.members)) {
    const given = memberOf(object, name) ?? aliasOf(object, member.aliases);
    if (given !== undefined && given !== null) value[name] = parse(member.shape, given);
  }
  return value;
}

function aliasOf(
  object: Readonly<Record<string, unknown>>,
  aliases: readonly string[] | undefined,
): unknown {
  for (const alias of aliases ?? []) {
    const given = memberOf(object, alias);
    if (given !== undefined && given !== null) return given;
  }
  return undefined;
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function mapOf(value: Shape, json: unknown): Record<string, unknown> {
  const entries = Object.entries(objectOf(json));
  checkItems(entries.length);
  return Object.fromEntries(entries.map(([key, item]) => [key, parseItem(value, item)]));
}

function parseItem(shape: Shape, json: unknown): unknown {
  return json === null ? undefined : parse(shape, json);
}

/** Items of a list or map in a request, as many as an execution has operations; more are refused before they are looked at. */
const itemsMax = 30_000;

function checkItems(count: number): void {
  if (count > itemsMax) throw unexpected(`A list or map has ${count} items: more than ${itemsMax}`);
}

function objectOf(json: unknown): Readonly<Record<string, unknown>> {
  if (isObject(json)) return json;
  throw unexpected('Expected structure, map or null');
}

function scalar(json: unknown, type: 'string' | 'boolean' | 'number', wanted: string): unknown {
  if (typeof json === type) return json;
  throw cannotConvert(json, wanted);
}

function whole(json: unknown, wanted: string): number {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return json;
  throw cannotConvert(json, wanted);
}

function bytes(json: unknown): Uint8Array {
  if (json instanceof Uint8Array) return json;
  if (typeof json !== 'string') throw cannotConvert(json, 'a Blob');
  if (json.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(json)) {
    throw unexpected('The value of a blob is not base64');
  }
  return Buffer.from(json, 'base64');
}

function cannotConvert(json: unknown, wanted: string): FunctionsError {
  if (Array.isArray(json)) return unexpected('Start of list found where not expected');
  if (typeof json === 'object') {
    return unexpected('Start of structure or map found where not expected');
  }
  return unexpected(`${tokenOf(json)} can not be converted to ${wanted}`);
}

function tokenOf(json: unknown): string {
  if (typeof json === 'string') return 'STRING_VALUE';
  if (typeof json === 'boolean') return json ? 'TRUE_VALUE' : 'FALSE_VALUE';
  return Number.isInteger(json) ? 'NUMBER_VALUE' : 'DECIMAL_VALUE';
}

function unexpected(message: string): FunctionsError {
  return new FunctionsError('SerializationException', message);
}
