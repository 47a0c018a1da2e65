import { parentPort } from 'node:worker_threads';

import hljs from 'highlight.js';

import type { HighlightAnswer, HighlightRequest } from './highlighter.ts';

/** The thread of highlighter.ts: one request at a time. */
parentPort?.on('message', ({ text, language }: HighlightRequest) => {
  answer(linesOf(text, language));
});
// The languages are loaded.
answer({ lines: undefined });

function answer(message: HighlightAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}

function linesOf(text: string, language: string): HighlightAnswer {
  if (hljs.getLanguage(language) === undefined) return { lines: undefined };
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  return { lines: splitLines(value) };
}

/** A construct that spans lines, such as a comment, is opened again on each of them. */
function splitLines(markup: string): string[] {
  const open: string[] = [];
  return markup.split('\n').map((line) => {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<\/?span[^>]*>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return before + line + '</span>'.repeat(open.length);
  });
}
