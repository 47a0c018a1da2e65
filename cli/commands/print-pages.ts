import type { Operation } from '#functions-contract/operation.ts';

import type { Output } from '../calls/call-operation.ts';
import { joinedPages, pagesOf, type Paging } from '../calls/pages.ts';
import type { InputMap } from '../validation/input-value.ts';
import { answerText, printText } from '../calls/print-answer.ts';
import type { Session } from '../calls/session.ts';

/** A list from its first page to its last: as one answer, or page by page in the formats made for streams. */
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
