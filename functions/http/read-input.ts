import type { Operation } from '#functions-contract/operation.ts';
import type { Member, Shape } from '#functions-contract/shape.ts';

import { checkConstraints } from '../errors/constraints.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { isObject } from '../json/is-object.ts';
import { isQuicklyParsed, structureBytesMax } from '../json/structure-bytes.ts';
import { parseStructure } from './parse-value.ts';

/** A request, taken apart but not yet understood. */
export interface RawInput {
  /** Path parameters, decoded once. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

/** The input of an operation, whole and within its constraints; ready for the handler that is typed by it. */
export function readInput(operation: Operation, raw: RawInput): object {
  const { hasJsonBody, elsewhere } = planOf(operation);
  const given: Record<string, unknown> = hasJsonBody ? bodyMembers(raw.body, operation) : {};
  // Members outside the body cannot be given in it.
  for (const [name, member] of elsewhere) given[name] = outsideBody(operation, name, member, raw);
  return parseInput(operation, given);
}

/** The same from the members of an input, for callers within this program. */
export function parseInput(operation: Operation, given: Readonly<Record<string, unknown>>): object {
  refuseUnsupported(operation, given);
  const input = parseStructure(operation.input, given);
  if (planOf(operation).hasCode) checkTexts(operation, input);
  checkConstraints(operation.input, input);
  return input;
}

/** Where the members of an input travel. */
interface Plan {
  readonly hasJsonBody: boolean;
  /** Bytes, for which the body may be large, are a member of it. */
  readonly hasCode: boolean;
  readonly elsewhere: readonly (readonly [name: string, member: Member])[];
}

const plans = new WeakMap<Operation, Plan>();

function planOf(operation: Operation): Plan {
  let plan = plans.get(operation);
  if (!plan) {
    const members = Object.entries(operation.input.members);
    const travels = (where: string): boolean =>
      members.some(([, { location }]) => location.in === where);
    plan = {
      hasJsonBody: travels('body') && !travels('payload'),
      hasCode: members.some(([, { location, shape }]) => location.in === 'body' && hasBytes(shape)),
      elsewhere: members.filter(([, { location }]) => location.in !== 'body'),
    };
    plans.set(operation, plan);
  }
  return plan;
}

function hasBytes(shape: Shape): boolean {
  if (shape.type === 'structure') {
    return Object.values(shape.members).some((member) => hasBytes(member.shape));
  }
  return shape.type === 'blob';
}

/** Texts of a request with code; then 413. Refusals repeat them, some twice. */
const textCharactersMax = 1_048_576;

function checkTexts({ name }: Operation, input: object): void {
  if (charactersOf(input) <= textCharactersMax) return;
  throw new FunctionsError(
    'RequestEntityTooLargeException',
    `Request must be smaller than ${textCharactersMax} characters besides the code for the ${name} operation`,
  );
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + name.length + charactersOf(inner),
    0,
  );
}

function outsideBody(operation: Operation, name: string, member: Member, raw: RawInput): unknown {
  const { location, shape } = member;
  switch (location.in) {
    case 'path':
      return fromText(member, raw.path[name]);
    case 'query':
      return shape.type === 'list'
        ? listOf(raw.query.getAll(location.name))
        : fromText(member, raw.query.get(location.name) ?? undefined);
    case 'header':
      return fromText(member, raw.header(location.name));
    case 'payload':
      if (raw.body.length === 0) return undefined;
      return shape.type === 'structure' ? bodyMembers(raw.body, operation) : raw.body;
    case 'body':
    case 'status':
      return undefined;
  }
}

function listOf(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

function fromText({ shape }: Member, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  switch (shape.type) {
    case 'integer':
    case 'long':
    case 'double':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'string':
    case 'blob':
    case 'stream':
    case 'timestamp':
    case 'list':
    case 'map':
    case 'structure':
      return text;
  }
}

function bodyMembers(body: Uint8Array, operation: Operation): Record<string, unknown> {
  if (body.length === 0) return {};
  checkStructure(body, operation);
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(body));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new FunctionsError(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${withoutContent(detail)}`,
    );
  }
  if (isObject(json)) return json;
  throw new FunctionsError(
    'SerializationException',
    `The body of ${operation.name} must be a JSON object.`,
  );
}

/** What is larger is code, a payload or a result, which are strings: parsing 70 MB of other values would take half a minute. */
function checkStructure(body: Uint8Array, { name }: Operation): void {
  if (isQuicklyParsed(body)) return;
  throw new FunctionsError(
    'RequestEntityTooLargeException',
    `Request must be smaller than ${structureBytesMax} bytes outside of strings for the ${name} operation`,
  );
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The parser quotes the body, which may contain secrets. */
function withoutContent(detail: string): string {
  const position = / at position \d+( \(line \d+ column \d+\))?/.exec(detail)?.[0];
  return position === undefined
    ? 'the text is truncated or not JSON'
    : `unexpected character${position}`;
}

/** Of streams and of other event sources than queues, and of services that are not here. */
const mappingMembers = [
  'AmazonManagedKafkaEventSourceConfig',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'DocumentDBEventSourceConfig',
  'KMSKeyArn',
  'LoggingConfig',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'MetricsConfig',
  'ParallelizationFactor',
  'ProvisionedPollerConfig',
  'SelfManagedKafkaEventSourceConfig',
  'SourceAccessConfigurations',
  'TumblingWindowInSeconds',
];

/**
 * Members of AWS's newer API that this service does not support. Unknown members are ignored, as in REST-JSON, so these are refused
 * by name. A dot leads into a structure, or into each item of a list.
 */
export const unsupportedMembers: Readonly<Record<string, readonly string[]>> = {
  CreateFunction: [
    'Code.S3ObjectStorageMode',
    'DurableConfig.KMSKeyArn',
    'FileSystemConfigs.S3FilesConfig',
  ],
  CreateEventSourceMapping: [
    ...mappingMembers,
    'StartingPosition',
    'StartingPositionTimestamp',
    'Topics',
    'Queues',
    'SelfManagedEventSource',
  ],
  PublishLayerVersion: ['Content.S3ObjectStorageMode'],
  UpdateEventSourceMapping: mappingMembers,
  UpdateFunctionCode: ['S3ObjectStorageMode'],
  UpdateFunctionConfiguration: ['DurableConfig.KMSKeyArn', 'FileSystemConfigs.S3FilesConfig'],
};

/** Refuses a body that asks for something that would not happen. */
function refuseUnsupported({ name }: Operation, body: object): void {
  const found = unsupportedMembers[name]?.find((path) => holds(body, path.split('.')));
  if (found !== undefined) throw invalidParameter(`${found} is not supported by this server.`);
}

function holds(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (value === null || value === undefined) return false;
  if (first === undefined) return true;
  // A list in a list is none of the contract's, and may be deeper than the stack.
  if (Array.isArray(value))
    return value.some((item) => !Array.isArray(item) && holds(item, [first, ...rest]));
  return isObject(value) && Object.hasOwn(value, first) && holds(value[first], rest);
}
