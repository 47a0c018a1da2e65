import { type FieldError, invalid } from '../errors/api-error.ts';

/** A mark that issues and pulls of one repository may bear. */
export interface Label {
  readonly id: number;
  readonly name: string;
  /** Six lower-case hexadecimal digits. */
  readonly color: string;
  readonly description: string | null;
}

/** What labels get that come into being by being put on an issue. */
export const defaultColor = 'ededed';

/** Name of a label. */
export const labelNameCharactersMax = 50;
/** Description of a label. */
export const descriptionCharactersMax = 100;

/** Refuses invalid fields of a label; absent fields are not checked. */
export function checkLabel(label: {
  readonly name?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | null | undefined;
}): void {
  const errors: FieldError[] = [];
  if (label.name !== undefined) errors.push(...nameProblems(label.name));
  if (label.color !== undefined && !/^[0-9a-f]{6}$/i.test(label.color)) {
    errors.push({ resource: 'Label', code: 'invalid', field: 'color' });
  }
  if (label.description && Array.from(label.description).length > descriptionCharactersMax) {
    errors.push(tooLong('description', descriptionCharactersMax));
  }
  if (errors.length > 0) invalid(...errors);
}

/** A name that another label of the repository has. */
export function refuseTakenLabelName(): never {
  return invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
}

function nameProblems(name: string): FieldError[] {
  if (name.trim() === '') return [{ resource: 'Label', code: 'missing_field', field: 'name' }];
  if (Array.from(name).length <= labelNameCharactersMax) return [];
  return [tooLong('name', labelNameCharactersMax)];
}

function tooLong(field: string, max: number): FieldError {
  return {
    resource: 'Label',
    code: 'custom',
    field,
    message: `${field} is too long (maximum is ${max} characters)`,
  };
}
