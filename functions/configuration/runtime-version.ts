import { createHash } from 'node:crypto';

import type { Configuration } from './configuration.ts';

/** The version of the runtime that a function runs on; undefined for images, which bring their own. */
export function runtimeVersionArn(
  { Runtime, Architecture }: Configuration,
  region: string,
): string | undefined {
  if (Runtime === undefined) return undefined;
  const version = createHash('sha256').update(`${Runtime} ${Architecture}`).digest('hex');
  return `arn:aws:lambda:${region}::runtime:${version}`;
}
