import type { Operation, Pages } from '#functions-contract/operation.ts';

import { CliError } from '../context/errors.ts';
import { type OptionValue, readInteger } from '../input/argument-parser.ts';
import { inputMap, type InputMap, type InputValue } from '../validation/input-value.ts';
import { type Output, type Session, answerText, printText } from './session.ts';

/** How a command wants its pages. */
export interface Paging {
  readonly pages: Pages;
  readonly start: ResumePoint;
  readonly size: number | undefined;
  /** Items in all. */
  readonly itemsMax: number | undefined;
}

/** Where a list goes on: the service's own token, and how many items of that page were seen already. */
interface ResumePoint {
  readonly token: InputValue;
  readonly skip: number;
}

const pagingOptions = ['starting-token', 'page-size', 'max-items'] as const;

/**
 * Undefined when the command turns no pages: the operation has none, `--no-paginate` is given, or the members that turn pages
 * by hand are.
 */
export function pagingOf(
  operation: Operation,
  given: ReadonlyMap<string, OptionValue>,
  input: InputMap,
  paginate: boolean,
): Paging | undefined {
  const { pages } = operation;
  if (pages === undefined) return undefined;
  if (!paginate || [pages.token, pages.limit].some((member) => Object.hasOwn(input, member)))
    return undefined;
  const text = (name: (typeof pagingOptions)[number]): string | undefined => {
    const value = given.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    pages,
    start: resumePoint(text('starting-token')),
    size: count(text('page-size')),
    itemsMax: count(text('max-items')),
  };
}

function count(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(readInteger(text));
}

/** Page after page. The last has a NextToken when the items wanted were fewer than there are. */
export async function* pagesOf(
  call: Session['call'],
  operation: Operation,
  input: InputMap,
  { pages, start, size, itemsMax }: Paging,
): AsyncGenerator<Output> {
  let left = itemsMax ?? Number.POSITIVE_INFINITY;
  let point: ResumePoint | undefined = start;
  while (point !== undefined) {
    const page: Output = await call(
      operation,
      inputMap([
        ...Object.entries(input),
        ...(point.token === null ? [] : [[pages.token, point.token] as const]),
        ...(size === undefined ? [] : [[pages.limit, size] as const]),
      ]),
    );
    const all = page[pages.items];
    const items: readonly unknown[] = Array.isArray(all) ? all.slice(point.skip) : [];
    const wanted = items.slice(0, left);
    const next = page[pages.nextToken];
    const nextMarker = typeof next === 'string' && next !== '' ? next : undefined;
    if (nextMarker !== undefined && nextMarker === point.token)
      throw new CliError(255, 'Error during pagination: The same next token was received twice');
    const rest = Object.entries(page).filter(([name]) => name !== pages.nextToken);
    left -= wanted.length;
    const cut: ResumePoint | undefined =
      wanted.length < items.length
        ? { token: point.token, skip: point.skip + wanted.length }
        : left === 0 && nextMarker !== undefined
          ? { token: nextMarker, skip: 0 }
          : undefined;
    yield {
      ...Object.fromEntries(rest),
      [pages.items]: wanted,
      ...(cut === undefined ? {} : { NextToken: resumeToken(pages, cut) }),
    };
    point =
      cut === undefined && nextMarker !== undefined ? { token: nextMarker, skip: 0 } : undefined;
  }
}

/** All pages as one response. */
export function joinedPages(pages: readonly Output[], { pages: names }: Paging): Output {
  const last = pages.at(-1);
  return {
    ...pages[0],
    [names.items]: pages.flatMap((page) => page[names.items] ?? []),
    ...(last?.['NextToken'] === undefined ? {} : { NextToken: last['NextToken'] }),
  };
}

/** The AWS CLI accepts this token, and this client accepts its tokens: base64 of JSON. */
function resumeToken(pages: Pages, { token, skip }: ResumePoint): string {
  const content = { [pages.token]: token, ...(skip === 0 ? {} : { boto_truncate_amount: skip }) };
  return Buffer.from(JSON.stringify(content)).toString('base64');
}

function resumePoint(text: string | undefined): ResumePoint {
  if (text === undefined) return { token: null, skip: 0 };
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64').toString());
    if (typeof content === 'object' && content !== null) {
      const { boto_truncate_amount: skip = 0, ...tokens }: Record<string, unknown> = { ...content };
      const [token = null] = Object.values(tokens);
      return { token: typeof token === 'string' ? token : null, skip: Number(skip) };
    }
  } catch {
    // Not a token of this client: it is the service's own.
  }
  return { token: text, skip: 0 };
}

/** `--no-paginate` says that one page is wanted, these that more are. */
export function refusePagingOptions(
  given: ReadonlyMap<string, OptionValue>,
  operation: Operation,
): void {
  const limit = operation.pages?.limit;
  const used = pagingOptions.filter(
    (name) => given.has(name) && !(name === 'max-items' && limit === 'MaxItems'),
  );
  if (used.length > 0)
    throw new CliError(
      252,
      `Cannot specify --no-paginate along with pagination arguments: ${used.map((name) => `--${name}`).join(', ')}`,
    );
}

/** A list from its first page to its last: as one response, or page by page in the formats made for streams. */
export async function printPages(
  operation: Operation,
  input: InputMap,
  paging: Paging,
  session: Session,
): Promise<number> {
  const { context, profile } = session;
  const streams = profile.output === 'text' || profile.output === 'yaml-stream';
  const pages: Output[] = [];
  const texts: string[] = [];
  for await (const page of pagesOf(session.call, operation, input, paging)) {
    if (!streams) pages.push(page);
    // A pager is started once, with everything; programs read each page as it comes.
    else if (context.isTerminal.stdout) texts.push(await answerText(session, page));
    else context.stdout.write(await answerText(session, page));
  }
  return streams ? printText(session, texts.join('')) : session.print(joinedPages(pages, paging));
}
