import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { ok, type Reply, streamRaw, text } from '../http/reply.ts';
import type { GitRepository } from '../git/git.ts';
import { checkSize, inlineBytesMax, readBlob } from '../git-data/read-blob.ts';
import type { Content } from './content.ts';
import { type ContentPlace, representFileContent } from './content-json.ts';

/** A file in the form the client asked for: its bytes, its text as HTML, or an object with its bytes in base 64. */
export async function answerFile(
  git: GitRepository,
  file: Extract<Content, { kind: 'file' }>,
  format: Format,
  place: ContentPlace,
): Promise<Reply> {
  if (format === 'raw' && file.size > inlineBytesMax) {
    checkSize(file.size);
    return streamRaw(git, file);
  }
  const inline = format === 'raw' || file.size <= inlineBytesMax;
  const bytes = inline ? ((await readBlob(git, file.id)) ?? notFound()) : undefined;
  if (format === 'raw' && bytes) return text('raw', bytes);
  if (format === 'html') return text('html', render(file.path, bytes));
  return ok(representFileContent(file, bytes, place));
}

/** Only Markdown is rendered: other text would be shown as what it is not. */
function render(path: string, bytes: Buffer | undefined): string {
  if (!bytes || !/\.(?:md|markdown|mkdn?|mdown)$/i.test(path)) {
    return refuse({ kind: 'unsupported-media-parameter', parameter: 'html' });
  }
  const { body_html: html } = representMarkup(bytes.toString(), 'html');
  return typeof html === 'string' ? html : '';
}
