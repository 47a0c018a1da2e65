import type { FieldError } from '../errors/api-error.ts';

/** What a result must meet. */
export type Criterion =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Criterion[] }
  | { readonly kind: 'not'; readonly part: Criterion }
  | { readonly kind: 'text'; readonly text: string }
  /** `label:a,b`; the values are alternatives. */
  | { readonly kind: 'qualifier'; readonly name: string; readonly values: readonly string[] };

export interface SearchQuery {
  readonly criterion: Criterion;
  /** `sort:updated-asc`. */
  readonly sort: string | undefined;
}

/** Operators in the query of a search, as GitHub documents it. */
const operatorsMax = 5;
/** Query of a search without operators and qualifiers, as GitHub documents it. */
const charactersMax = 256;
/** Parts of a query. No client comes near; each is a condition of a statement that reads many rows. */
const partsMax = 40;
/** Values of the qualifiers of a query. */
const valuesMax = 20;
/** Each value of a qualifier. */
const valueCharactersMax = 256;
/** Query of a search as a whole. */
const queryCharactersMax = 4096;

/** Qualifiers that widen a search when they are repeated: a result has one author and is in one repository. */
const alternatives: ReadonlySet<string> = new Set(['repo', 'user', 'org', 'author', 'language']);
const scopes: ReadonlySet<string> = new Set(['repo', 'user', 'org']);

/** A query that GitHub would refuse, with the text of its refusal. */
export class SearchQueryError extends Error {
  readonly error: FieldError;

  constructor(message: string) {
    super(message);
    this.name = 'SearchQueryError';
    this.error = { message, resource: 'Search', field: 'q', code: 'invalid' };
  }
}

type Token =
  | { readonly kind: 'operator'; readonly name: 'and' | 'or' | 'not' | '(' | ')' }
  | { readonly kind: 'part'; readonly part: Criterion };

/**
 * Parses a query of the search syntax of GitHub. What has the form of a qualifier but is none of this search is text, and so
 * are operators that have nothing to combine.
 */
export function parseSearchQuery(query: string, known: ReadonlySet<string>): SearchQuery {
  if (query.length > queryCharactersMax) {
    throw new SearchQueryError(`The query is longer than ${queryCharactersMax} characters.`);
  }
  let sort: string | undefined;
  const tokens = tokensOf(query.replaceAll(encodedSpace, ' '), known).filter((token) => {
    if (token.kind !== 'part' || token.part.kind !== 'qualifier') return true;
    if (token.part.name !== 'sort') return true;
    [sort] = token.part.values;
    return false;
  });
  checkLengths(tokens);
  return { criterion: parseTokens(tokens), sort };
}

function checkLengths(tokens: readonly Token[]): void {
  const leaves = tokens.flatMap((token) => (token.kind === 'part' ? leavesOf(token.part) : []));
  const texts = leaves.flatMap((leaf) => (leaf.kind === 'text' ? [leaf.text] : []));
  if (texts.join(' ').length > charactersMax) {
    throw new SearchQueryError(`The search is longer than ${charactersMax} characters.`);
  }
  const values = leaves.flatMap((leaf) => (leaf.kind === 'qualifier' ? leaf.values : []));
  if (values.length > valuesMax) {
    throw new SearchQueryError(`The qualifiers have more than ${valuesMax} values.`);
  }
  if (values.some((each) => each.length > valueCharactersMax)) {
    const message = `A value of a qualifier is longer than ${valueCharactersMax} characters.`;
    throw new SearchQueryError(message);
  }
  // `-word` is `NOT word`.
  const operators = tokens.filter((token) =>
    token.kind === 'operator'
      ? token.name !== '(' && token.name !== ')'
      : token.part.kind === 'not' && token.part.part.kind === 'text',
  );
  if (operators.length > operatorsMax) {
    throw new SearchQueryError('More than five AND / OR / NOT operators were used.');
  }
  if (tokens.length > partsMax) {
    throw new SearchQueryError(`The query has more than ${partsMax} parts.`);
  }
}

/** Tools that write `repo:o/r+is:pr+SHA` encode the plus signs as well; the service takes them for spaces. */
const encodedSpace = /(?<=[^\s+])\+(?=[A-Za-z][A-Za-z-]*:|[0-9a-f]{7,40}(?:[\s+]|$))/g;

/** A quoted text ends with the query if its quote is not closed. */
const value = String.raw`"(?:[^"\\]|\\.)*(?:"|$)|[^\s",()]+(?:\([^\s",()]*\))?`;
const part = new RegExp(
  String.raw`\s*(?:([()])|(-)?(?:([A-Za-z][A-Za-z-]*):)?((?:${value})(?:,(?:${value}))*)|(\S))`,
  'gsu',
);

