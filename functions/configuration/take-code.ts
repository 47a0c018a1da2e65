import { unzippedBytesMax, zippedBytesMax } from '#functions-contract/limits.ts';

import { FunctionsError, invalidParameter } from '../conventions/functions-error.ts';
import { ArchiveRefusal } from '../code/archive-refusal.ts';
import type { FunctionPorts } from '../ports.ts';
import type { Code } from './configuration.ts';

/** Where code comes from: one of these. */
export interface CodeSource {
  readonly ZipFile?: Uint8Array;
  readonly S3Bucket?: string;
  readonly S3Key?: string;
  readonly S3ObjectVersion?: string;
  readonly ImageUri?: string;
}

/** Takes code in and keeps it at least until `use` has ended; a row written there keeps it. */
export async function takeCode<T>(
  ports: FunctionPorts,
  _packageType: 'Zip' | 'Image',
  source: CodeSource,
  use: (code: Code) => Promise<T>,
): Promise<T> {
  const { ZipFile } = source;
  if (ZipFile === undefined) throw invalidParameter('Please provide a source for function code.');
  if (ZipFile.length > zippedBytesMax) {
    throw new FunctionsError(
      'RequestEntityTooLargeException',
      `Zipped size must be smaller than ${zippedBytesMax} bytes`,
    );
  }
  try {
    return await ports.code.take(ZipFile, use);
  } catch (error) {
    throw error instanceof ArchiveRefusal ? invalidParameter(archiveWords(error)) : error;
  }
}

function archiveWords({ kind }: ArchiveRefusal): string {
  return kind === 'too-large'
    ? `Unzipped size must be smaller than ${unzippedBytesMax} bytes`
    : 'Could not unzip uploaded file. Please check your file, then try to upload again.';
}
