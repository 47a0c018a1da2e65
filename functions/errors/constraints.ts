/** Checks values against the constraints of the contract, with AWS's messages (recorded answers). */
import { textPattern } from '#functions-contract/patterns.ts';
import type { ListShape, MapShape, Shape, StructureShape } from '#functions-contract/shape.ts';

import { FunctionsError } from './functions-error.ts';

/** Violations of constraints that a refusal names; more are not looked for. */
const violationsMax = 100;

/** Refuses with every violation at once. */
export function checkConstraints(shape: StructureShape, value: object): void {
  const found: string[] = [];
  for (const each of violationsOf(shape, value, '')) {
    found.push(each);
    if (found.length === violationsMax) break;
  }
  if (found.length > 0) throw new FunctionsError('ValidationException', detected(found));
}

/** `2 validation errors detected: …; …` */
export function detected(violations: readonly string[]): string {
  const noun = violations.length === 1 ? 'validation error' : 'validation errors';
  return `${violations.length} ${noun} detected: ${violations.join('; ')}`;
}

/** `shown` is undefined for values that are never shown. */
export function violation(shown: string | undefined, path: string, constraint: string): string {
  const value = shown === undefined ? 'Value' : `Value ${shown}`;
  return `${value} at '${path}' failed to satisfy constraint: ${constraint}`;
}

type Violations = Generator<string, void, undefined>;

function* violationsOf(shape: Shape, value: unknown, path: string): Violations {
  switch (shape.type) {
    case 'structure':
      yield* structureViolations(shape, value, path);
      break;
    case 'list':
      yield* listViolations(shape, Array.isArray(value) ? value : [], path);
      break;
    case 'map':
      yield* mapViolations(shape, value, path);
      break;
    case 'string':
    case 'integer':
    case 'long':
    case 'double':
    case 'boolean':
    case 'blob':
    case 'stream':
    case 'timestamp':
      for (const constraint of violatedConstraints(shape, value)) {
        const shown = isSensitive(shape) ? undefined : `'${printed(value, shape)}'`;
        yield violation(shown, path, constraint);
      }
  }
}

function* structureViolations(shape: StructureShape, value: unknown, path: string): Violations {
  const given: Readonly<Record<string, unknown>> = Object(value);
  for (const [name, member] of Object.entries(shape.members)) {
    const inner = Object.hasOwn(given, name) ? given[name] : undefined;
    const at = memberPath(path, name);
    if (inner !== undefined) yield* violationsOf(member.shape, inner, at);
    else if (member.required) yield violation('null', at, notNull);
  }
}

