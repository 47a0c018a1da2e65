import type { Format } from '../http/media-types.ts';
import { notFound } from '../errors/api-error.ts';
import { ok, type Reply } from '../http/reply.ts';
import type { Git } from '../git/git.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { answerFile } from './answer-file.ts';
import { representEntry, representSubmodule, representSymlink } from './content-json.ts';
import { contentSource } from './content-source.ts';
import { findContent } from './find-content.ts';

export interface ContentQuestion {
  readonly repository: Repository;
  /** '' for the root. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly format: Format;
  readonly urls: Urls;
}

/** What is at a path: a file with its content, a directory's list, or what a link or submodule points to. */
export async function answerContent(gits: Git, question: ContentQuestion): Promise<Reply> {
  const { repository, path, query, format, urls } = question;
  const git = gits.repository(repository.id);
  const { ref, commit } = await contentSource(git, repository, query);
  const name = fullName(repository);
  const place = { fullName: name, ref, urls };
  const content = (await findContent(git, commit, path, urls.clone(name))) ?? notFound();
  switch (content.kind) {
    case 'directory':
      return ok(content.entries.map((entry) => representEntry(entry, place)));
    case 'file':
      return answerFile(git, content, format, place);
    case 'symlink':
      return ok(representSymlink(content, place));
    case 'submodule':
      return ok(representSubmodule(content, place));
  }
}
