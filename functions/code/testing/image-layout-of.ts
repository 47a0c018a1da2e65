import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { tarOf } from './tar-of.ts';
import type { TarItem } from './tar-of.ts';

export interface ImageContent {
  readonly layers: readonly (readonly TarItem[])[];
  /** Spelled as in the image's configuration: Entrypoint, Cmd, Env, WorkingDir. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly compression?: 'none' | 'gzip' | 'zstd';
  /** With it, the name points to an index with this one variant. */
  readonly architecture?: string;
}

/** Writes an OCI image layout with one image under a name, and answers with the hex digest of its manifest. */
export async function writeImageLayout(
  layout: string,
  name: string,
  { layers, config = {}, compression = 'gzip', architecture }: ImageContent,
): Promise<string> {
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true });
  const tars = layers.map((items) => tarOf(items));
  const { suffix, compress } = compressions[compression];
  const manifest = await writeJson(layout, oci('manifest'), {
    schemaVersion: 2,
    config: await writeJson(layout, oci('config'), {
      config,
      rootfs: { type: 'layers', diff_ids: tars.map((tar) => digestOf(tar)) },
    }),
    layers: await Promise.all(
      tars.map((tar) =>
        writeBlob(layout, `application/vnd.oci.image.layer.v1.tar${suffix}`, compress(tar)),
      ),
    ),
  });
  const platform = { os: 'linux', architecture };
  const target =
    architecture === undefined
      ? manifest
      : await writeJson(layout, oci('index'), { manifests: [{ ...manifest, platform }] });
  const annotations = { 'org.opencontainers.image.ref.name': name };
  await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(
    join(layout, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...target, annotations }] }),
  );
  return manifest.digest.slice('sha256:'.length);
}

const compressions = {
  none: { suffix: '', compress: (bytes: Buffer) => bytes },
  gzip: { suffix: '+gzip', compress: (bytes: Buffer) => gzipSync(bytes) },
  zstd: { suffix: '+zstd', compress: (bytes: Buffer) => zstdCompressSync(bytes) },
};

interface BlobDescriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const oci = (kind: string): string => `application/vnd.oci.image.${kind}.v1+json`;

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function writeJson(layout: string, mediaType: string, value: object): Promise<BlobDescriptor> {
  return writeBlob(layout, mediaType, Buffer.from(JSON.stringify(value)));
}

async function writeBlob(
  layout: string,
  mediaType: string,
  bytes: Buffer,
): Promise<BlobDescriptor> {
  const digest = digestOf(bytes);
  await writeFile(join(layout, 'blobs', digest.replace(':', '/')), bytes);
  return { mediaType, digest, size: bytes.length };
}
