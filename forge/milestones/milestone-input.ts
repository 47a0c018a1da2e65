import { present } from '#platform/present.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';

/** Title of a milestone. */
export const milestoneTitleCharactersMax = 255;

/** Later years have more than four digits, which the timestamps of responses cannot represent. */
const dueAtMax = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The input for a milestone; absent fields stay unchanged. */
export interface MilestoneInput {
  readonly title?: string;
  readonly description?: string | null;
  readonly state?: 'open' | 'closed';
  readonly dueAt?: number | null;
}

interface MilestoneBody {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly due_on?: string | null | undefined;
}

/** Reads the milestone in a request, or refuses invalid fields. */
export function readMilestoneInput(body: MilestoneBody): MilestoneInput {
  const { title, description, state, due_on: dueOn } = body;
  const dueAt = typeof dueOn === 'string' ? Date.parse(dueOn) : dueOn;
  const errors: FieldError[] = [];
  if (title?.trim() === '') errors.push(fieldError('missing_field', 'title'));
  if (title !== undefined && Array.from(title).length > milestoneTitleCharactersMax) {
    errors.push({
      ...fieldError('custom', 'title'),
      message: `title is too long (maximum is ${milestoneTitleCharactersMax} characters)`,
    });
  }
  if (typeof dueAt === 'number' && !(dueAt >= 0 && dueAt <= dueAtMax)) {
    errors.push(fieldError('invalid', 'due_on'));
  }
  if (errors.length > 0) invalid(...errors);
  return {
    ...present({ title, description, state, dueAt }),
  };
}

/** Refuses a title that another milestone of the repository has. */
export function refuseTakenTitle(): never {
  return invalid(fieldError('already_exists', 'title'));
}

function fieldError(code: FieldError['code'], field: string): FieldError {
  return { resource: 'Milestone', code, field };
}
