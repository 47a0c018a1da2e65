import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Body that is compressed; smaller ones fit into one packet. */
export const compressedBytesMin = 1000;

/** As fast as gzip's default, and smaller. */
const brotliQuality = 4;

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compresses text in an encoding that its client accepts. */
export async function encodeText(body: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'gzip':
      return compress.gzip(body);
    case 'br': {
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      };
      return compress.br(body, { params });
    }
  }
}

/** The best encoding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); undefined if none is. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(String(header).toLowerCase().split(',').map(parseItem));
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weight('br') >= weight('gzip') ? 'br' : 'gzip';
  return weight(best) > 0 && weight(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function parseItem(item: string): [string, number] {
  const match = /^\s*([^\s;]+)\s*(?:;\s*q=(\d(?:\.\d{0,3})?)\s*)?$/.exec(item);
  return [match?.[1] ?? '', match?.[2] === undefined ? 1 : Number(match[2])];
}
