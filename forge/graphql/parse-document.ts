import type {
  Document,
  Fragment,
  Operation,
  Selection,
  Value,
  VariableDefinition,
} from './document.ts';
import { DocumentError } from './graphql-error.ts';
import { refuseToken, type TokenReader, tokenReader } from './token-reader.ts';

/**
 * Reads a document of operations and fragments. Written by hand for the few mutations this server has: directives and
 * definitions of types are refused by name.
 */
export function parseDocument(source: string): Document {
  const reader = tokenReader(source);
  const operations: Operation[] = [];
  const fragments = new Map<string, Fragment>();
  while (reader.peek().kind !== 'end') {
    const { value, location } = reader.peek();
    if (value === 'fragment') {
      const fragment = parseFragment(reader);
      if (fragments.has(fragment.name)) {
        throw new DocumentError(`There are two fragments named ${fragment.name}.`, location);
      }
      fragments.set(fragment.name, fragment);
    } else operations.push(parseOperation(reader));
  }
  return { operations, fragments };
}

function parseOperation(reader: TokenReader): Operation {
  const { kind: tokenKind, value, location } = reader.peek();
  if (tokenKind === 'mark') {
    const selections = parseSelections(reader);
    return { kind: 'query', name: undefined, variables: [], selections, location };
  }
  const kind = operationKind(value) ?? refuseToken(reader.peek(), 'an operation or a fragment');
  reader.next();
  const name = reader.peek().kind === 'name' ? reader.name() : undefined;
  const variables =
    reader.peek().value === '(' ? reader.between('(', ')', () => parseVariable(reader)) : [];
  refuseDirective(reader);
  return { kind, name, variables, selections: parseSelections(reader), location };
}

function operationKind(word: string): Operation['kind'] | undefined {
  return word === 'query' || word === 'mutation' || word === 'subscription' ? word : undefined;
}

function parseVariable(reader: TokenReader): VariableDefinition {
  const location = reader.location();
  reader.expect('$');
  const name = reader.name();
  reader.expect(':');
  const { type, required } = parseType(reader);
  const fallback: Value | undefined = reader.take('=') ? parseValue(reader) : undefined;
  return { name, type, required, fallback, location };
}

function parseType(reader: TokenReader): { type: string; required: boolean } {
  if (reader.peek().value !== '[') return { type: reader.name(), required: reader.take('!') };
  const inner = reader.between('[', ']', () => parseType(reader));
  const type = `[${inner.map((each) => each.type + (each.required ? '!' : '')).join(' ')}]`;
  return { type, required: reader.take('!') };
}

function parseFragment(reader: TokenReader): Fragment {
  const location = reader.location();
  reader.next();
  const name = reader.name();
  if (reader.peek().value !== 'on') refuseToken(reader.peek(), '"on"');
  reader.next();
  const on = reader.name();
  return { name, on, selections: parseSelections(reader), location };
}

function parseSelections(reader: TokenReader): Selection[] {
  refuseDirective(reader);
  const location = reader.location();
  const selections = reader.between('{', '}', () => parseSelection(reader));
  if (selections.length === 0) throw new DocumentError('A selection must not be empty.', location);
  return selections;
}

function parseSelection(reader: TokenReader): Selection {
  const location = reader.location();
  if (reader.take('...')) return parseSpread(reader);
  const first = reader.name();
  const second = reader.take(':') ? reader.name() : undefined;
  const values: ReadonlyMap<string, Value> =
    reader.peek().value === '(' && reader.peek().kind === 'mark'
      ? parseNamedValues(reader, '(', ')')
      : new Map();
  refuseDirective(reader);
  return {
    kind: 'field',
    alias: second === undefined ? undefined : first,
    name: second ?? first,
    arguments: values,
    selections: isMark(reader, '{') ? parseSelections(reader) : [],
    location,
  };
}

function parseSpread(reader: TokenReader): Selection {
  const { kind, value, location } = reader.peek();
  if (kind === 'name' && value !== 'on') {
    reader.next();
    refuseDirective(reader);
    return { kind: 'spread', name: value, location };
  }
  if (kind === 'name') reader.next();
  const on = kind === 'name' ? reader.name() : undefined;
  return { kind: 'inline', on, selections: parseSelections(reader), location };
}

function isMark(reader: TokenReader, mark: string): boolean {
  const { kind, value } = reader.peek();
  return kind === 'mark' && value === mark;
}

function refuseDirective(reader: TokenReader): void {
  if (isMark(reader, '@')) {
    throw new DocumentError('Directives are not supported.', reader.location());
  }
}

/** A value of an argument or default. */
function parseValue(reader: TokenReader): Value {
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
function parseNamedValues(
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
