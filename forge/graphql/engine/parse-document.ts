import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql';

import { DocumentError } from './document-error.ts';

/** Tokens of a GraphQL document. Release tools ask about 100 commits in one document of 10,529 tokens. */
const tokensMax = 50_000;

/** GraphQL document: locations of errors are searched for in it. */
const charactersMax = 512 * 1024;

/** Brackets within brackets of a GraphQL document. The parser is recursive, so this is checked before it runs. */
const nestingMax = 128;

const opening: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const closing: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/** Parses a document in time proportional to its length, or refuses it. */
export function parseDocument(text: string): DocumentNode {
  if (text.length > charactersMax) {
    const message = `The document has more than ${charactersMax} characters.`;
    throw new DocumentError({ message });
  }
  const source = new Source(text);
  try {
    refuseOversized(source);
    return parse(source);
  } catch (error) {
    if (error instanceof GraphQLError) throw syntaxError(source, error);
    throw error;
  }
}

function refuseOversized(source: Source): void {
  const lexer = new Lexer(source);
  let depth = 0;
  let tokens = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (opening.has(token.kind)) depth += 1;
    if (closing.has(token.kind)) depth -= 1;
    const locations = [{ line: token.line, column: token.column }];
    if (tokens > tokensMax) {
      throw new DocumentError({
        message: `The document has more than ${tokensMax} tokens.`,
        locations,
      });
    }
    if (depth > nestingMax) {
      const message = `The document is nested more than ${nestingMax} levels deep.`;
      throw new DocumentError({ message, locations });
    }
  }
}

function syntaxError(source: Source, error: GraphQLError): DocumentError {
  const [location] = error.locations ?? [];
  const position = error.positions?.[0] ?? source.body.length;
  if (position >= source.body.trimEnd().length) {
    const message = source.body.trim() === '' ? 'Unexpected end of document' : unexpectedEnd;
    return new DocumentError({ message, ...(location ? { locations: [location] } : {}) });
  }
  const near = /^(?:\w+|"[^"\n]{0,40}"?|\S)/.exec(source.body.slice(position, position + 80))?.[0];
  const { line, column } = location ?? { line: 1, column: 1 };
  const message = `Parse error on ${JSON.stringify(near ?? '')} at [${line}, ${column}]`;
  return new DocumentError({ message, locations: [{ line, column }] });
}

const unexpectedEnd = 'Unexpected end of document';
