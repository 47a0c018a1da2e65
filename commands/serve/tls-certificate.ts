import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

/** Who the server is to its clients. */
export interface TlsCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads both files and tries them, so that an invalid one is reported at the start and not by every client. */
export async function readTlsCertificate(
  files: NonNullable<Settings['tls']>,
): Promise<TlsCertificate> {
  const cert = await read('--tls-cert', files.certificate);
  const key = await read('--tls-key', files.key);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new OperatorError(
      `Cannot use the certificate ${files.certificate} with the key ${files.key}: ${reasonOf(cause)}. Both must be PEM files, and the key must match the certificate.`,
      { cause },
    );
  }
  return { cert, key };
}

/** Whether clients take the certificate for that host. */
export function isCertificateFor(cert: Buffer, host: string): boolean {
  return new X509Certificate(cert).checkHost(host) !== undefined;
}

async function read(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new OperatorError(`Cannot read the file of ${flag}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
