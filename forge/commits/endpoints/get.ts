import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok, page as replyPage, text } from '../../http/reply.ts';
import { parseObjectId } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { changesOf } from '../commit-files.ts';
import { representStat } from '../commit-json.ts';
import { describeCommit } from '../describe-commits.ts';
import { representFile } from '../file-json.ts';
import { namedCommit } from '../named-commit.ts';
import { requiredCommit } from '../required-commit.ts';

/** More files than this go on further pages. */
const filesOnPageMax = 300;

export const getCommit = repositoryEndpoint({
  operation: 'repos/get-commit',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:ref',
  docs: 'repos#get-a-commit',
  need: mayRead,
  formats: ['diff', 'patch', 'sha'],
  cacheable: true,
  async handle({ path, query, page, media, urls }, { repository }, { database, git: gits }) {
    const git = gits.repository(repository.id);
    const sha = await namedCommit(git, repository, path.ref);
    // So that a client can ask with the SHA it has whether a branch has moved.
    if (media.format === 'sha') return text('sha', sha, { entityTag: sha });
    const commit = await requiredCommit(git, sha);
    const [parent] = commit.parents;
    if (media.format === 'diff') return text('diff', await git.diffText(parent, sha));
    if (media.format === 'patch') return text('patch', await git.formatPatch(parent, sha));
    const { stat, files } = await changesOf(git, commit);
    const size = query.has('per_page') ? page.size : filesOnPageMax;
    const offset = (page.number - 1) * size;
    const shown = files.slice(offset, offset + size);
    const name = fullName(repository);
    const body = {
      ...(await database.read((sql) => describeCommit(sql, commit, repository, urls))),
      stats: representStat(stat),
      files: shown.map((file) => representFile(file, name, sha, urls)),
    };
    // The page after a branch name shows another commit tomorrow, perhaps an older one: only a SHA has a date.
    const dated = parseObjectId(path.ref) === undefined ? {} : { lastModified: dateOf(commit) };
    if (page.number === 1 && files.length <= size) return ok(body, dated);
    return replyPage(body, { hasNext: offset + size < files.length }, dated);
  },
});

function dateOf(commit: { committer: { seconds: number } }): number {
  return commit.committer.seconds * 1000;
}
