import {
  IsArray,
  IsInteger,
  IsObject,
  IsString,
  IsUnion,
  type Static,
  type TObject,
  type TSchema,
} from 'typebox';

import { SchemaCheck } from '#platform/schema-check.ts';

import { type FieldError, invalid, refuse } from '../errors/api-error.ts';
import { enumValuesOf } from './schemas.ts';

/** Depth of a JSON body. Deeper ones are refused, because recursive code could overflow the stack. */
const depthMax = 64;
/** Fields and items of a JSON body. */
const fieldsMax = 200_000;

/** The parameters in the body of a request about a `resource`: an empty body and `null` mean none. */
export function parseJsonObject(
  bytes: Buffer | undefined,
  resource: string,
  arrayField?: string,
): Record<string, unknown> {
  if (!bytes || bytes.length === 0) return {};
  const provided = parseJson(bytes);
  const value =
    Array.isArray(provided) && arrayField !== undefined ? { [arrayField]: provided } : provided;
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return refuse({ kind: 'body-not-object' });
  refuseOversized(value, resource);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of JSON has string fields only
  return value as Record<string, unknown>;
}

/** What the keyword `requiredUnless` of a schema says: fields that are required where another one is not given. */
export type RequiredUnless = Readonly<
  Record<string, { readonly given: string; readonly resource: string }>
>;

export type BodyParser<S extends TObject> = (value: Record<string, unknown>) => Static<S>;

/**
 * Validates a body against the operation's schema. Unknown fields are left out; every missing or mistyped field is reported
 * (docs/specification/forge.md 4.3), in the format of GitHub's messages.
 */
export function bodyParser<S extends TObject>(schema: S, resource: string): BodyParser<S> {
  const check = new SchemaCheck(schema);
  const names = Object.keys(schema.properties);
  return (body) => {
    const value = Object.fromEntries(
      names.flatMap((name) => (Object.hasOwn(body, name) ? [[name, body[name]]] : [])),
    );
    const valid = check.accepts(value);
    const problems = [...(valid ? [] : problemsOf(schema, value)), ...missingUnless(schema, value)];
    if (valid && problems.length === 0) return value;
    return invalid(...problems.map((problem) => ({ resource, ...problem })));
  };
}

function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse({ kind: 'malformed-json' });
  }
  try {
    return JSON.parse(text);
  } catch {
    return refuse({ kind: 'malformed-json' });
  }
}

/** Refuses bodies that are too deep or too wide, and text that a database cannot store unchanged. Iterative, not recursive. */
function refuseOversized(root: object, resource: string): void {
  let fields = 0;
  const waiting: { value: unknown; depth: number; field?: string }[] = [{ value: root, depth: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: found, depth, field } = next;
    if (typeof found === 'string') refuseInvalidUnicode(found, resource, field);
    if (typeof found !== 'object' || found === null) continue;
    if (depth > depthMax) refuse({ kind: 'malformed-json' });
    for (const [name, value] of Object.entries(found)) {
      fields += 1;
      if (fields > fieldsMax) refuse({ kind: 'malformed-json' });
      refuseInvalidUnicode(name, resource, field);
      waiting.push({ value, depth: depth + 1, field: field ?? name });
    }
  }
}

function refuseInvalidUnicode(text: string, resource: string, field: string | undefined): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  invalid({
    resource,
    ...(field === undefined ? {} : { field: field.slice(0, 200) }),
    code: 'invalid',
    message: 'Text must be valid Unicode without U+0000.',
  });
}

type Problem = Pick<FieldError, 'field' | 'code' | 'message'> & Partial<FieldError>;

function missingUnless(
  schema: TObject & { readonly requiredUnless?: RequiredUnless },
  value: Record<string, unknown>,
): Problem[] {
  const isGiven = (name: string): boolean => value[name] !== undefined && value[name] !== null;
  return Object.entries(schema.requiredUnless ?? {}).flatMap(([field, { given, resource }]) =>
    isGiven(field) || isGiven(given) ? [] : [{ resource, field, ...notSupplied(field) }],
  );
}

function problemsOf(schema: TObject, value: Record<string, unknown>): Problem[] {
  const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
  const mistyped = Object.entries(schema.properties).flatMap(([name, property]): Problem[] => {
    const provided = value[name];
    const message =
      provided === undefined ? undefined : problemOf(`properties/${name}`, property, provided);
    return message === undefined ? [] : [{ field: name, code: 'invalid', message }];
  });
  return [...missing.map((field): Problem => ({ field, ...notSupplied(field) })), ...mistyped];
}