/** Of AWS's messages, which begin members with a small letter. */
function memberPath(path: string, name: string): string {
  return `${path === '' ? '' : `${path}.`}${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function* listViolations(shape: ListShape, items: readonly unknown[], path: string): Violations {
  const shown = (): string => `'${printed(items, shape)}'`;
  for (const broken of sizeBroken(shape, items.length)) yield violation(shown(), path, broken);
  if (shape.item.type === 'structure' || shape.item.type === 'list') {
    for (const [index, value] of items.entries()) {
      const at = `${path}.${index + 1}.member`;
      if (value === undefined) yield violation('null', at, notNull);
      else yield* violationsOf(shape.item, value, at);
    }
    return;
  }
  const { item } = shape;
  const hasNull = items.includes(undefined);
  const given = items.filter((value) => value !== undefined);
  if (!hasNull && !given.some((value) => violatedConstraints(item, value).length > 0)) return;
  const all = constraintsOf(item, given);
  if (hasNull || shape.itemsNotNull) all.push(notNull);
  const text = all.join(', ');
  const constraint =
    shape.namesItemsAsOne === true ? text : `Member must satisfy constraint: [${text}]`;
  yield violation(shown(), path, constraint);
}

function* mapViolations(shape: MapShape, value: unknown, path: string): Violations {
  const entries = Object.entries<unknown>(Object(value));
  const shown = (): string | undefined =>
    shape.sensitive === true ? undefined : `'${printed(value, shape)}'`;
  for (const broken of sizeBroken(shape, entries.length)) yield violation(shown(), path, broken);
  if (entries.some(([key]) => violatedConstraints(shape.key, key).length > 0)) {
    const keys = entries.map(([key]) => key);
    const all = constraintsOf(shape.key, keys).join(', ');
    yield violation(shown(), path, `Map keys must satisfy constraint: [${all}]`);
  }
  const values = entries.map(([, item]) => item).filter((item) => item !== undefined);
  const hasNull = values.length < entries.length;
  if (hasNull || values.some((item) => violatedConstraints(shape.value, item).length > 0)) {
    const all = [...constraintsOf(shape.value, values), notNull].join(', ');
    yield violation(shown(), path, `Map value must satisfy constraint: [${all}]`);
  }
}

const notNull = 'Member must not be null';

/** The constraints that a value breaks. */
function violatedConstraints(shape: Shape, value: unknown): string[] {
  return scalarConstraints(shape)
    .filter(({ holds }) => !holds(value))
    .map(({ message }) => message);
}

/** What a message lists for the values of a list or map: the constraints of all of them, not only the violated one. */
function constraintsOf(shape: Shape, values: readonly unknown[]): string[] {
  return scalarConstraints(shape)
    .filter(({ ours, holds }) => ours !== true || !values.every(holds))
    .map(({ message }) => message);
}

interface Constraint {
  readonly message: string;
  readonly holds: (value: unknown) => boolean;
  /** A constraint of Hob's own: listed only if violated, since clients expect AWS's lists. */
  readonly ours?: boolean;
}

const known = new WeakMap<Shape, readonly Constraint[]>();

function scalarConstraints(shape: Shape): readonly Constraint[] {
  let constraints = known.get(shape);
  if (!constraints) {
    constraints = readConstraints(shape);
    known.set(shape, constraints);
  }
  return constraints;
}

function readConstraints(shape: Shape): Constraint[] {
  switch (shape.type) {
    case 'string':
      return [
        ...limits('length', shape, (value) => (typeof value === 'string' ? value.length : 0)),
        ...(shape.pattern === undefined ? [] : [patternConstraint(shape.pattern)]),
        ...(shape.values === undefined ? [] : [valuesConstraint(shape.values, shape.unnamed)]),
        ...(shape.anyCharacter === true ? [] : [characterConstraint]),
      ];
    case 'integer':
    case 'long':
    case 'double':
      return limits('value', shape, Number, shape.type === 'double');
    case 'boolean':
    case 'blob':
    case 'stream':
    case 'timestamp':
    case 'list':
    case 'map':
    case 'structure':
      return [];
  }
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function limits(
  property: 'length' | 'value',
  { min, max }: Bounds,
  measure: (value: unknown) => number,
  decimal = false,
): Constraint[] {
  const message = (comparison: string, bound: number): string =>
    `Member must have ${property} ${comparison} than or equal to ${decimal ? decimalText(bound) : bound}`;
  const found: Constraint[] = [];
  if (max !== undefined) {
    found.push({ message: message('less', max), holds: (value) => measure(value) <= max });
  }
  if (min !== undefined) {
    found.push({ message: message('greater', min), holds: (value) => measure(value) >= min });
  }
  return found;
}

function sizeBroken(shape: Bounds, size: number): string[] {
  return limits('length', shape, () => size)
    .filter(({ holds }) => !holds(undefined))
    .map(({ message }) => message);
}

/** The printed patterns have no anchors and yet hold for the whole text. */
function patternConstraint(pattern: string): Constraint {
  const whole = new RegExp(`^(?:${pattern})$`);
  return {
    message: `Member must satisfy regular expression pattern: ${pattern}`,
    holds: (value) => typeof value === 'string' && whole.test(value),
  };
}

const characterConstraint: Constraint = {
  message: `Member must satisfy regular expression pattern: ${textPattern}`,
  holds: (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')),
  ours: true,
};

function valuesConstraint(values: readonly string[], unnamed: readonly string[] = []): Constraint {
  return {
    message: `Member must satisfy enum value set: [${values.join(', ')}]`,
    holds: (value) =>
      typeof value === 'string' && (values.includes(value) || unnamed.includes(value)),
  };
}

function isSensitive(shape: Shape): boolean {
  return 'sensitive' in shape && shape.sensitive;
}

/** As the service prints values: lists in brackets, maps in braces, without quotes; doubles always with a point. */
function printed(value: unknown, shape: Shape | undefined): string {
  if (Array.isArray(value)) {
    const item = shape?.type === 'list' ? shape.item : undefined;
    return `[${value.map((inner) => printed(inner, item)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, inner]) => `${key}=${printed(inner, innerShape(shape, key))}`,
    );
    return `{${entries.join(', ')}}`;
  }
  if (typeof value === 'number' && shape?.type === 'double') return decimalText(value);
  return isNull(value) ? 'null' : String(value);
}

/** What was null in a list or a map of the request. */
function isNull(value: unknown): boolean {
  return value === undefined;
}

function innerShape(shape: Shape | undefined, key: string): Shape | undefined {
  if (shape?.type === 'map') return shape.value;
  return shape?.type === 'structure' ? shape.members[key]?.shape : undefined;
}

function decimalText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