function tokensOf(query: string, known: ReadonlySet<string>): Token[] {
  const tokens: Token[] = [];
  for (const [, bracket, minus, name, values = '', other] of query.matchAll(part)) {
    if (bracket === '(' || bracket === ')') tokens.push({ kind: 'operator', name: bracket });
    else if (other !== undefined) continue;
    else if (minus === undefined && name === undefined && /^(?:AND|OR|NOT)$/.test(values)) {
      tokens.push({ kind: 'operator', name: operatorNamed(values) });
    } else {
      const found = partOf(name, values, known);
      if (found) {
        tokens.push({ kind: 'part', part: minus ? { kind: 'not', part: found } : found });
      }
    }
  }
  return tokens;
}

function operatorNamed(text: string): 'and' | 'or' | 'not' {
  if (text === 'AND') return 'and';
  return text === 'OR' ? 'or' : 'not';
}

function partOf(
  name: string | undefined,
  text: string,
  known: ReadonlySet<string>,
): Criterion | undefined {
  const qualifier = name?.toLowerCase();
  if (qualifier !== undefined && (qualifier === 'sort' || known.has(qualifier))) {
    const values = [...text.matchAll(new RegExp(value, 'gsu'))].map(([one]) => unquoted(one));
    return { kind: 'qualifier', name: qualifier, values: [...new Set(values)] };
  }
  const plain = text.startsWith('"') ? unquoted(text) : text;
  const whole = name === undefined ? plain : `${name}:${plain}`;
  return whole.trim() === '' ? undefined : { kind: 'text', text: whole.trim() };
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.replaceAll(/^"|(?<!\\)"$/g, '').replaceAll(/\\(.)/gs, '$1');
}

/** `or` binds less than `and`, which need not be written. */
function parseTokens(tokens: readonly Token[]): Criterion {
  let position = 0;
  const next = (): Token | undefined => tokens[position];
  const isOperator = (name: string): boolean => {
    const token = next();
    return token?.kind === 'operator' && token.name === name;
  };
  const any = (depth: number): Criterion => {
    const parts = [all(depth)];
    while (isOperator('or')) {
      position += 1;
      parts.push(all(depth));
    }
    // An alternative without conditions is an operator that had nothing to combine.
    const present = parts.filter((each) => each.kind !== 'all' || each.parts.length > 0);
    const [only] = present;
    if (!only) return { kind: 'all', parts: [] };
    return present.length === 1 ? only : { kind: 'any', parts: present };
  };
  const all = (depth: number): Criterion => {
    const parts: Criterion[] = [];
    for (;;) {
      const token = next();
      if (!token || isOperator('or') || (isOperator(')') && depth > 0)) break;
      const found = unit(depth);
      if (found) parts.push(found);
    }
    return { kind: 'all', parts: widened(parts) };
  };
  const unit = (depth: number): Criterion | undefined => {
    const token = next();
    position += 1;
    if (!token) return undefined;
    if (token.kind === 'part') return token.part;
    if (token.name === 'not') {
      const negated = next() && !isOperator('or') ? unit(depth) : undefined;
      return negated && { kind: 'not', part: negated };
    }
    if (token.name !== '(') return undefined;
    const inner = any(depth + 1);
    if (isOperator(')')) position += 1;
    return inner.kind === 'all' && inner.parts.length === 0 ? undefined : inner;
  };
  return any(0);
}

/** Repeated qualifiers of which a result can meet only one are alternatives. */
function widened(parts: readonly Criterion[]): Criterion[] {
  const groups = new Map<string, Criterion[]>();
  const rest: Criterion[] = [];
  for (const each of parts) {
    if (each.kind !== 'qualifier' || !alternatives.has(each.name)) rest.push(each);
    else {
      const group = scopes.has(each.name) ? 'scope' : each.name;
      groups.set(group, [...(groups.get(group) ?? []), each]);
    }
  }
  const wide = [...groups.values()].flatMap((group): Criterion[] =>
    group.length === 1 ? group : [{ kind: 'any', parts: group }],
  );
  return [...wide, ...rest];
}

/** Every part that is neither a combination nor a negation. */
export function leavesOf(
  criterion: Criterion,
): Exclude<Criterion, { kind: 'all' | 'any' | 'not' }>[] {
  switch (criterion.kind) {
    case 'all':
    case 'any':
      return criterion.parts.flatMap(leavesOf);
    case 'not':
      return leavesOf(criterion.part);
    case 'text':
    case 'qualifier':
      return [criterion];
  }
}

/** The texts that a result must contain, to find them in it. */
export function textsOf(criterion: Criterion): string[] {
  if (criterion.kind === 'not') return [];
  if (criterion.kind === 'text') return [criterion.text];
  return criterion.kind === 'qualifier' ? [] : criterion.parts.flatMap(textsOf);
}

/** The values of a qualifier, wherever it is in the query. */
export function valuesOf(criterion: Criterion, name: string): string[] {
  return leavesOf(criterion).flatMap((leaf) =>
    leaf.kind === 'qualifier' && leaf.name === name ? leaf.values : [],
  );
}
