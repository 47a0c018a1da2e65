import type { Value } from './document.ts';
import { refuseToken, type TokenReader } from './token-reader.ts';

/** A value of an argument or default. */
export function parseValue(reader: TokenReader): Value {
  const token = reader.peek();
  if (token.kind === 'text' || token.kind === 'number') {
    reader.next();
    return { kind: 'constant', value: token.kind === 'text' ? token.value : Number(token.value) };
  }
  if (token.kind === 'name') {
    reader.next();
    return { kind: 'constant', value: wordValue(token.value) };
  }
  if (reader.take('$')) return { kind: 'variable', name: reader.name(), location: token.location };
  if (token.value === '[') {
    return { kind: 'list', items: reader.between('[', ']', () => parseValue(reader)) };
  }
  if (token.value === '{') {
    return { kind: 'object', members: parseNamedValues(reader, '{', '}') };
  }
  return refuseToken(token, 'a value');
}

/** `name: value` pairs, of arguments and of objects. */
export function parseNamedValues(
  reader: TokenReader,
  open: string,
  close: string,
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>();
  reader.between(open, close, () => {
    const token = reader.peek();
    const name = reader.name();
    if (values.has(name)) refuseToken(token, 'each name once');
    reader.expect(':');
    values.set(name, parseValue(reader));
  });
  return values;
}

function wordValue(word: string): string | boolean | null {
  if (word === 'null') return null;
  return word === 'true' || word === 'false' ? word === 'true' : word;
}
