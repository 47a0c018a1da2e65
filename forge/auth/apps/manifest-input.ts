import Type, { type Static } from 'typebox';

import { SchemaCheck } from '#platform/schema-check.ts';

import { type FieldError, invalid } from '../../errors/api-error.ts';
import {
  appPermissionLevels,
  type AppPermissionLevel,
  type AppPermissionName,
  appPermissionNames,
  type AppPermissions,
  slugOfApp,
} from '../../model/app.ts';
import { isArn } from '../../ports/function-targets.ts';

/** The configuration of a new App, as in the manifest of GitHub's manifest flow. */
export interface AppManifest {
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  /** null: no webhook. */
  readonly hookUrl: string | null;
  readonly hookActive: boolean;
  /** Where the browser returns to with the code. */
  readonly redirectUrl: string | null;
  readonly public: boolean;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
}

/** Name of an App. */
const nameCharactersMax = 34;
/** Each URL of an App. */
const urlCharactersMax = 2048;
/** Description of an App. */
const descriptionCharactersMax = 1024;
/** Events of an App. */
const eventsMax = 100;

const shape = Type.Object({
  name: Type.String(),
  url: Type.String(),
  description: Type.Optional(Type.String()),
  hook_attributes: Type.Optional(
    Type.Object({ url: Type.Optional(Type.String()), active: Type.Optional(Type.Boolean()) }),
  ),
  redirect_url: Type.Optional(Type.String()),
  public: Type.Optional(Type.Boolean()),
  default_permissions: Type.Optional(Type.Record(Type.String(), Type.String())),
  default_events: Type.Optional(Type.Array(Type.String())),
});
const check = new SchemaCheck(shape);

/** Reads the JSON of a manifest, or refuses it with all of its errors. */
export function readManifest(text: string): AppManifest {
  const given = parse(text);
  if (!check.accepts(given)) {
    const [problem] = check.problems(given);
    return invalid(
      errorIn(
        'manifest',
        `${problem?.instancePath ?? ''} ${problem?.message ?? 'is invalid'}`.trim(),
      ),
    );
  }
  const hookUrl = given.hook_attributes?.url || null;
  const problems = [
    ...nameProblems(given.name),
    ...urlProblems('url', given.url),
    // Policies of functions name the App, so whether one allows it is decided at each delivery.
    ...(hookUrl === null || isArn(hookUrl) ? [] : urlProblems('hook_attributes.url', hookUrl)),
    ...(given.redirect_url === undefined ? [] : urlProblems('redirect_url', given.redirect_url)),
    ...((given.description ?? '').length > descriptionCharactersMax
      ? [errorIn('description', `is too long (maximum is ${descriptionCharactersMax} characters)`)]
      : []),
    ...eventProblems(given.default_events ?? []),
  ];
  const { permissions, unknown } = readPermissions(given.default_permissions ?? {});
  problems.push(
    ...unknown.map((name) => errorIn('default_permissions', `has the unknown ${name}`)),
  );
  if (problems.length > 0) return invalid(...problems);
  return { ...fieldsOf(given), hookUrl, permissions };
}

/** The permissions among the fields of an object, and what else is in it. */
export function readPermissions(given: Readonly<Record<string, string>>): {
  readonly permissions: AppPermissions;
  readonly unknown: readonly string[];
} {
  const permissions: Partial<Record<AppPermissionName, AppPermissionLevel>> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const known = appPermissionNames.find((each) => each === name);
    const level = appPermissionLevels.find((each) => each === value);
    if (known && level) permissions[known] = level;
    else unknown.push(`${name}: ${value}`.slice(0, 100));
  }
  return { permissions, unknown };
}

function fieldsOf(given: Static<typeof shape>): Omit<AppManifest, 'hookUrl' | 'permissions'> {
  return {
    name: given.name.trim(),
    url: given.url,
    description: given.description?.trim() || null,
    hookActive: given.hook_attributes?.active ?? true,
    redirectUrl: given.redirect_url ?? null,
    public: given.public ?? false,
    events: [...new Set(given.default_events ?? [])],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return invalid(errorIn('manifest', 'is not JSON'));
  }
}

function nameProblems(name: string): FieldError[] {
  const good =
    name.trim().length <= nameCharactersMax &&
    slugOfApp(name) !== undefined &&
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name);
  return good
    ? []
    : [
        errorIn(
          'name',
          `must have 1 to ${nameCharactersMax} characters, a letter or digit among them`,
        ),
      ];
}

function urlProblems(field: string, text: string): FieldError[] {
  return isWebUrl(text) ? [] : [errorIn(field, 'must be an http or https URL without a password')];
}

/** Pages link to URLs, and other schemes, such as `javascript:`, could run a script there. */
function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    // The parser skips line breaks and tabs.
    !/\s/.test(text) &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    text.length <= urlCharactersMax &&
    // The host becomes part of a Content-Security-Policy, where a semicolon would start another directive.
    /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)
  );
}

function eventProblems(events: readonly string[]): FieldError[] {
  if (events.length > eventsMax) return [errorIn('default_events', `has more than ${eventsMax}`)];
  const bad = events.find((event) => !/^[a-z_]{1,64}$/.test(event));
  return bad === undefined ? [] : [errorIn('default_events', 'must be names of webhook events')];
}

function errorIn(field: string, problem: string): FieldError {
  return { resource: 'Integration', field, code: 'custom', message: `${field} ${problem}` };
}
