import type { Page } from '../http/pagination.ts';
import { page as replyPage, type Reply } from '../http/reply.ts';
import type { Ref } from '../git/git.ts';
import type { Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representRef } from './ref-json.ts';

/** One page of refs. */
export function pageOfRefs(
  refs: readonly Ref[],
  page: Page,
  repository: Repository,
  urls: Urls,
): Reply {
  const shown = refs.slice(page.offset, page.offset + page.size);
  return replyPage(
    shown.map((ref) => representRef(ref, repository, urls)),
    refs.length,
  );
}
