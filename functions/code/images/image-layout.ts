import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { errorCode } from '#platform/error-code.ts';

import { readIndex, type Descriptor, ImageError } from './image-documents.ts';

/** The manifest to which a reference resolves now. */
export interface FoundImage {
  readonly layout: string;
  readonly manifest: Descriptor;
}

/**
 * Looks for an image in the operator's directory: first in the layout of its repository (`<folder>/<repository>/`), then in the
 * directory itself if that is a layout of several images. Throws an ImageError.
 */
export async function findImage(
  folder: string,
  reference: ImageReference,
  architecture: 'amd64' | 'arm64',
): Promise<FoundImage> {
  const own = join(folder, reference.repository);
  const layouts = [
    { layout: own, names: [reference.tag, ...fullNames(reference)] },
    { layout: folder, names: fullNames(reference) },
  ];
  for (const { layout, names } of layouts) {
    const index = await readLayout(layout);
    const manifest = index && (await pick(layout, index, reference, names, architecture));
    if (manifest) return { layout, manifest };
  }
  const digestOrTag =
    reference.sha256 === undefined ? `:${reference.tag}` : `@sha256:${reference.sha256}`;
  throw new ImageError('ImageDeleted', `Image ${reference.name}${digestOrTag} not found.`);
}

/** A small blob, verified by its digest. */
export async function readBlob(layout: string, { sha256, size }: Descriptor): Promise<string> {
  if (size > documentBytesMax) throw invalidBlob(sha256);
  const bytes = await readSmall(blobPath(layout, sha256));
  if (bytes === undefined) throw missingBlob(sha256);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw invalidBlob(sha256);
  return bytes.toString();
}

/** A blob of any size; the reader must verify its digest. */
export async function streamBlob(layout: string, { sha256 }: Descriptor): Promise<Readable> {
  const file = await openReadable(blobPath(layout, sha256));
  if (!file) throw missingBlob(sha256);
  return createReadStream('', { fd: file, highWaterMark: 256 * 1024 });
}

export function invalidBlob(sha256: string): ImageError {
  return new ImageError('InvalidImage', `The blob sha256:${sha256} does not match its digest.`);
}

/** Document of an image (index, manifest, configuration). */
const documentBytesMax = 4 * 1024 * 1024;

const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

function fullNames({ name, repository, tag }: ImageReference): string[] {
  return [`${name}:${tag}`, `${repository}:${tag}`];
}

/** Undefined where there is no layout. */
async function readLayout(folder: string): Promise<Descriptor[] | undefined> {
  const bytes = await readSmall(join(folder, 'index.json'));
  return bytes && readIndex(bytes.toString());
}

async function pick(
  layout: string,
  index: readonly Descriptor[],
  { sha256 }: ImageReference,
  names: readonly string[],
  architecture: string,
): Promise<Descriptor | undefined> {
  if (sha256 !== undefined) return byDigest(layout, index, sha256, architecture);
  // The last one counts: tools append when a tag moves.
  const named = index.findLast(({ annotations }) =>
    nameAnnotations.some((key) => names.includes(String(annotations[key]))),
  );
  return named && oneManifest(layout, named, architecture);
}

const nameAnnotations = ['org.opencontainers.image.ref.name', 'io.containerd.image.name'];

async function byDigest(
  layout: string,
  index: readonly Descriptor[],
  sha256: string,
  architecture: string,
): Promise<Descriptor | undefined> {
  const direct = index.find((one) => one.sha256 === sha256);
  if (direct) return oneManifest(layout, direct, architecture);
  for (const one of index.filter(({ mediaType }) => indexTypes.includes(mediaType))) {
    const inner = readIndex(await readBlob(layout, one));
    const found = inner.find((manifest) => manifest.sha256 === sha256);
    if (found) return found;
  }
  return undefined;
}

/** An index of several platforms has one manifest for each. */
async function oneManifest(
  layout: string,
  named: Descriptor,
  architecture: string,
): Promise<Descriptor> {
  if (!indexTypes.includes(named.mediaType)) return named;
  const fitting = readIndex(await readBlob(layout, named)).find(
    ({ platform }) => platform?.os === 'linux' && platform.architecture === architecture,
  );
  if (fitting) return fitting;
  throw new ImageError('InvalidImage', `The image has no variant for linux/${architecture}.`);
}

function blobPath(layout: string, sha256: string): string {
  return join(layout, 'blobs', 'sha256', sha256);
}

async function readSmall(path: string): Promise<Buffer | undefined> {
  const file = await openReadable(path);
  if (!file) return undefined;
  try {
    if ((await file.stat()).size > documentBytesMax) {
      throw new ImageError('InvalidImage', 'A document of the image exceeds the size limit.');
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function openReadable(path: string): Promise<OpenFile | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new ImageError('ImageAccessDenied', 'The server has no permission to read the image.');
    }
    throw error;
  }
}

function missingBlob(sha256: string): ImageError {
  return new ImageError('ImageDeleted', `The blob sha256:${sha256} of the image is missing.`);
}

/** An image as a URI names it: `[registry/]repository[:tag][@sha256:...]`. */
export interface ImageReference {
  /** With the registry, without tag and digest. */
  readonly name: string;
  readonly repository: string;
  readonly tag: string;
  /** Hex. */
  readonly sha256: string | undefined;
}

/** Undefined for an invalid URI. The first part is a registry if it has a dot or a port, as in Docker. */
export function readImageUri(uri: string): ImageReference | undefined {
  const { registry, repository, tag, sha256 } = form.exec(uri)?.groups ?? {};
  if (!repository) return undefined;
  const name = registry === undefined ? repository : `${registry}/${repository}`;
  return { name, repository, tag: tag ?? 'latest', sha256 };
}

const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';

const form = new RegExp(
  String.raw`^(?:(?<registry>localhost|[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+)/)?` +
    `(?<repository>${part}(?:/${part})*)` +
    String.raw`(?::(?<tag>\w[\w.-]{0,127}))?(?:@sha256:(?<sha256>[0-9a-f]{64}))?$`,
);
