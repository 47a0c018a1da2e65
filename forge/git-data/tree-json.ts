import type { Json } from '../json/json-values.ts';
import type { Tree, TreeEntry } from '../git/git.ts';
import type { Urls } from '../json/urls.ts';

type Representation = { [member: string]: Json | undefined };

export function representTree(tree: Tree, repositoryFullName: string, urls: Urls): Representation {
  return {
    sha: tree.id,
    url: urls.gitObject(repositoryFullName, 'trees', tree.id),
    tree: tree.entries.map((entry) => representEntry(entry, repositoryFullName, urls)),
    truncated: tree.truncated,
  };
}

/** A submodule's commit is in another repository, whose address is not known here. */
function representEntry(entry: TreeEntry, name: string, urls: Urls): Representation {
  const { path, mode, type, id } = entry;
  const shared = { path, mode, type, sha: id };
  switch (type) {
    case 'blob':
      return { ...shared, size: entry.size, url: urls.gitObject(name, 'blobs', id) };
    case 'tree':
      return { ...shared, url: urls.gitObject(name, 'trees', id) };
    case 'commit':
      return shared;
  }
}
