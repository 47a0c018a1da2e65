import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { fullName } from '../../repositories/repository.ts';
import { answerFile } from '../answer-file.ts';
import {
  representEntry,
  representSubmodule,
  representSymlink,
} from '../content-representation.ts';
import { contentSource } from '../content-source.ts';
import { findContent } from '../find-content.ts';

export const getContent = repositoryEndpoint({
  operation: 'repos/get-content',
  method: 'GET',
  path: '/repos/:owner/:repo/contents/*',
  docs: 'repos#get-repository-content',
  need: mayRead,
  formats: ['raw', 'html'],
  kept: true,
  async handle({ path, query, media, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const { ref, commit } = await contentSource(git, repository, query);
    const name = fullName(repository);
    const place = { fullName: name, ref, urls };
    const asked = path['*'].replaceAll(/^\/+|\/+$/g, '');
    const content = (await findContent(git, commit, asked, urls.clone(name))) ?? notFound();
    switch (content.kind) {
      case 'directory':
        return ok(content.entries.map((entry) => representEntry(entry, place)));
      case 'file':
        return answerFile(git, content, media.format, place);
      case 'symlink':
        return ok(representSymlink(content, place));
      case 'submodule':
        return ok(representSubmodule(content, place));
    }
  },
});
