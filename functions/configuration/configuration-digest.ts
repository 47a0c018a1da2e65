import { createHash } from 'node:crypto';

import { isObject } from '../json/is-object.ts';
import type { StoredConfiguration } from './function-record.ts';

/**
 * SHA-256 of a version's configuration, in hex. The variables count as they are stored, encrypted: from a digest of short secrets, these
 * could be found by trying.
 */
export function configurationDigest({
  configuration,
  sealedVariables,
}: Pick<StoredConfiguration, 'configuration' | 'sealedVariables'>): string {
  const text = JSON.stringify([configuration, sealedVariables], inFixedOrder);
  return createHash('sha256').update(text).digest('hex');
}

/** The order of members depends on the updates that led here. */
function inFixedOrder(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
