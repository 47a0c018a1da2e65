import type { Operation } from '#functions-contract/operation.ts';

import { invalidParameter } from '../errors/functions-error.ts';

/**
 * Members of the vendor's newer interface that this service does not obey. Unknown members are ignored, as REST-JSON has it, so
 * these are refused by name. A dot leads into a structure, or into each item of a list.
 */
export const unsupportedMembers: Readonly<Record<string, readonly string[]>> = {
  CreateFunction: [
    'Code.S3ObjectStorageMode',
    'DurableConfig.KMSKeyArn',
    'FileSystemConfigs.S3FilesConfig',
  ],
  PublishLayerVersion: ['Content.S3ObjectStorageMode'],
  UpdateFunctionCode: ['S3ObjectStorageMode'],
  UpdateFunctionConfiguration: ['DurableConfig.KMSKeyArn', 'FileSystemConfigs.S3FilesConfig'],
};

/** Refuses a body that asks for something that would not happen. */
export function refuseUnsupported({ name }: Operation, body: object): void {
  const found = unsupportedMembers[name]?.find((path) => holds(body, path.split('.')));
  if (found !== undefined) throw invalidParameter(`${found} is not supported by this server.`);
}

function holds(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (value === null || value === undefined) return false;
  if (first === undefined) return true;
  if (Array.isArray(value)) return value.some((item) => holds(item, [first, ...rest]));
  if (typeof value !== 'object' || !Object.hasOwn(value, first)) return false;
  return holds(Object.entries(value).find(([name]) => name === first)?.[1], rest);
}
