import { encodeBase64Lines } from '../git-data/base64.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Content, ContentEntry } from './content.ts';

type Representation = { [field: string]: Json };

/** Where contents are shown: a repository at a branch, tag or commit, named as the client named it. */
export interface ContentLocation {
  readonly fullName: string;
  readonly ref: string;
  readonly urls: Urls;
}

/** A file; `bytes` undefined when it is too large for a JSON response. */
export function representFileContent(
  file: Extract<Content, { kind: 'file' }>,
  bytes: Buffer | undefined,
  location: ContentLocation,
): Representation {
  return {
    ...representEntry(file, location),
    content: bytes ? encodeBase64Lines(bytes) : '',
    encoding: bytes ? 'base64' : 'none',
  };
}

export function representSymlink(
  link: Extract<Content, { kind: 'symlink' }>,
  location: ContentLocation,
): Representation {
  return { ...representEntry(link, location), target: link.target };
}

export function representSubmodule(
  submodule: Extract<Content, { kind: 'submodule' }>,
  location: ContentLocation,
): Representation {
  return {
    ...representEntry(submodule, location),
    type: 'submodule',
    submodule_git_url: submodule.gitUrl,
  };
}

/** Without content: as directories list it, and as a change of it is answered. */
export function representEntry(entry: ContentEntry, location: ContentLocation): Representation {
  const { path, kind } = entry;
  const { fullName, ref, urls } = location;
  const self = urls.contents(fullName, path, ref);
  const contentUrls = urlsOf(entry, location);
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    sha: entry.id,
    size: entry.size,
    url: self,
    html_url: contentUrls.html,
    git_url: contentUrls.git,
    download_url: contentUrls.download,
    type: typeOf(kind),
    _links: { self, git: contentUrls.git, html: contentUrls.html },
  };
}

interface ContentUrls {
  readonly git: string | null;
  readonly html: string | null;
  readonly download: string | null;
}

/** A submodule's commit is in another repository, which may be anywhere. */
function urlsOf(entry: ContentEntry, { fullName, ref, urls }: ContentLocation): ContentUrls {
  const { id, kind, path } = entry;
  switch (kind) {
    case 'submodule':
      return { git: null, html: null, download: null };
    case 'directory':
      return {
        git: urls.gitObject(fullName, 'trees', id),
        html: urls.treeHtml(fullName, ref, path),
        download: null,
      };
    case 'file':
    case 'symlink':
      return {
        git: urls.gitObject(fullName, 'blobs', id),
        html: urls.blobHtml(fullName, ref, path),
        download: urls.rawHtml(fullName, ref, path),
      };
  }
}

/** In lists, the type of a submodule is `file`, as in GitHub's API version 3. */
function typeOf(kind: ContentEntry['kind']): string {
  switch (kind) {
    case 'directory':
      return 'dir';
    case 'symlink':
      return 'symlink';
    case 'file':
    case 'submodule':
      return 'file';
  }
}
