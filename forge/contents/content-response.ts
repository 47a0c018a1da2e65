import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { checkSize, inlineBytesMax, readBlobWithinLimit } from '../git-data/read-blob.ts';
import type { Git, GitRepository } from '../git/git.ts';
import { branchRef, type ObjectId } from '../git/names.ts';
import { renderedLong } from '../http/long-markdown.ts';
import type { Format } from '../http/media-types.ts';
import { ok, type EndpointResult, streamRaw, text } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import {
  representEntry,
  representSubmodule,
  representSymlink,
  type ContentLocation,
  representFileContent,
} from './content-json.ts';
import type { Content } from './content.ts';
import { findContent } from './find-content.ts';

interface ContentRequest {
  readonly repository: Repository;
  /** '' for the root. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly format: Format;
  readonly urls: Urls;
}

/** What is at a path: a file with its content, a directory's list, or what a link or submodule points to. */
export async function contentResponse(
  gits: Git,
  question: ContentRequest,
): Promise<EndpointResult> {
  const { repository, path, query, format, urls } = question;
  const git = gits.repository(repository.id);
  const { ref, commit } = await contentSource(git, repository, query);
  const name = fullName(repository);
  const location = { fullName: name, ref, urls };
  const content = (await findContent(git, commit, path, urls.clone(name))) ?? notFound();
  switch (content.kind) {
    case 'directory':
      return ok(content.entries.map((entry) => representEntry(entry, location)));
    case 'file':
      return fileResponse(git, content, format, location);
    case 'symlink':
      return ok(representSymlink(content, location));
    case 'submodule':
      return ok(representSubmodule(content, location));
  }
}

/** A file in the form the client asked for: its bytes, its text as HTML, or an object with its bytes in base 64, and more fields. */
export async function fileResponse(
  git: GitRepository,
  file: Extract<Content, { kind: 'file' }>,
  format: Format,
  location: ContentLocation,
  more: { readonly [field: string]: Json } = {},
): Promise<EndpointResult> {
  if (format === 'raw' && file.size > inlineBytesMax) {
    checkSize(file.size);
    return streamRaw(git, file);
  }
  const inline = format === 'raw' || file.size <= inlineBytesMax;
  const bytes = inline ? ((await readBlobWithinLimit(git, file.id)) ?? notFound()) : undefined;
  if (format === 'raw' && bytes) return text('raw', bytes);
  if (format === 'html') return text('html', await render(file.path, bytes));
  return ok({ ...representFileContent(file, bytes, location), ...more });
}

/** Only Markdown is rendered: other text would be shown as what it is not. */
async function render(path: string, bytes: Buffer | undefined): Promise<string> {
  if (!bytes || !/\.(?:md|markdown|mkdn?|mdown)$/i.test(path)) {
    return refuse({ kind: 'unsupported-media-parameter', parameter: 'html' });
  }
  const message = 'The server renders too many long files now, or this one takes it too long.';
  return (await renderedLong(bytes.toString())) ?? refuse({ kind: 'unavailable', message });
}

/** The commit whose contents are requested, and the client's name for it. */
interface ContentSource {
  readonly ref: string;
  readonly commit: ObjectId;
}

/** The revision of the `ref` parameter, or the default branch. */
export async function contentSource(
  git: GitRepository,
  repository: Repository,
  query: URLSearchParams,
): Promise<ContentSource> {
  const requested = query.get('ref') || undefined;
  const ref = requested ?? repository.defaultBranch;
  const branch = await resolveBranchName(git, ref);
  const tip = branch && (await git.readRef(branchRef(branch)));
  const commit = tip ?? (await git.resolveCommit(ref));
  if (commit) return { ref, commit };
  return notFound(
    requested === undefined
      ? 'This repository is empty.'
      : `No commit found for the ref ${requested}`,
  );
}
