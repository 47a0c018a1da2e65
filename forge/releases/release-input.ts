import Type, { type Static } from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { problemOfRefName } from '../git/commands/writable-refs.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import type { MakeLatest } from '../model/release.ts';

/** Text of a release. */
export const releaseBodyCharactersMax = 125_000;
/** Name of a release. */
const nameCharactersMax = 1024;
/** `target_commitish` of a release. */
const targetCharactersMax = 255;

const fields = {
  target_commitish: Type.Optional(nullable(Type.String())),
  name: Type.Optional(nullable(Type.String())),
  body: Type.Optional(nullable(Type.String())),
  draft: Type.Optional(Type.Boolean()),
  prerelease: Type.Optional(Type.Boolean()),
  make_latest: Type.Optional(stringEnum(['true', 'false', 'legacy'])),
} as const;

export const createReleaseBody = Type.Object({
  ...fields,
  tag_name: Type.String(),
  generate_release_notes: Type.Optional(Type.Boolean()),
});

export const editReleaseBody = Type.Object({ ...fields, tag_name: Type.Optional(Type.String()) });

export const notesBody = Type.Object({
  tag_name: Type.String(),
  target_commitish: Type.Optional(nullable(Type.String())),
  previous_tag_name: Type.Optional(nullable(Type.String())),
});

/** Absent fields stay unchanged; those of a new release get their defaults. */
export interface ReleaseInput {
  readonly tagName?: string;
  readonly targetCommitish?: string;
  readonly name?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean;
  readonly prerelease?: boolean;
  readonly makeLatest?: MakeLatest;
}

/** Reads the release in a request, or refuses invalid fields. */
export function readReleaseInput(body: Static<typeof editReleaseBody>): ReleaseInput {
  const errors: FieldError[] = [
    ...problemsOfTag(body.tag_name),
    ...tooLong('name', body.name, nameCharactersMax),
    ...tooLong('body', body.body, releaseBodyCharactersMax),
    ...tooLong('target_commitish', body.target_commitish, targetCharactersMax),
  ];
  if (errors.length > 0) invalid(...errors);
  const target = body.target_commitish ?? '';
  return {
    ...(body.tag_name === undefined ? {} : { tagName: body.tag_name }),
    ...(target === '' ? {} : { targetCommitish: target }),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(body.draft === undefined ? {} : { draft: body.draft }),
    ...(body.prerelease === undefined ? {} : { prerelease: body.prerelease }),
    ...(body.make_latest === undefined ? {} : { makeLatest: body.make_latest }),
  };
}

function problemsOfTag(tag: string | undefined): FieldError[] {
  if (tag === undefined) return [];
  if (tag === '') return [fieldError('missing_field', 'tag_name')];
  const problem = problemOfRefName(`refs/tags/${tag}`);
  if (problem === undefined) return [];
  return [
    { ...fieldError('custom', 'tag_name'), message: `tag_name is not well-formed: ${problem}` },
  ];
}

function tooLong(field: string, text: string | null | undefined, max: number): FieldError[] {
  if (text === undefined || text === null || Array.from(text).length <= max) return [];
  const message = `${field} is too long (maximum is ${max} characters)`;
  return [{ ...fieldError('custom', field), message }];
}

export function refuseTakenTag(): never {
  return invalid(fieldError('already_exists', 'tag_name'));
}

export function fieldError(code: FieldError['code'], field: string): FieldError {
  return { resource: 'Release', code, field };
}
