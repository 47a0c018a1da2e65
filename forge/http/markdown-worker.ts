import { parentPort } from 'node:worker_threads';

import { renderMarkdown } from './markup.ts';
import type { MarkdownUrls, MarkdownAnswer, MarkdownRequest } from './long-markdown.ts';

/** The thread of long-markdown.ts: one text at a time, first what it names, then as HTML. */
let current: MarkdownRequest | undefined;

parentPort?.on('message', (message: MarkdownRequest | MarkdownUrls) => {
  if ('source' in message) answer(begin(message));
  else if (current) answer(finish(current, message));
});
// The library is loaded.
answer({ html: '' });

function answer(message: MarkdownAnswer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}

/** Only the server knows what its URLs mean: what the text names is collected in a first run. */
function begin(request: MarkdownRequest): MarkdownAnswer {
  const named = { link: new Set<string>(), image: new Set<string>() };
  const texts = new Set<string>();
  const html = renderMarkdown(request.source, {
    headingIds: request.headingIds,
    foreignImages: 'shown',
    ...(request.linksText && {
      link(text) {
        texts.add(text);
        return [{ text }];
      },
    }),
    resolve(href, kind) {
      named[kind].add(href);
      return href;
    },
  });
  const count = texts.size + named.link.size + named.image.size;
  if (request.isAsWritten || count === 0) return { html };
  current = request;
  return { texts: [...texts], links: [...named.link], images: [...named.image] };
}

function finish(
  { source, headingIds, linksText }: MarkdownRequest,
  { texts, links, images, foreignImages }: MarkdownUrls,
): MarkdownAnswer {
  current = undefined;
  const html = renderMarkdown(source, {
    headingIds,
    ...(linksText && { link: (text) => texts.get(text) ?? [{ text }] }),
    foreignImages: foreignImages ? (href) => foreignImages.get(href) : 'shown',
    resolve: (href, kind) => (kind === 'link' ? links : images).get(href) ?? href,
  });
  return { html };
}
