import type { Variables } from '../../configuration/configuration.ts';
import type { FunctionConfiguration } from './function-head.ts';
import { type SettingsInput, settingsOf } from './settings.ts';
import { digestOf, readVariables, variablesOf, withLineFeeds } from './variables.ts';

/** The settings of a configuration as texts, and its variables. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  readonly variables: Variables;
}

/** A difference between two drafts, to be read by people; values of variables are not shown. */
export interface Difference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export function draftOf(configuration: FunctionConfiguration): Draft {
  const values = settingsOf(configuration).map((setting) => [
    setting.name,
    setting.read(configuration),
  ]);
  return { values: Object.fromEntries(values), variables: variablesOf(configuration) };
}

/** What a form says; fields that it lacks are as they are in the configuration. */
export function draftIn(form: URLSearchParams, configuration: FunctionConfiguration): Draft {
  const present = draftOf(configuration);
  const values = Object.entries(present.values).map(([name, value]) => {
    const given = normalized(form.getAll(name).join('\n'));
    return [name, !form.has(name) || given === normalized(value) ? value : given];
  });
  return {
    values: Object.fromEntries(values),
    variables: form.has('variable_name')
      ? unchangedWhereEqual(readVariables(form), present.variables)
      : present.variables,
  };
}

/** A value with CR LF, which a form cannot send back, is unchanged if nothing else differs. */
function unchangedWhereEqual(given: Variables, present: Variables): Variables {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const before = own(present, name);
      return [name, before !== undefined && withLineFeeds(before) === value ? before : value];
    }),
  );
}

function normalized(text: string): string {
  return withLineFeeds(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

export function differences(
  configuration: FunctionConfiguration,
  before: Draft,
  after: Draft,
): readonly Difference[] {
  const ofSettings = settingsOf(configuration)
    .map(({ name, label }) => ({
      name: label,
      before: before.values[name] ?? '',
      after: after.values[name] ?? '',
    }))
    .filter((each) => each.before !== each.after);
  const names = new Set([...Object.keys(before.variables), ...Object.keys(after.variables)]);
  const ofVariables = [...names].toSorted().flatMap((name) => {
    const old = own(before.variables, name);
    const next = own(after.variables, name);
    if (old === next) return [];
    return {
      name: `Environment variable ${name}`,
      before: old === undefined ? 'not set' : 'set',
      after: next === undefined ? 'not set' : old === undefined ? 'set' : 'set to another value',
    };
  });
  return [...ofSettings, ...ofVariables];
}

/** The members of the operation for what differs, and nothing else. */
export function changesBetween(
  configuration: FunctionConfiguration,
  before: Draft,
  after: Draft,
): SettingsInput {
  const changed = settingsOf(configuration)
    .filter(({ name }) => before.values[name] !== after.values[name])
    .map((setting) => setting.write(after.values[setting.name] ?? ''));
  const sameVariables = sameTexts(before.variables, after.variables);
  return Object.assign(
    {},
    ...changed,
    sameVariables ? {} : { Environment: { Variables: after.variables } },
  );
}

function sameTexts(one: Variables, other: Variables): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => own(one, name) === own(other, name));
}

/** A draft to come back with a form, so that a later change by another user is detected; values of variables are digests. */
export function writeBase({ values, variables }: Draft): string {
  return JSON.stringify({ values, digests: digestsOf(variables) });
}

export interface Base {
  readonly values: Readonly<Record<string, string>>;
  readonly digests: Readonly<Record<string, string>>;
}

/** Undefined for what is none: the form can be sent by anything. */
export function readBase(text: string | null): Base | undefined {
  try {
    const { values, digests } = Object(JSON.parse(text ?? ''));
    return isTexts(values) && isTexts(digests) ? { values, digests } : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}

function digestsOf(variables: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, digestOf(value)]),
  );
}

/** What became of the settings since the form was opened: names of settings and variables that now differ. */
export function changedSince(base: Base, present: Draft): ReadonlySet<string> {
  const digests = digestsOf(present.variables);
  const names = new Set([...Object.keys(base.digests), ...Object.keys(digests)]);
  return new Set([
    ...Object.keys(present.values).filter((name) => base.values[name] !== present.values[name]),
    ...[...names]
      .filter((name) => own(base.digests, name) !== own(digests, name))
      .map(variableMark),
  ]);
}

/** The user's changes on top of another user's: what the user has not touched is as it is now. */
export function rebased(given: Draft, base: Base, present: Draft): Draft {
  const values = Object.entries(given.values).map(([name, value]) => [
    name,
    value === base.values[name] ? (present.values[name] ?? value) : value,
  ]);
  const names = new Set([...Object.keys(given.variables), ...Object.keys(present.variables)]);
  const variables = [...names].flatMap((name) => {
    const mine = own(given.variables, name);
    const untouched = (mine === undefined ? undefined : digestOf(mine)) === own(base.digests, name);
    const value = untouched ? own(present.variables, name) : mine;
    return value === undefined ? [] : [[name, value]];
  });
  return { values: Object.fromEntries(values), variables: Object.fromEntries(variables) };
}

/** Settings and variables have names of their own, which could be equal. */
function variableMark(name: string): string {
  return `Environment variable ${name}`;
}

/** A variable may be named as a member that every object inherits: `constructor`. */
function own(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
