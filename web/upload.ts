import type { FastifyRequest } from 'fastify';

import { FormError, requireFromHere } from './form.ts';

/** The fields and the files of a form. */
export interface Upload {
  readonly form: URLSearchParams;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** All files, also several of one field. */
  readonly uploads: readonly UploadedFile[];
}

export interface UploadedFile {
  /** Without folders, as the browser named it. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A form with files that a page of this server sent (RFC 7578), or an error. The route limits its size. */
export async function readUpload(request: FastifyRequest, baseUrl: string): Promise<Upload> {
  requireFromHere(request, baseUrl);
  const { body, headers } = request;
  const type = headers['content-type'] ?? '';
  if (!Buffer.isBuffer(body)) {
    return { form: new URLSearchParams(), files: new Map(), uploads: [] };
  }
  if (!/^multipart\/form-data *;/i.test(type)) {
    throw new FormError(400, 'Unsupported form encoding.');
  }
  const boundary = boundaryIn(type);
  if (boundary === undefined) malformed();
  checkParts(body, boundary);
  const form = new URLSearchParams();
  const files = new Map<string, Uint8Array>();
  const uploads: UploadedFile[] = [];
  for (const [name, value] of await parsed(body, boundary)) {
    if (typeof value === 'string') form.append(name, value);
    // A browser sends an empty file for a field without one.
    else if (value.size > 0 || value.name !== '') {
      const content = await value.bytes();
      if (content.length > 0) files.set(name, content);
      uploads.push({ name: value.name.replace(/^.*[\\/]/s, ''), contentType: value.type, content });
    }
  }
  return { form, files, uploads };
}

/** Fields and files of a form with files. The field of files can have several; the others have one value each. */
const partsMax = 1000 + 100;
/** Header of each of them. */
const headerBytesMax = 8 * 1024;

/** As all browsers write it (RFC 2046, 5.1.1). */
function boundaryIn(type: string): string | undefined {
  return /^multipart\/form-data *; *boundary=("?)([\w'()+,./:=?-]{1,70})\1 *$/i.exec(type)?.[2];
}

/** The parser holds up everything else that the server does: by milliseconds for a hundred parts, whatever their size. */
function checkParts(body: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1;) {
    parts += 1;
    if (parts > partsMax) {
      throw new FormError(400, `The form has more than ${partsMax} fields and files.`);
    }
    const header = body.subarray(at, at + headerBytesMax);
    const isLast = header.subarray(delimiter.length, delimiter.length + 2).equals(lastMark);
    if (!isLast && !header.includes('\r\n\r\n')) malformed();
    at = body.indexOf(delimiter, at + 1);
  }
}

const lastMark = Buffer.from('--');

async function parsed(body: Buffer, boundary: string): Promise<FormData> {
  try {
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length);
    const type = `multipart/form-data; boundary="${boundary}"`;
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    return malformed(cause);
  }
}

function malformed(cause?: unknown): never {
  throw new FormError(400, 'The form is incomplete or malformed.', { cause });
}
