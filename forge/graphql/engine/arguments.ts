import { failField } from './field-error.ts';

/** The arguments of a field, checked against the schema before its resolver runs. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Texts, ids and enumerated values in one argument of GraphQL, such as the ids of `nodes`: each may be looked up. */
const textsMax = 100;

/** An argument, or a field of an input object, that the schema declares as a text, an ID or an enumeration. */
export function textArgument(values: Arguments, name: string): string {
  const value = values[name];
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is not a text`);
}

export function optionalText(values: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

export function integerArgument(values: Arguments, name: string): number {
  const value = values[name];
  if (typeof value === 'number') return value;
  throw new TypeError(`${name} is not a number`);
}

export function optionalInteger(values: Arguments, name: string): number | undefined {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
}

export function optionalBoolean(values: Arguments, name: string): boolean | undefined {
  const value = values[name];
  return typeof value === 'boolean' ? value : undefined;
}

/** Refuses a list that is too long; `title` names its items. */
export function optionalTexts(values: Arguments, name: string, title = name): string[] | undefined {
  const value = values[name];
  if (!Array.isArray(value)) return undefined;
  if (value.length > textsMax) {
    const message = `You may not provide more than ${textsMax} ${title}; you provided ${value.length}.`;
    failField('ARGUMENT_LIMIT', message);
  }
  return value.flatMap((each: unknown) => (typeof each === 'string' ? [each] : []));
}

export function optionalObject(values: Arguments, name: string): Arguments | undefined {
  const value = values[name];
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objects(values: Arguments, name: string): Arguments[] {
  const value = values[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
