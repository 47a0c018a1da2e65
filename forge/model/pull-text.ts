import { type FieldError, invalid } from '../errors/api-error.ts';

/** Title of a pull or an issue. */
export const titleCharactersMax = 256;
/** Body of a pull, an issue or a comment. */
export const bodyCharactersMax = 65_536;

/** Refuses a blank title and texts that are too long, where they are present. */
export function checkPullText(text: {
  title?: string | undefined;
  body?: string | null | undefined;
}): void {
  const errors: FieldError[] = [];
  if (text.title !== undefined && text.title.trim() === '') {
    errors.push({ resource: 'Issue', code: 'missing_field', field: 'title' });
  }
  if (text.title !== undefined && Array.from(text.title).length > titleCharactersMax) {
    errors.push(tooLong('title', titleCharactersMax));
  }
  if (typeof text.body === 'string' && text.body.length > bodyCharactersMax) {
    errors.push(tooLong('body', bodyCharactersMax));
  }
  if (errors.length > 0) invalid(...errors);
}

function tooLong(field: string, max: number): FieldError {
  return {
    resource: 'Issue',
    code: 'custom',
    field,
    message: `${field} is too long (maximum is ${max} characters)`,
  };
}
