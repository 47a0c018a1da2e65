import type { SourceLocation } from './document.ts';
import { DocumentError } from './graphql-error.ts';

export interface Token {
  /** `mark` is one of the punctuators; `end` comes once, last. */
  readonly kind: 'name' | 'mark' | 'text' | 'number' | 'end';
  /** A text's own characters, without quotes and escapes. */
  readonly value: string;
  readonly location: SourceLocation;
}

/** Documents for what this server has are far shorter. */
const tokensMax = 10_000;

/** What may stand between tokens: white space, commas, comments, a byte order mark. */
const skipped = /(?:[\s,\uFEFF]|#[^\n\r]*)+/y;

const shapes: readonly (readonly [Exclude<Token['kind'], 'end'>, RegExp])[] = [
  ['name', /[_A-Za-z]\w*/y],
  ['mark', /\.{3}|[!$&()[\]{}:=@|]/y],
  ['number', /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y],
  ['text', /"""(?:\\"""|[^"]|"(?!""))*"""/y],
  ['text', /"(?!"")(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})|[^"\\\p{Cc}]|\t)*"/uy],
];

/** Cuts a document into tokens, or says where it cannot be read. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const locations = locationReader(source);
  for (let at = skip(source, 0); at < source.length; at = skip(source, at)) {
    const [kind, written] = tokenAt(source, at) ?? [];
    if (kind === undefined || written === undefined) {
      const character = JSON.stringify(String.fromCodePoint(source.codePointAt(at) ?? 0));
      throw new DocumentError(
        `Parse error on ${character}: not the start of a token`,
        locations(at),
      );
    }
    if (tokens.length === tokensMax) {
      throw new DocumentError(`The document has more than ${tokensMax} tokens.`, locations(at));
    }
    tokens.push({
      kind,
      value: kind === 'text' ? plain(written) : written,
      location: locations(at),
    });
    at += written.length;
  }
  return [...tokens, { kind: 'end', value: 'end of document', location: locations(source.length) }];
}

function skip(source: string, at: number): number {
  skipped.lastIndex = at;
  return skipped.test(source) ? skipped.lastIndex : at;
}

function tokenAt(source: string, at: number): [Exclude<Token['kind'], 'end'>, string] | undefined {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const written = shape.exec(source)?.[0];
    if (written !== undefined) return [kind, written];
  }
  return undefined;
}

/** The escapes of one-line texts are those of JSON. */
function plain(written: string): string {
  if (!written.startsWith('"""')) return String(JSON.parse(written.replaceAll('\t', '\\t')));
  return written.slice(3, -3).replaceAll('\\"""', '"""');
}

/** Converts offsets to locations. Offsets must ascend, so that every line is scanned once. */
function locationReader(source: string): (at: number) => SourceLocation {
  let line = 1;
  let lineStart = 0;
  return (at) => {
    for (let end = source.indexOf('\n', lineStart); end !== -1 && end < at;) {
      line += 1;
      lineStart = end + 1;
      end = source.indexOf('\n', lineStart);
    }
    return { line, column: at - lineStart + 1 };
  };
}
