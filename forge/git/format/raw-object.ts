/** A header line of a commit or tag with its folded lines, as bytes. */
export interface RawHeader {
  readonly name: string;
  readonly value: Buffer;
  /** Where the header's lines begin and end in the object. */
  readonly start: number;
  readonly end: number;
}

export interface RawObject {
  readonly headers: readonly RawHeader[];
  readonly body: Buffer;
}

const newline = 0x0a;
const space = 0x20;

/** Splits a commit or tag into headers and body. Lines that are no header are ignored. */
export function parseRawObject(content: Buffer): RawObject {
  const headers: RawHeader[] = [];
  let at = 0;
  while (at < content.length && content[at] !== newline) {
    const start = at;
    const lines: Buffer[] = [];
    do {
      const end = endOfLine(content, at);
      lines.push(content.subarray(lines.length === 0 ? at : at + 1, end));
      at = end + 1;
    } while (content[at] === space);
    const [first = Buffer.alloc(0), ...folded] = lines;
    const gap = first.indexOf(space);
    headers.push({
      name: first.toString('latin1', 0, gap === -1 ? first.length : gap),
      value: joinLines([first.subarray(gap === -1 ? first.length : gap + 1), ...folded]),
      start,
      end: Math.min(at, content.length),
    });
  }
  return { headers, body: content.subarray(Math.min(at + 1, content.length)) };
}

/** The object without some headers. */
export function withoutHeaders(content: Buffer, removed: readonly RawHeader[]): Buffer {
  const lines: Buffer[] = [];
  let at = 0;
  for (const header of removed) {
    lines.push(content.subarray(at, header.start));
    at = header.end;
  }
  return Buffer.concat([...lines, content.subarray(at)]);
}

export function headerText(object: RawObject, name: string): string | undefined {
  return object.headers.find((header) => header.name === name)?.value.toString();
}

/** Decodes text in the encoding that a commit names; UTF-8 if it names none or an unknown one. */
export function decodeText(bytes: Buffer, encoding: string | undefined): string {
  return decoderFor(encoding).decode(bytes);
}

function decoderFor(encoding: string | undefined): TextDecoder {
  try {
    return new TextDecoder(encoding ?? 'utf-8', { ignoreBOM: true });
  } catch {
    // An unknown encoding is the author's data, not an error: UTF-8 is the best guess.
    return new TextDecoder('utf-8', { ignoreBOM: true });
  }
}

/** A body without its last newline, which git adds to each message. */
export function withoutFinalNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function endOfLine(content: Buffer, from: number): number {
  const end = content.indexOf(newline, from);
  return end === -1 ? content.length : end;
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(
    lines.flatMap((line, index) => (index === 0 ? [line] : [newlineBytes, line])),
  );
}

const newlineBytes = Buffer.from('\n');
