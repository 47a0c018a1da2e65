/** A reference to an issue that a text closes. */
export interface IssueReference {
  /** undefined: the repository of the text. */
  readonly repository: { readonly owner: string; readonly name: string } | undefined;
  readonly number: number;
}

/** Issues that one merge or push closes; further references are ignored. */
export const referencesMax = 100;
/** Beginning of a body or message that is read for closing keywords. */
const charactersMax = 65_536;

const keyword = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';
const segment = '[A-Za-z0-9_.-]{1,100}';

/** Matches messages with closing keywords, for `git rev-list --grep` with `--extended-regexp` and `--regexp-ignore-case`. */
export const closingMessagePattern = '(close[sd]?|fix(e[sd])?|resolve[sd]?)[[:space:]:]';

/**
 * The issues that a text closes with keywords (GitHub docs: "linking a pull request to an issue using a keyword"):
 * `Fixes #1`, `closes: owner/repo#2`, `Resolved https://HOST/owner/repo/issues/3`. URLs must begin with a base URL of this
 * server.
 */
export function closingReferences(text: string, origins: readonly string[]): IssueReference[] {
  const found = new Map<string, IssueReference>();
  for (const match of text.slice(0, charactersMax).matchAll(pattern)) {
    const { origin, owner, name, number = '' } = match.groups ?? {};
    if (origin !== undefined && !origins.includes(origin)) continue;
    const repository = owner === undefined || name === undefined ? undefined : { owner, name };
    const reference = { repository, number: Number(number) };
    if (!found.has(keyOf(reference))) found.set(keyOf(reference), reference);
    if (found.size === referencesMax) break;
  }
  return [...found.values()];
}

/** A key that is equal for references with the same repository name and number. */
export function keyOf({ repository, number }: IssueReference): string {
  const { owner = '', name = '' } = repository ?? {};
  return `${owner}/${name}#${number}`.toLowerCase();
}

const pattern = new RegExp(
  String.raw`(?<![\w@#./-])${keyword}[^\S\n]{0,10}:?[^\S\n]{1,10}(?:` +
    String.raw`(?<origin>https?://[^\s/]{1,255})/(?<owner>${segment})/(?<name>${segment})/(?:issues|pull)/` +
    String.raw`|(?:(?<owner>${segment})/(?<name>${segment}))?#|GH-)(?<number>\d{1,9})(?![\w])`,
  'gi',
);

/** A Markdown body without code and comments, where keywords have no effect. */
export function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/<!--[^]*?(?:-->|$)/g, ' ')
    .replaceAll(/^[^\S\n]{0,3}(```|~~~)[^]*?(?:^[^\S\n]{0,3}\1|$(?![^]))/gm, ' ')
    .replaceAll(/`[^`\n]*`/g, ' ');
}
