import { type FieldError, invalid } from '../errors/api-error.ts';

/** Name of a repository. */
const nameCharactersMax = 100;

/**
 * The repository name for a requested name: as on GitHub, characters other than letters, digits, dash, dot and underscore
 * become dashes. undefined if no valid name is left.
 */
export function repositoryName(requested: string): string | undefined {
  const name = requested
    .trim()
    .replaceAll(/[^a-zA-Z0-9._-]+/g, '-')
    .replace(/(?:\.git)+$/i, '');
  if (name === '' || name.length > nameCharactersMax || /^\.+$/.test(name)) return undefined;
  return name;
}

/** The requested name in valid form, or a refusal. */
export function readName(requested: string): string {
  return (
    repositoryName(requested) ??
    invalid({
      resource: 'Repository',
      field: 'name',
      code: 'custom',
      message: 'name must have 1 to 100 letters, digits, dashes, dots or underscores',
    })
  );
}

export const nameTaken: FieldError = {
  resource: 'Repository',
  code: 'custom',
  field: 'name',
  message: 'name already exists on this account',
};