/** The error for a missing required field. */
export function notSupplied(field: string): Pick<FieldError, 'code' | 'message'> {
  return { code: 'missing_field', message: `"${field}" wasn't supplied.` };
}

/** Of the parts of schemas in which a problem was looked for: the items of a list have one. */
const partChecks = new WeakMap<TSchema, SchemaCheck<TSchema>>();

function checkOf(schema: TSchema): SchemaCheck<TSchema> {
  const known = partChecks.get(schema) ?? new SchemaCheck(schema);
  partChecks.set(schema, known);
  return known;
}

function problemOf(path: string, schema: TSchema, value: unknown): string | undefined {
  if (checkOf(schema).accepts(value)) return undefined;
  const choices = enumValuesOf(schema);
  if (choices && typeof value === 'string') {
    return `${String(value).slice(0, 200)} is not a member of [${choices.map((choice) => JSON.stringify(choice)).join(', ')}].`;
  }
  const variant = variantsOf(schema).find((each) => hasTypeOf(each, value));
  if (variant && !choices) return brokenConstraint(path, variant, value);
  const expected = choices ? 'string' : typeName(schema);
  return `For '${path}', ${inspect(value)} is not ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}.`;
}

function variantsOf(schema: TSchema): readonly TSchema[] {
  return IsUnion(schema) ? schema.anyOf : [schema];
}

function hasTypeOf(schema: TSchema, value: unknown): boolean {
  if (IsInteger(schema)) return Number.isInteger(value);
  if (IsArray(schema)) return Array.isArray(value);
  if (IsObject(schema)) return typeof value === 'object' && value !== null && !Array.isArray(value);
  return IsString(schema) && typeof value === 'string';
}

/** What is wrong with a value of the right type. */
function brokenConstraint(path: string, schema: TSchema, value: unknown): string {
  const { minimum, maximum, maxLength, maxItems } = constraintsOf(schema);
  const must = (what: string): string => `For '${path}', ${inspect(value)} must ${what}.`;
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) {
      return must(`be greater than or equal to ${minimum}`);
    }
    if (maximum !== undefined && value > maximum) {
      return must(`be less than or equal to ${maximum}`);
    }
  }
  if (typeof value === 'string' && maxLength !== undefined) {
    return must(`not have more than ${maxLength} characters`);
  }
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) {
    return must(`not have more than ${maxItems} items`);
  }
  return brokenPart(path, schema, value) ?? `For '${path}', ${inspect(value)} is not valid.`;
}

/** The first problem inside of an array or object. */
function brokenPart(path: string, schema: TSchema, value: unknown): string | undefined {
  if (IsArray(schema) && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = problemOf(`${path}/${index}`, schema.items, item);
      if (problem !== undefined) return problem;
    }
  }
  if (!IsObject(schema) || typeof value !== 'object' || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const [name, property] of Object.entries(schema.properties)) {
    const item = fields.get(name);
    const isMissing = item === undefined && (schema.required ?? []).includes(name);
    if (isMissing) return `For '${path}', ${notSupplied(name).message}`;
    const problem = item === undefined ? undefined : problemOf(`${path}/${name}`, property, item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Constraints {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly maxLength: number | undefined;
  readonly maxItems: number | undefined;
}

function constraintsOf(schema: TSchema): Constraints {
  const limit = (name: keyof Constraints): number | undefined => {
    const value: unknown = Reflect.get(schema, name);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    minimum: limit('minimum'),
    maximum: limit('maximum'),
    maxLength: limit('maxLength'),
    maxItems: limit('maxItems'),
  };
}

function typeName(schema: TSchema): string {
  const own: unknown = Reflect.get(schema, 'type');
  if (typeof own === 'string') return own;
  const variants: unknown = Reflect.get(schema, 'anyOf');
  if (!Array.isArray(variants)) return 'valid value';
  return variants
    .map((variant: object) => String(Reflect.get(variant, 'type')))
    .filter((name) => name !== 'null')
    .join(' or ');
}

/** A value in the notation of GitHub's messages. */
function inspect(value: unknown): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[${value.slice(0, 10).map(inspect).join(', ')}]`;
  if (typeof value === 'object') {
    const fields = Object.entries(value).slice(0, 10);
    return `{${fields.map(([name, item]) => `${JSON.stringify(name)}=>${inspect(item)}`).join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 200)) : JSON.stringify(value);
}
