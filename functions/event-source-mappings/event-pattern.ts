import { isObject } from '../json/is-object.ts';

/**
 * Patterns of filters, as EventBridge defines them and event source mappings take them: null, empty, equal, equal but for case, prefix,
 * suffix, anything but, numbers, existence, and `$or`.
 */
export type EventPattern = (event: unknown) => boolean;

/** Undefined for what is no pattern. */
export function parseEventPattern(text: string): EventPattern | undefined {
  try {
    const pattern: unknown = JSON.parse(text);
    return isObject(pattern) ? fieldsTest(pattern) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NoPattern) return undefined;
    throw error;
  }
}

/** The member of a pattern that says something about the body of messages. */
export function bodyPattern(text: string): 'none' | 'text' | 'json' {
  const pattern: unknown = JSON.parse(text);
  const body = isObject(pattern) ? pattern['body'] : undefined;
  if (body === undefined) return 'none';
  return Array.isArray(body) ? 'text' : 'json';
}

class NoPattern extends Error {}

type Test = (value: unknown) => boolean;

/** All of the fields must match. */
function fieldsTest(pattern: Readonly<Record<string, unknown>>): Test {
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new NoPattern();
  const tests = entries.map(([name, rule]): Test => {
    if (name === '$or' && Array.isArray(rule)) return anyOf(rule);
    const test = fieldTest(rule);
    return (event) => test(isObject(event) && Object.hasOwn(event, name) ? event[name] : undefined);
  });
  return (event) => tests.every((test) => test(event));
}

function anyOf(rules: readonly unknown[]): Test {
  const tests = rules.map((rule) => {
    if (!isObject(rule)) throw new NoPattern();
    return fieldsTest(rule);
  });
  if (tests.length < 2) throw new NoPattern();
  return (event) => tests.some((test) => test(event));
}

/** A list in the event matches where one of its items does. */
function fieldTest(rule: unknown): Test {
  if (Array.isArray(rule)) {
    if (rule.length === 0) throw new NoPattern();
    const tests = rule.map(valueTest);
    return (value) => tests.some((test) => test(value));
  }
  if (!isObject(rule)) throw new NoPattern();
  const test = fieldsTest(rule);
  return (value) => (Array.isArray(value) ? value.some(test) : test(value));
}

function valueTest(rule: unknown): Test {
  if (!isObject(rule)) {
    if (Array.isArray(rule)) throw new NoPattern();
    return ofItems((value) => value === rule);
  }
  const [entry, ...more] = Object.entries(rule);
  if (!entry || more.length > 0) throw new NoPattern();
  const [operator, operand] = entry;
  if (operator === 'exists') return existence(operand);
  if (operator === 'anything-but') {
    const test = negated(operand);
    return (value) =>
      value !== undefined && (Array.isArray(value) ? value.every(test) : test(value));
  }
  return ofItems(operator === 'numeric' ? numberTest(operand) : textTest(operator, operand));
}

function ofItems(test: Test): Test {
  return (value) => value !== undefined && (Array.isArray(value) ? value.some(test) : test(value));
}

/** Only leaves exist: an object is none. */
function existence(operand: unknown): Test {
  if (typeof operand !== 'boolean') throw new NoPattern();
  return (value) => (value !== undefined && !isObject(value)) === operand;
}

function negated(operand: unknown): Test {
  if (isObject(operand)) {
    const test = valueTest(operand);
    return (value) => !test(value);
  }
  const values: unknown[] = Array.isArray(operand) ? operand : [operand];
  const isPlain = values.every((value) => typeof value === 'string' || typeof value === 'number');
  if (values.length === 0 || !isPlain) throw new NoPattern();
  return (value) => !values.some((each) => each === value);
}

function textTest(operator: string, operand: unknown): Test {
  if (typeof operand !== 'string') throw new NoPattern();
  switch (operator) {
    case 'prefix':
      return (value) => typeof value === 'string' && value.startsWith(operand);
    case 'suffix':
      return (value) => typeof value === 'string' && value.endsWith(operand);
    case 'equals-ignore-case':
      return equalButForCase(operand.toLowerCase());
    default:
      throw new NoPattern();
  }
}

/** No character becomes shorter in lower case, so a longer text is another: hundreds of rules would each take milliseconds for a megabyte. */
function equalButForCase(lower: string): Test {
  return (value) =>
    typeof value === 'string' && value.length <= lower.length && value.toLowerCase() === lower;
}

/** `["=", 5]`, or one or two bounds: `[">", 0, "<=", 5]`. */
function numberTest(operand: unknown): Test {
  if (!Array.isArray(operand) || (operand.length !== 2 && operand.length !== 4)) {
    throw new NoPattern();
  }
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    tests.push(comparison(operand[index], operand[index + 1]));
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function comparison(operator: unknown, bound: unknown): (value: number) => boolean {
  if (typeof bound !== 'number') throw new NoPattern();
  switch (operator) {
    case '=':
      return (value) => value === bound;
    case '<':
      return (value) => value < bound;
    case '<=':
      return (value) => value <= bound;
    case '>':
      return (value) => value > bound;
    case '>=':
      return (value) => value >= bound;
    default:
      throw new NoPattern();
  }
}
