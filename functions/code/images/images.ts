import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openContentAddressedStore } from '../archives/content-addressed-store.ts';
import {
  readConfig,
  type ImageConfig,
  ImageError,
  orRefused,
  type ImageRefused,
} from './image-documents.ts';
import { findImage, type FoundImage, readImageUri, type ImageReference } from './image-layout.ts';
import { configFile, rootFolder, unpackImage, type ImageLimits } from './unpack-image.ts';

/** Container images of functions: from the operator's directory of OCI layouts, unpacked once. */
export interface Images {
  /** The image to which a URI resolves now. */
  resolve(uri: string, architecture: ImageArchitecture): Promise<ResolvedImage | ImageRefused>;
  /**
   * Provides the unpacked image of a resolved URI; it is not pruned before `use` has ended. Once unpacked, it no longer needs the
   * operator's directory.
   */
  use<T>(
    resolvedUri: string,
    use: (image: UnpackedImage) => Promise<T>,
  ): Promise<{ readonly kind: 'used'; readonly result: T } | ImageRefused>;
  /** Removes images, except those whose digest (hex) `keep` returns; it is called with the digests found. */
  prune(keep: (found: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}

export type ImageArchitecture = 'x86_64' | 'arm64';

export interface ResolvedImage {
  readonly kind: 'image';
  /** Hex, of the manifest for this architecture. */
  readonly sha256: string;
  /** With the image's digest, so that it never refers to another image. */
  readonly resolvedUri: string;
}

export interface UnpackedImage {
  /** The directory to mount as `/`. This process must never read its contents. */
  readonly root: string;
  readonly config: ImageConfig;
}

/** Layers of an image together, unpacked, and their entries. */
const usualLimits: ImageLimits = { bytesMax: 10 * 1024 ** 3, entriesMax: 1_000_000 };

/** `folder` is the operator's directory; undefined when none is configured. */
export async function openImages(
  root: string,
  folder: string | undefined,
  limits: ImageLimits = usualLimits,
): Promise<Images> {
  const folders = await openContentAddressedStore(root);

  async function find(
    reference: ImageReference,
    architecture: ImageArchitecture,
  ): Promise<FoundImage> {
    if (folder !== undefined) return findImage(folder, reference, platforms[architecture]);
    throw new ImageError(
      'ImageAccessDenied',
      'Container images are not enabled: the operator must set HOB_IMAGES_FOLDER.',
    );
  }

  return {
    resolve: (uri, architecture) =>
      orRefused(async () => {
        const reference = parsed(uri);
        const { sha256 } = (await find(reference, architecture)).manifest;
        return { kind: 'image', sha256, resolvedUri: `${reference.name}@sha256:${sha256}` };
      }),

    use: (resolvedUri, use) =>
      orRefused(async () => {
        const reference = parsed(resolvedUri);
        if (reference.sha256 === undefined) throw new Error('The image was not resolved.');
        const build = async (into: string): Promise<void> =>
          // A digest already determines the architecture, so the argument has no effect.
          unpackImage(await find(reference, 'x86_64'), into, limits);
        const result = await folders.use(reference.sha256, build, async (into) => {
          const { config } = readConfig(await readFile(join(into, configFile), 'utf8'));
          return use({ root: join(into, rootFolder), config });
        });
        return { kind: 'used', result };
      }),

    prune: (keep) => folders.prune(keep),
  };
}

const platforms = { x86_64: 'amd64', arm64: 'arm64' } as const;

function parsed(uri: string): ImageReference {
  const reference = readImageUri(uri);
  if (reference) return reference;
  throw new ImageError(
    'InvalidImage',
    'Invalid image URI: use repository:tag or repository@sha256:….',
  );
}
