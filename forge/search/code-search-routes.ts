import { setImmediate } from 'node:timers/promises';

import type { Json } from '../json/json-values.ts';
import { describeCommits } from '../commits/describe-commits.ts';
import { refuse } from '../errors/api-error.ts';
import { parseTreePath } from '../git/names.ts';
import type { RequestContext } from '../http/request-context.ts';
import { fullName } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { representMinimalRepository } from '../repositories/repository-json.ts';
import { type Endpoint, openEndpoint } from '../routing/endpoint.ts';
import { codeQualifiers, findCode, type FoundFile } from './find-code.ts';
import { commitQualifiers, findCommits } from './find-commits.ts';
import { readSearchOrder } from './search-order.ts';
import {
  answerSearch,
  boundsOf,
  orderOf,
  parseSearch,
  queryText,
  searchReply,
} from './search-response.ts';
import { searcherOf } from './searcher.ts';
import { representTextMatches, wantsTextMatches } from './text-matches.ts';

const score = 1;

/** File whose text a search for code shows; larger ones are found, and their text is not shown. */
const shownBytesMax = 1024 * 1024;

/** Searches that git answers. */
export const codeSearchRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'search/code',
    method: 'GET',
    path: '/search/code',
    docs: 'search#search-code',
    acceptedScopes: 'repo',
    rateResource: 'code_search',
    transfer: true,
    handle: (request, ports) =>
      answerSearch(async () => {
        const { caller, query } = request;
        if (caller.kind === 'anonymous') refuse({ kind: 'requires-authentication' });
        const { criterion, words } = parseSearch(queryText(query), codeQualifiers);
        const { offset, size } = boundsOf(request.page);
        const { files, incomplete } = await findCode(ports, criterion, searcherOf(caller));
        const shown = files.slice(offset, offset + size);
        const items: Json[] = [];
        for (const file of shown) {
          items.push(...(await representFile(file, words, request, ports)));
          await setImmediate();
        }
        return searchReply(items, { total: files.length, incomplete });
      }),
  }),

  openEndpoint({
    operation: 'search/commits',
    method: 'GET',
    path: '/search/commits',
    docs: 'search#search-commits',
    acceptedScopes: 'repo',
    rateResource: 'search',
    transfer: true,
    handle: ({ query, page, media, urls, caller }, ports) =>
      answerSearch(async () => {
        const { criterion, sort, words } = parseSearch(queryText(query), commitQualifiers);
        const sorts = ['author-date', 'committer-date'] as const;
        const order = readSearchOrder(sorts, sort, orderOf(query));
        const { offset, size } = boundsOf(page);
        const { commits, incomplete } = await findCommits(
          ports,
          criterion,
          searcherOf(caller),
          order,
        );
        const shown = commits.slice(offset, offset + size);
        const items = await ports.database.read(async (sql) => {
          const represented: Json[] = [];
          for (const { repository, commit } of shown) {
            const [described] = await describeCommits(sql, [commit], repository, urls);
            const result = { url: urls.commit(fullName(repository), commit.id), type: 'Commit' };
            const texts = [{ property: 'message', text: commit.message }];
            represented.push({
              ...described,
              repository: representMinimalRepository(repository, urls),
              score,
              ...(wantsTextMatches(media)
                ? { text_matches: representTextMatches(words, texts, result) }
                : {}),
            });
          }
          return represented;
        });
        return searchReply(items, { total: commits.length, incomplete });
      }),
  }),
];

/** Nothing of a file that is gone meanwhile. */
async function representFile(
  { repository, commit, path }: FoundFile,
  words: readonly string[],
  { media, urls }: RequestContext,
  { git }: Ports,
): Promise<Json[]> {
  const treePath = parseTreePath(path);
  const files = git.repository(repository.id);
  const entry = treePath && (await files.findPath(commit, treePath));
  if (!entry) return [];
  const name = fullName(repository);
  const url = urls.contents(name, path, commit);
  const isShown = wantsTextMatches(media) && (entry.size ?? 0) <= shownBytesMax;
  const content = isShown ? await files.readBlob(entry.id) : undefined;
  const texts = [{ property: 'content', text: content?.toString() ?? null }];
  return [
    {
      name: path.slice(path.lastIndexOf('/') + 1),
      path,
      sha: entry.id,
      url,
      git_url: urls.gitObject(name, 'blobs', entry.id),
      html_url: urls.blobHtml(name, commit, path),
      repository: representMinimalRepository(repository, urls),
      score,
      ...(wantsTextMatches(media)
        ? { text_matches: representTextMatches(words, texts, { url, type: 'FileContent' }) }
        : {}),
    },
  ];
}
