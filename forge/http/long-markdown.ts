import { Worker } from 'node:worker_threads';

import { inBackground } from '#platform/in-background.ts';
import { inTurns } from '#platform/in-turns.ts';
import { nextMessage } from '#platform/next-message.ts';

import {
  asWritten,
  isForeign,
  type LinkedText,
  type MarkdownOptions,
  renderMarkdown,
} from './markup.ts';

/**
 * Markdown that is rendered at once; longer texts of files and releases are rendered in a thread of their own, one after the
 * other: texts of two milliseconds for each KiB are easy to write.
 */
const shortCharactersMax = 32 * 1024;
/** Time of each of the two runs of such a text; one that takes longer is shown as text, over the API it is answered 503. */
const millisecondsMax = 15_000;
/** Texts that wait for that thread; others are shown as text, over the API they are answered 503. */
const waitingMax = 32;
/** Time for that thread to load the library, on a machine with much else to do. */
const startMilliseconds = 30_000;
/** Memory of that thread; a text that takes more is shown as one that takes too long. */
const memoryMegabytesMax = 512;
/** Time without a text after which that thread ends: it holds memory for the longest text that it had. */
const idleMilliseconds = 20_000;

export interface MarkdownRequest {
  readonly source: string;
  readonly headingIds: boolean;
  /** Whether text may become links. */
  readonly linksText: boolean;
  readonly isAsWritten: boolean;
}

/** By what the text names. */
export interface MarkdownUrls {
  readonly texts: ReadonlyMap<string, readonly LinkedText[]>;
  readonly links: ReadonlyMap<string, string>;
  readonly images: ReadonlyMap<string, string>;
  /** Of the URLs of images, those of other servers; undefined: they are shown as they are. */
  readonly foreignImages: ReadonlyMap<string, string | undefined> | undefined;
}

export type MarkdownAnswer =
  | { readonly html: string }
  | {
      readonly texts: readonly string[];
      readonly links: readonly string[];
      readonly images: readonly string[];
    };

let running: Promise<Worker> | undefined;
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * Renders Markdown of any length. Long texts are rendered in a thread, one after the other; undefined where too many wait for it, or one takes it too
 * long or too much memory.
 */
export async function renderLongMarkdown(
  source: string,
  options: MarkdownOptions,
): Promise<string | undefined> {
  if (source.length <= shortCharactersMax) return renderMarkdown(source, options);
  if (waiting >= waitingMax) return undefined;
  waiting += 1;
  const result = last.then(() => render(source, options)).finally(() => (waiting -= 1));
  last = result;
  return result;
}

/** The same of `rendered`. */
export async function renderedLong(source: string): Promise<string | undefined> {
  return (await renderLongMarkdown(source, asWritten))?.trimEnd();
}

/** Never rejects: a text that the thread cannot render is not. */
async function render(source: string, options: MarkdownOptions): Promise<string | undefined> {
  clearTimeout(idle);
  running ??= start();
  const starting = running;
  let worker: Worker | undefined;
  try {
    worker = await starting;
    worker.ref();
    const { headingIds, link } = options;
    const [linksText, isAsWritten] = [link !== undefined, options === asWritten];
    const found = await ask(worker, { source, headingIds, linksText, isAsWritten });
    const answer = 'html' in found ? found : await ask(worker, await resolveUrls(found, options));
    return 'html' in answer ? answer.html : undefined;
  } catch {
    await end(starting);
    return undefined;
  } finally {
    worker?.unref();
    idle = setTimeout(() => inBackground(end(starting)), idleMilliseconds).unref();
  }
}

async function end(starting: Promise<Worker>): Promise<void> {
  if (running === starting) running = undefined;
  const worker = await starting.catch(() => undefined);
  await worker?.terminate();
}

async function start(): Promise<Worker> {
  const worker = new Worker(new URL('markdown-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
  });
  // Waiting callers get the error as well.
  worker.on('error', () => inBackground(worker.terminate()));
  try {
    // Its first message says that the library is loaded.
    await nextMessage(worker, startMilliseconds);
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function ask(worker: Worker, message: MarkdownRequest | MarkdownUrls): Promise<MarkdownAnswer> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(message);
  return nextMessage<MarkdownAnswer>(worker, millisecondsMax);
}

async function resolveUrls(
  { texts, links, images }: Exclude<MarkdownAnswer, { html: string }>,
  { resolve, foreignImages, link = (text) => [{ text }] }: MarkdownOptions,
): Promise<MarkdownUrls> {
  const resolved = async (
    named: readonly string[],
    kind: 'link' | 'image',
  ): Promise<ReadonlyMap<string, string>> =>
    new Map(await inTurns(named, (href) => [href, resolve(href, kind)] as const));
  const shown = await resolved(images, 'image');
  const parts = new Map(await inTurns(texts, (text) => [text, link(text)] as const));
  const linked = [...parts.values()].flat().flatMap(({ href }) => href ?? []);
  return {
    texts: parts,
    links: await resolved([...new Set([...links, ...linked])], 'link'),
    images: shown,
    foreignImages:
      foreignImages === 'shown'
        ? undefined
        : new Map(
            await inTurns(
              [...shown.values()].filter(isForeign),
              (href) => [href, foreignImages(href)] as const,
            ),
          ),
  };
}
