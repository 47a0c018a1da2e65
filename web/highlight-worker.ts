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
  const lines = splitLines(value, markupPerCharacter * text.length + markupBase);
  return { lines: lines && showsLines(value, text) ? lines : undefined };
}

/**
 * Depth of highlighted constructs. Code that people write has less; a construct that spans lines, such as a comment, is opened
 * again on each of them.
 */
const depthMax = 30;
const markupPerCharacter = 8;
const markupBase = 64 * 1024;

/** Undefined where the markup is out of proportion to the text. */
function splitLines(markup: string, charactersMax: number): string[] | undefined {
  const open: string[] = [];
  const lines: string[] = [];
  let characters = 0;
  for (const line of markup.split('\n')) {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<\/?span[^>]*>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    const whole = before + line + '</span>'.repeat(open.length);
    characters += whole.length;
    if (open.length > depthMax || characters > charactersMax) return undefined;
    lines.push(whole);
  }
  return lines;
}

/**
 * Whether each line of the markup shows the line of the text that it stands for. The library replaces some characters that a language
 * forbids, such as U+000D within a selector of CSS, by line breaks: all later lines would be shown with wrong numbers, and the
 * last ones not at all.
 */
function showsLines(markup: string, text: string): boolean {
  return markup.replaceAll(/<\/?span[^>]*>/g, '') === escaped(text);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

/** As the library does it. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);
}
