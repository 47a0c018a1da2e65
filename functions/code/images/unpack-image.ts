import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';

import { ArchiveRefusal } from '../archives/archive-path.ts';
import { makeFolder, syncFolders, writePrivateFile } from '#platform/durable-files.ts';
import { readConfig, readManifest, type Descriptor, ImageError } from './image-documents.ts';
import { invalidBlob, readBlob, streamBlob, type FoundImage } from './image-layout.ts';
import { RootfsBuilder } from './rootfs-builder.ts';
import { readTar } from './tar-reader.ts';

export const rootFolder = 'root';
export const configFile = 'config.json';

export interface ImageLimits {
  /** The maximum size of all layers together, unpacked. */
  readonly bytesMax: number;
  readonly entriesMax: number;
}

/** Unpacks all layers of an image in order, and stores its configuration next to them. Durable when it resolves. */
export async function unpackImage(
  { layout, manifest: descriptor }: FoundImage,
  folder: string,
  limits: ImageLimits,
): Promise<void> {
  const manifest = readManifest(await readBlob(layout, descriptor));
  const configText = await readBlob(layout, manifest.config);
  const { diffIds } = readConfig(configText);
  if (diffIds.length !== manifest.layers.length) {
    throw new ImageError('InvalidImage', 'The layers of the image do not match its configuration.');
  }
  await makeFolder(join(folder, rootFolder));
  const root = new RootfsBuilder(join(folder, rootFolder));
  const budget = { bytes: limits.bytesMax, entries: limits.entriesMax };
  for (const [index, layer] of manifest.layers.entries()) {
    await applyLayer(layout, layer, diffIds[index] ?? '', root, budget);
  }
  await root.makeMountPoints();
  await syncFolders(root.folders());
  await writePrivateFile(join(folder, configFile), (write) => write(Buffer.from(configText)));
}

/** The remaining capacity of the limits. */
interface Budget {
  bytes: number;
  entries: number;
}

async function applyLayer(
  layout: string,
  layer: Descriptor,
  diffId: string,
  root: RootfsBuilder,
  budget: Budget,
): Promise<void> {
  const packed = createHash('sha256');
  const unpacked = createHash('sha256');
  const source = await streamBlob(layout, layer);
  const hashPacked = (bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
    observed(bytes, (piece) => packed.update(piece));
  const apply = (bytes: AsyncIterable<Buffer>): Promise<void> => {
    const counted = observed(bytes, (piece) => {
      unpacked.update(piece);
      budget.bytes -= piece.length;
      if (budget.bytes < 0) throw tooLarge();
    });
    return readTar(counted, async (entry, content) => {
      budget.entries -= 1;
      if (budget.entries < 0) throw tooLarge();
      await root.apply(entry, content);
    });
  };
  const decompressor = decompressorOf(layer.mediaType);
  try {
    await (decompressor
      ? pipeline(source, hashPacked, decompressor, apply)
      : pipeline(source, hashPacked, apply));
  } catch (cause) {
    throw isDecompressionError(cause) ? invalidBlob(layer.sha256) : cause;
  } finally {
    await root.endLayer();
  }
  if (packed.digest('hex') !== layer.sha256 || unpacked.digest('hex') !== diffId) {
    throw invalidBlob(layer.sha256);
  }
}

async function* observed(
  bytes: AsyncIterable<Buffer>,
  observe: (piece: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of bytes) {
    observe(piece);
    yield piece;
  }
}

const pieceBytes = 256 * 1024;

function decompressorOf(mediaType: string): Transform | undefined {
  if (!layerType.test(mediaType)) {
    throw new ImageError('InvalidImage', 'The image has a layer of an unknown type.');
  }
  if (mediaType.endsWith('gzip')) return createGunzip({ chunkSize: pieceBytes });
  if (mediaType.endsWith('zstd')) return createZstdDecompress({ chunkSize: pieceBytes });
  return undefined;
}

const layerType =
  /^application\/vnd\.(oci\.image\.layer(\.nondistributable)?\.v1\.tar(\+gzip|\+zstd)?|docker\.image\.rootfs(\.foreign)?\.diff\.tar(\.gzip|\.zstd)?)$/;

function isDecompressionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_)/.test(String(error.code));
}

function tooLarge(): ArchiveRefusal {
  return new ArchiveRefusal('too-large', 'The unpacked image exceeds the size limit.');
}
