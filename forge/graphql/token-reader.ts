import type { SourceLocation } from './document.ts';
import { DocumentError } from './graphql-error.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Deeper documents are refused: a walk over them could not end well. */
const depthMax = 64;

/** Reads a document token by token. */
export interface TokenReader {
  peek(): Token;
  next(): Token;
  /** Takes the mark if it comes now. */
  take(mark: string): boolean;
  /** Takes the mark or refuses the document. */
  expect(mark: string): void;
  name(): string;
  location(): SourceLocation;
  /** Reads between two marks until the closing one. */
  between<T>(open: string, close: string, read: () => T): T[];
}

export function tokenReader(source: string): TokenReader {
  const tokens = tokensOf(source);
  let at = 0;
  let depth = 0;
  const peek = (): Token => {
    const token = tokens[at] ?? tokens.at(-1);
    if (!token) throw new Error('a document has at least its end');
    return token;
  };
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const isMark = (mark: string): boolean => peek().kind === 'mark' && peek().value === mark;
  const take = (mark: string): boolean => {
    const taken = isMark(mark);
    if (taken) at += 1;
    return taken;
  };
  const expect = (mark: string): void => {
    if (!take(mark)) refuseToken(peek(), JSON.stringify(mark));
  };
  return {
    peek,
    next,
    take,
    expect,
    location: () => peek().location,
    name: () => {
      const token = next();
      return token.kind === 'name' ? token.value : refuseToken(token, 'a name');
    },
    between(open, close, read) {
      depth += 1;
      if (depth > depthMax) {
        throw new DocumentError(`The document is nested deeper than ${depthMax}.`, peek().location);
      }
      expect(open);
      const items = [];
      while (!take(close)) items.push(read());
      depth -= 1;
      return items;
    },
  };
}

export function refuseToken(token: Token, expected: string): never {
  const found = token.kind === 'end' ? token.value : JSON.stringify(token.value);
  throw new DocumentError(`Parse error on ${found}: expected ${expected}`, token.location);
}
