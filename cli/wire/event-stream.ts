import { CliError } from '../context/errors.ts';

/** The response of a function that answers in pieces. */
export interface StreamedResponse {
  readonly payload: Uint8Array;
  /** How it ended; undefined: the stream was cut off. */
  readonly end: Readonly<Record<string, unknown>> | undefined;
}

const lengthsBytes = 8;
const preludeBytes = lengthsBytes + 4;
const checksumBytes = 4;

/** Takes apart the frames of an event stream: pieces of the payload, then how it ended. */
export function readEventStream(bytes: Uint8Array): StreamedResponse {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Buffer[] = [];
  let end: StreamedResponse['end'];
  for (let start = 0; start < buffer.length;) {
    if (buffer.length - start < preludeBytes + checksumBytes) throw broken();
    const length = buffer.readUInt32BE(start);
    const headers = buffer.readUInt32BE(start + 4);
    const body = start + preludeBytes + headers;
    const stop = start + length;
    if (stop > buffer.length || body > stop - checksumBytes) throw broken();
    const content = buffer.subarray(body, stop - checksumBytes);
    const type = eventType(buffer.subarray(start + preludeBytes, body));
    if (type === 'PayloadChunk') pieces.push(content);
    if (type === 'InvokeComplete') end = objectOf(content);
    start = stop;
  }
  return { payload: Buffer.concat(pieces), end };
}

/** Headers of events are texts: a name, the type 7, and a value, each text with its length before it. */
function eventType(headers: Buffer): string | undefined {
  for (let index = 0; index < headers.length;) {
    const nameEnd = index + 1 + headers.readUInt8(index);
    const name = headers.toString('utf8', index + 1, nameEnd);
    if (nameEnd + 3 > headers.length || headers.readUInt8(nameEnd) !== 7) throw broken();
    const valueEnd = nameEnd + 3 + headers.readUInt16BE(nameEnd + 1);
    if (name === ':event-type') return headers.toString('utf8', nameEnd + 3, valueEnd);
    index = valueEnd;
  }
  return undefined;
}

function objectOf(content: Buffer): Readonly<Record<string, unknown>> {
  if (content.length === 0) return {};
  try {
    const value: unknown = JSON.parse(content.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    throw broken();
  }
}

const broken = (): CliError =>
  new CliError(255, 'Unable to parse response, the stream of events is broken off or damaged.');
