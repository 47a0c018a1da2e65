/** A reply of a server that speaks the protocol of Redis and Valkey (RESP 2), as far as it is asked for here. */
export type RedisReply =
  | number
  | string
  | null
  | readonly RedisReply[]
  | { readonly error: string };

/** One whole reply and where it ends; undefined: there is more to come. */
export function readReply(
  bytes: Buffer,
  start = 0,
): { readonly reply: RedisReply; readonly end: number } | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const rest = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (bytes.toString('latin1', start, start + 1)) {
    case '+':
      return { reply: rest, end };
    case '-':
      return { reply: { error: rest }, end };
    case ':':
      return { reply: Number(rest), end };
    case '$':
      return readText(bytes, end, Number(rest));
    case '*':
      return readList(bytes, end, Number(rest));
    default:
      throw new Error('the answer is not in the protocol of Redis');
  }
}

/** A command as a list of texts. */
export function writeCommand(command: readonly string[]): string {
  const parts = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}

function readText(bytes: Buffer, start: number, length: number): ReturnType<typeof readReply> {
  if (length < 0) return { reply: null, end: start };
  const end = start + length + 2;
  if (bytes.length < end) return undefined;
  return { reply: bytes.toString('utf8', start, start + length), end };
}

function readList(bytes: Buffer, start: number, length: number): ReturnType<typeof readReply> {
  const items: RedisReply[] = [];
  let end = start;
  while (items.length < length) {
    const item = readReply(bytes, end);
    if (!item) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
