import type { Page } from '../conventions/pagination.ts';
import { page as replyPage, type Reply } from '../conventions/reply.ts';
import type { Ref } from '../git/git.ts';
import type { Repository } from '../repositories/repository.ts';
import type { Urls } from '../urls.ts';
import { representRef } from './ref-representation.ts';

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
