import type { StorageReservation } from '../code/code-files.ts';
import { ingestCode, type CodePorts } from '../code/ingest-code.ts';
import { objectsOf, repositoryObjects } from '../code/objects/repository-objects.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import { forgeUserOf, type SignedPrincipal } from '../signing/principal.ts';
import type { Architecture, Code } from './configuration.ts';

/** The sources of code in a request: exactly one is given. */
export interface CodeMembers {
  readonly ZipFile?: Uint8Array;
  readonly S3Bucket?: string;
  readonly S3Key?: string;
  readonly S3ObjectVersion?: string;
  readonly ImageUri?: string;
  readonly SourceKMSKeyArn?: string;
}

/** What the code is for. */
export interface CodeRequirements {
  readonly packageType: 'Zip' | 'Image';
  readonly architecture: Architecture;
  /** Versions that will use it; each counts against the account's storage. */
  readonly versions: number;
  /** Bytes that it replaces in the account's storage. */
  readonly replacedBytes: number;
  /** The caller: only code that it may read is accepted. */
  readonly principal: SignedPrincipal;
}

/** Stores code and retains it until `use` has ended; a row that `use` writes retains it afterwards. */
export async function ingestFunctionCode<T>(
  ports: CodePorts,
  requirements: CodeRequirements,
  given: CodeMembers,
  use: (code: Code) => Promise<T>,
): Promise<T> {
  const { ZipFile, S3Bucket, S3Key, S3ObjectVersion, ImageUri, SourceKMSKeyArn } = given;
  if (SourceKMSKeyArn !== undefined) throw notEncrypted();
  if (requirements.packageType === 'Image') {
    if (ImageUri === undefined) throw noSource();
    return use(await resolveImage(ports, ImageUri, requirements.architecture));
  }
  const reserve: StorageReservation = (bytes, store) =>
    ports.codeStorage.reserve(bytes * requirements.versions, requirements.replacedBytes, store);
  if (ZipFile !== undefined) {
    return ingestCode(ports.code, ports.objects, { kind: 'inline', bytes: ZipFile }, use, reserve);
  }
  if (S3Bucket === undefined || S3Key === undefined) throw noSource();
  const version = S3ObjectVersion === undefined ? {} : { version: S3ObjectVersion };
  const source = { kind: 'object', bucket: S3Bucket, key: S3Key, ...version } as const;
  return ingestCode(ports.code, objectsFor(ports, requirements.principal), source, use, reserve);
}

function objectsFor(
  { objects, repositories }: CodePorts,
  principal: SignedPrincipal,
): ReturnType<typeof objectsOf> {
  return objectsOf(
    objects,
    repositories && repositoryObjects(repositories, forgeUserOf(principal)),
  );
}

async function resolveImage(
  { images }: Pick<CodePorts, 'images'>,
  imageUri: string,
  architecture: Architecture,
): Promise<Code> {
  const image = await images.resolve(imageUri, architecture);
  if (image.kind === 'refused')
    throw invalidParameter(`Source image ${imageUri} is not valid: ${image.message}`);
  const { sha256, resolvedUri } = image;
  return { sha256, size: 0, unzippedSize: 0, image: { uri: imageUri, resolvedUri } };
}

/** Sandboxes read the unpacked code from disk, so encrypting the archive would protect nothing. */
function notEncrypted(): Error {
  return invalidParameter(
    'SourceKMSKeyArn is not supported: this service does not encrypt code. Omit it, and encrypt the disk of the data directory.',
  );
}

function noSource(): Error {
  return invalidParameter('Please provide a source for function code.');
}
