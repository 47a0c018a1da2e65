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
  const form = new URLSearchParams();
  const files = new Map<string, Uint8Array>();
  const uploads: UploadedFile[] = [];
  for (const [name, value] of await parsed(body, type)) {
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

async function parsed(body: Buffer, type: string): Promise<FormData> {
  try {
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length);
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    throw new FormError(400, 'The form is incomplete or malformed.', { cause });
  }
}
