import type { TextField } from './issue-qualifiers-store.ts';
import type { IssueTexts } from './issue-search-store.ts';
import { type Criterion, leavesOf } from './search-query.ts';
import type { Searcher } from './searcher.ts';

/** Decides about issues by their texts and comments, which come in parts. */
export interface TextMatcher {
  /** Criteria that SQL decides for each issue. */
  readonly decidedBySql: readonly Criterion[];
  readonly needsComments: boolean;
  readonly begin: (issue: IssueTexts) => void;
  readonly addComment: (issueId: number, body: string) => void;
  /** The ids of the issues that meet the criteria; forgets all of them. */
  readonly end: () => ReadonlySet<number>;
}

type Finder = (text: string, lower: string) => boolean;

export function createTextMatcher(
  criteria: readonly Criterion[],
  searcher: Searcher,
  fields: ReadonlySet<TextField>,
): TextMatcher {
  const leaves = criteria.flatMap(leavesOf);
  const texts = leaves.filter((leaf) => leaf.kind === 'text');
  const finders = new Map<Criterion, Finder>();
  const mentions = new Map<Criterion, Finder>();
  for (const leaf of leaves) {
    if (leaf.kind === 'text') {
      const wanted = leaf.text.toLowerCase();
      finders.set(leaf, (_text, lower) => lower.includes(wanted));
    } else if (leaf.name === 'mentions' || leaf.name === 'involves') {
      const patterns = leaf.values.flatMap((value) => mentionOf(value, searcher));
      mentions.set(leaf, (text) => patterns.some((pattern) => pattern.test(text)));
    }
  }
  const issues = new Map<number, Set<Criterion>>();
  const look = (found: Set<Criterion>, text: string, inField: boolean): void => {
    const lower = texts.length > 0 && inField ? text.toLowerCase() : '';
    const asked = inField ? [...finders, ...mentions] : [...mentions];
    for (const [leaf, finds] of asked) {
      if (!found.has(leaf) && finds(text, lower)) found.add(leaf);
    }
  };
  return {
    decidedBySql: leaves.filter((leaf) => leaf.kind === 'qualifier'),
    needsComments: mentions.size > 0 || (texts.length > 0 && fields.has('comments')),
    begin({ id, title, body, met }) {
      const found = new Set(met);
      issues.set(id, found);
      look(found, title, fields.has('title'));
      look(found, body, fields.has('body'));
    },
    addComment(issueId, body) {
      const found = issues.get(issueId);
      if (found) look(found, body, fields.has('comments'));
    },
    end() {
      const matching = [...issues].filter(([, found]) =>
        criteria.every((criterion) => meets(criterion, found)),
      );
      issues.clear();
      return new Set(matching.map(([id]) => id));
    },
  };
}

/** A login ends where no letter, digit or hyphen follows. */
function mentionOf(value: string, { login: own }: Searcher): RegExp[] {
  const login = value === '@me' ? own : value;
  if (login === undefined) return [];
  const escaped = login.replaceAll(
    /[^A-Za-z0-9]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [new RegExp(`@${escaped}(?![A-Za-z0-9-])`, 'i')];
}

function meets(criterion: Criterion, found: ReadonlySet<Criterion>): boolean {
  switch (criterion.kind) {
    case 'all':
      return criterion.parts.every((part) => meets(part, found));
    case 'any':
      return criterion.parts.some((part) => meets(part, found));
    case 'not':
      return !meets(criterion.part, found);
    case 'text':
    case 'qualifier':
      return found.has(criterion);
  }
}
