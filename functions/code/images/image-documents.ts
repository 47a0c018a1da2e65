/** The JSON documents of an OCI image layout, and of Docker's older format. They are untrusted, so everything is checked. */
import { ArchiveRefusal } from '../archives/archive-path.ts';

export interface Descriptor {
  readonly mediaType: string;
  /** Hex. */
  readonly sha256: string;
  readonly size: number;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly platform: { readonly os: unknown; readonly architecture: unknown } | undefined;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** The configuration with which an image runs. */
export interface ImageConfig {
  readonly entryPoint: readonly string[];
  readonly command: readonly string[];
  /** Absolute. */
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface ConfigDocument {
  readonly config: ImageConfig;
  /** Hex digests of the layers once decompressed. */
  readonly diffIds: readonly string[];
}

export function readIndex(text: string): Descriptor[] {
  return list(members(parsed(text))['manifests']).map(descriptor);
}

export function readManifest(text: string): Manifest {
  const { config, layers } = members(parsed(text));
  return { config: descriptor(config), layers: list(layers).map(descriptor) };
}

export function readConfig(text: string): ConfigDocument {
  const { config, rootfs } = members(parsed(text));
  const given = members(config ?? {});
  return {
    config: {
      entryPoint: texts(given['Entrypoint'] ?? []),
      command: texts(given['Cmd'] ?? []),
      workingDirectory: workingDirectory(given['WorkingDir']),
      environment: Object.fromEntries(texts(given['Env'] ?? []).flatMap(variable)),
    },
    diffIds: texts(members(rootfs)['diff_ids']).map(digest),
  };
}

function descriptor(value: unknown): Descriptor {
  const { mediaType, digest: written, size, annotations, platform } = members(value);
  if (typeof mediaType !== 'string' || !Number.isSafeInteger(size)) throw invalid();
  const known = platform === undefined ? undefined : members(platform);
  return {
    mediaType,
    sha256: digest(written),
    size: Number(size),
    annotations: annotations === undefined ? {} : members(annotations),
    platform: known && { os: known['os'], architecture: known['architecture'] },
  };
}

function digest(value: unknown): string {
  const hex = typeof value === 'string' ? /^sha256:([0-9a-f]{64})$/.exec(value)?.[1] : undefined;
  if (hex === undefined) throw invalid();
  return hex;
}

function workingDirectory(value: unknown): string {
  if (value === undefined || value === null || value === '') return '/';
  if (typeof value === 'string' && value.startsWith('/')) return value;
  throw invalid();
}

function variable(text: string): [string, string][] {
  const at = text.indexOf('=');
  return at > 0 ? [[text.slice(0, at), text.slice(at + 1)]] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid();
  }
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return Object.fromEntries(Object.entries(value));
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length > 1000) throw invalid();
  return value;
}

function texts(value: unknown): string[] {
  return list(value).map((text) => {
    if (typeof text !== 'string' || text.includes('\0')) throw invalid();
    return text;
  });
}

function invalid(): ImageError {
  return new ImageError('InvalidImage', 'A document of the image does not match its format.');
}

/** Why an image is not available; the code is one of the contract's reason codes. */
export interface ImageRefused {
  readonly kind: 'refused';
  readonly code: 'InvalidImage' | 'ImageDeleted' | 'ImageAccessDenied';
  /** Describes the problem to the function's owner. */
  readonly message: string;
}

/** Thrown inside this folder; `images.ts` converts it to an `ImageRefused`. */
export class ImageError extends Error {
  readonly code: ImageRefused['code'];

  constructor(code: ImageRefused['code'], message: string) {
    super(message);
    this.name = 'ImageError';
    this.code = code;
  }
}

export async function orRefused<T>(work: () => Promise<T>): Promise<T | ImageRefused> {
  try {
    return await work();
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  }
}

function refusalOf(error: unknown): ImageRefused | undefined {
  if (error instanceof ImageError) {
    return { kind: 'refused', code: error.code, message: error.message };
  }
  if (error instanceof ArchiveRefusal) {
    return { kind: 'refused', code: 'InvalidImage', message: error.message };
  }
  return undefined;
}
