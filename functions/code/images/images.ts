import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openContentFolders } from '../archives/content-addressed-store.ts';
import { readConfig } from './image-documents.ts';
import type { ImageConfig } from './image-documents.ts';
import { findImage } from './image-layout.ts';
import type { FoundImage } from './image-layout.ts';
import { readImageUri } from './image-reference.ts';
import type { ImageReference } from './image-reference.ts';
import { ImageError, orRefused } from './image-refusal.ts';
import type { ImageRefused } from './image-refusal.ts';
import { configFile, rootFolder, unpackImage } from './unpack-image.ts';
import type { ImageLimits } from './unpack-image.ts';

/** Container images of functions: from the operator's folder of OCI layouts, unpacked once. */
export interface Images {
  /** What a URI names now. */
  resolve(uri: string, architecture: ImageArchitecture): Promise<ResolvedImage | ImageRefused>;
  /**
   * Lends the unpacked image that a resolved URI names; it is not pruned before `use` has ended. Once unpacked it does not
   * need the operator's folder any more.
   */
  use<T>(
    resolvedUri: string,
    use: (image: UnpackedImage) => Promise<T>,
  ): Promise<{ readonly kind: 'used'; readonly result: T } | ImageRefused>;
  /** Removes the images whose digest (hex) `keep` does not have; asked after the looking, about those found. */
  prune(keep: (found: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
}

export type ImageArchitecture = 'x86_64' | 'arm64';

export interface ResolvedImage {
  readonly kind: 'image';
  /** Hex, of the manifest for this architecture. */
  readonly sha256: string;
  /** Names the same image for ever. */
  readonly resolvedUri: string;
}

export interface UnpackedImage {
  /** The folder to be `/`. Nothing in this process may read what is in there. */
  readonly root: string;
  readonly config: ImageConfig;
}

/** `folder` is the operator's; undefined when the settings name none. */
export async function openImages(
  root: string,
  folder: string | undefined,
  limits: ImageLimits = { bytesMax: 10 * 1024 ** 3, entriesMax: 1_000_000 },
): Promise<Images> {
  const folders = await openContentFolders(root);

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
          // A manifest is for one architecture: which one plays no part in finding it.
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
