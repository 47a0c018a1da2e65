import { mayRead } from '../../repositories/repository-access.ts';
import { usersByEmail } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage, text } from '../../http/reply.ts';
import { emailsOf } from '../commit-json.ts';
import { compare, meet } from '../compare.ts';
import { representComparison } from '../comparison-json.ts';
import { findSide, splitRange } from '../comparison-side.ts';

/** So many commits come without asking for pages. */
const commitsMax = 250;

export const compareCommits = repositoryEndpoint({
  operation: 'repos/compare-commits',
  method: 'GET',
  path: '/repos/:owner/:repo/compare/:range',
  docs: 'repos#compare-two-commits',
  need: mayRead,
  formats: ['diff', 'patch'],
  cacheable: true,
  async handle({ path, query, page, media, caller, urls }, { repository }, ports) {
    const range = splitRange(path.range) ?? notFound();
    const base = (await findSide(ports, repository, caller, range.base)) ?? notFound();
    const head = (await findSide(ports, repository, caller, range.head)) ?? notFound();
    const ends = await meet(ports.git, base, head);
    const { git } = ends;
    if (media.format === 'diff') return text('diff', await git.diffText(ends.parting, ends.head));
    if (media.format === 'patch') {
      return text('patch', await git.formatPatch(ends.base, ends.head));
    }
    const size = query.has('per_page') ? page.size : commitsMax;
    const offset = (page.number - 1) * size;
    const comparison = await compare(ends, { offset, size });
    const emails = emailsOf([comparison.base, comparison.parting, ...comparison.commits]);
    const users = await ports.database.read((sql) => usersByEmail(sql, emails));
    const asked = { repository, range: path.range, base, head };
    return replyPage(representComparison(asked, comparison, users, urls), {
      hasNext: offset + size < comparison.aheadBy,
    });
  },
});
