import { crc32 } from 'node:zlib';

/** One message in AWS's event stream encoding: lengths, their checksum, headers, payload, a checksum over everything. */
export function eventMessage(type: string, contentType: string, payload: Uint8Array): Uint8Array {
  return framed(
    { ':message-type': 'event', ':event-type': type, ':content-type': contentType },
    payload,
  );
}

/** A message that ends a stream with one of the operation's errors. */
export function exceptionMessage(type: string, message: string): Uint8Array {
  return framed(
    {
      ':message-type': 'exception',
      ':exception-type': type,
      ':content-type': 'application/json',
    },
    Buffer.from(JSON.stringify({ message })),
  );
}

function framed(fields: Readonly<Record<string, string>>, payload: Uint8Array): Uint8Array {
  const headers = Buffer.concat(
    Object.entries(fields).map(([name, value]) => textHeader(name, value)),
  );
  const total = preludeBytes + headers.length + payload.length + checksumBytes;
  const message = Buffer.alloc(total);
  message.writeUInt32BE(total, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  message.set(headers, preludeBytes);
  message.set(payload, preludeBytes + headers.length);
  message.writeUInt32BE(crc32(message.subarray(0, total - checksumBytes)), total - checksumBytes);
  return message;
}

/** The media type of event streams. */
export const eventStreamType = 'application/vnd.amazon.eventstream';

const preludeBytes = 12;
const checksumBytes = 4;
/** The header value type of a string. */
const textKind = 7;

function textHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([textKind]),
    length,
    text,
  ]);
}
