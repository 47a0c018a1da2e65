import Type from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { nullable } from '../http/schemas.ts';

/** Name of an asset. */
const nameCharactersMax = 255;
/** Label of an asset. */
const labelCharactersMax = 1024;
/** Media type of an asset. */
const contentTypeCharactersMax = 255;

export const editAssetBody = Type.Object({
  name: Type.Optional(Type.String()),
  label: Type.Optional(nullable(Type.String())),
  state: Type.Optional(Type.String()),
});

/** The name of an asset from that of a file, or a refusal. Other characters become dots, and no name begins or ends with one, as on GitHub. */
export function readAssetName(text: string | null): string {
  if (text === null || text === '') return invalid(assetError('missing_field', 'name'));
  const name = text
    .replaceAll(/[^\w+@-]+/g, '.')
    .replace(/\.+$/, '')
    .replace(/^\.+/, 'default.');
  if (name === '' || name === 'default.') return invalid(assetError('invalid', 'name'));
  return withinLength('name', name, nameCharactersMax);
}

export function readAssetLabel(text: string | null): string | null {
  return text === null ? null : withinLength('label', text, labelCharactersMax);
}

/** The media type of an upload; what is none is not repeated to others. */
export function readContentType(header: string | undefined): string {
  const text = header ?? '';
  const isMediaType =
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+-]*"))*$/;
  const short = text.length <= contentTypeCharactersMax;
  return short && isMediaType.test(text) ? text : 'application/octet-stream';
}

export function refuseTakenAssetName(): never {
  return invalid(assetError('already_exists', 'name'));
}

export function assetError(code: FieldError['code'], field: string, message?: string): FieldError {
  const error = { resource: 'ReleaseAsset', code, field };
  return message === undefined ? error : { ...error, message };
}

function withinLength(field: string, text: string, max: number): string {
  if (Array.from(text).length <= max) return text;
  return invalid(
    assetError('custom', field, `${field} is too long (maximum is ${max} characters)`),
  );
}
