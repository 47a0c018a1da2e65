import type { Operation } from '#functions-contract/operation.ts';
import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import type { TransportResponse } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';

/** The output of an operation: the members the contract knows, in its order; what is null or unknown is left out. */
export function parseResponse(
  operation: Operation,
  response: TransportResponse,
): Record<string, unknown> {
  const { members } = operation.output;
  const body = hasJsonBody(operation.output) ? jsonOf(response.body) : undefined;
  const output: Record<string, unknown> = {};
  for (const [name, { location, shape }] of Object.entries(members)) {
    const value =
      location.in === 'status'
        ? response.status
        : location.in === 'header'
          ? headerValue(response.headers[location.name.toLowerCase()], shape)
          : location.in === 'payload'
            ? payloadValue(response.body, shape)
            : parsed(isObject(body) ? body[name] : undefined, shape);
    if (value !== undefined) output[name] = value;
  }
  return output;
}

function hasJsonBody(output: StructureShape): boolean {
  return Object.values(output.members).some((member) => member.location.in === 'body');
}

function jsonOf(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(
      255,
      `Unable to parse response, invalid response received from service:\n${text.slice(0, 500)}`,
    );
  }
}

function headerValue(text: string | undefined, shape: Shape): unknown {
  if (text === undefined) return undefined;
  if (shape.type === 'integer' || shape.type === 'long' || shape.type === 'double')
    return Number(text);
  return shape.type === 'boolean' ? text === 'true' : text;
}

function payloadValue(body: Uint8Array, shape: Shape): unknown {
  if (shape.type === 'blob' || shape.type === 'stream') return body;
  return shape.type === 'string' ? new TextDecoder().decode(body) : parsed(jsonOf(body), shape);
}

function parsed(value: unknown, shape: Shape): unknown {
  if (value === null || value === undefined) return undefined;
  switch (shape.type) {
    case 'structure':
      if (!isObject(value)) return undefined;
      return objectOf(
        Object.entries(shape.members).map(([name, member]) => [
          name,
          parsed(Object.hasOwn(value, name) ? value[name] : undefined, member.shape),
        ]),
      );
    case 'map':
      if (!isObject(value)) return undefined;
      return objectOf(Object.entries(value).map(([key, item]) => [key, parsed(item, shape.value)]));
    case 'list':
      if (!Array.isArray(value)) return undefined;
      return value.map((item) => parsed(item, shape.item)).filter((item) => item !== undefined);
    case 'timestamp':
      return typeof value === 'number' ? timestampText(value) : value;
    case 'blob':
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
      return value;
  }
}

function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Seconds since the epoch, as the AWS CLI prints timestamps. */
function timestampText(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  const iso = date.toISOString();
  return iso.replace(/\.(\d{3})Z$/, (_, part: string) =>
    part === '000' ? '+00:00' : `.${part}000+00:00`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
