import type { AccountRegion } from '../model/function-name.ts';

/** One published version of a layer. It never changes. */
export interface LayerVersion {
  readonly id: number;
  readonly name: string;
  /** From 1; numbers are never reused, even when versions are deleted. */
  readonly version: number;
  readonly content: LayerContent;
  readonly description: string;
  readonly licenseInfo: string | undefined;
  /** Undefined when they were never given, which differs from an empty list. */
  readonly compatibleRuntimes: readonly string[] | undefined;
  readonly compatibleArchitectures: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** No longer found by its name; functions that use it still have it. */
  readonly deleted: boolean;
}

export interface LayerContent {
  /** Hex, of the archive. */
  readonly sha256: string;
  readonly size: number;
  readonly unzippedSize: number;
}

/** A version as its ARN names it. */
export interface LayerReference {
  readonly region: string;
  readonly accountId: string;
  readonly name: string;
  readonly version: number;
}

/** One statement of who else may use a version. */
export interface LayerStatement {
  readonly id: string;
  /** JSON, as returned to callers. */
  readonly text: string;
}

export function layerArn({ region, accountId }: AccountRegion, name: string): string {
  return `arn:aws:lambda:${region}:${accountId}:layer:${name}`;
}

export function layerVersionArn(
  accountRegion: AccountRegion,
  name: string,
  version: number,
): string {
  return `${layerArn(accountRegion, name)}:${version}`;
}

/** Undefined for what is no ARN of a layer version, and for versions beyond any number. */
export function readLayerVersionArn(arn: string): LayerReference | undefined {
  const { region, accountId, name, version } = versionForm.exec(arn)?.groups ?? {};
  if (!region || !accountId || !name || !version) return undefined;
  const number = Number(version);
  return Number.isSafeInteger(number) ? { region, accountId, name, version: number } : undefined;
}

/** The name in a layer's name or ARN, which already satisfies the contract's pattern. */
export function layerNameOf(nameOrArn: string): string {
  return nameOrArn.slice(nameOrArn.lastIndexOf(':') + 1);
}

const versionForm =
  /^arn:aws[a-zA-Z-]*:lambda:(?<region>[a-z0-9-]+):(?<accountId>\d{12}):layer:(?<name>[a-zA-Z0-9-_]+):(?<version>\d+)$/;
