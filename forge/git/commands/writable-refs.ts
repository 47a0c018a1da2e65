import { parseBranchName, parseObjectId, parseRefName, type RefName } from '../names.ts';

/**
 * Why no caller may write a ref of this name, as the end of a sentence that begins with the name; undefined when a caller may.
 * Most clients write branches and tags, but some also store notes (refs/notes/), fetched refs (refs/remotes/) and refs of
 * their own, and push all of them when they mirror a repository.
 */
export function problemOfRefName(name: string): string | undefined {
  const [, namespace, short = ''] = /^refs\/([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (namespace === undefined) return 'a name must begin with refs/ and have two slashes';
  const closed = problemOfNamespace(namespace);
  if (closed !== undefined) return closed;
  if (namespace === 'heads' || namespace === 'tags') {
    // As short names these would be something else on a command line.
    if (short.startsWith('-')) return 'a name must not begin with a dash';
    if (parseObjectId(short)) return 'a name must not look like an object id';
  }
  if (!parseRefName(name)) return 'the name is malformed or longer than 244 bytes';
  if (namespace === 'heads' && !parseBranchName(short)) {
    return `a branch must not be called ${short}`;
  }
  return undefined;
}

/** A name that callers may write; undefined for any other. */
export function parseWritableRef(name: string): RefName | undefined {
  return problemOfRefName(name) === undefined ? parseRefName(name) : undefined;
}

/** Whether git of every version turns the ref down by itself, before it asks the hook that explains refusals. */
export function isRefusedByGit(name: string): boolean {
  return !name.startsWith('refs/') || hiddenFromPushes.some((prefix) => name.startsWith(prefix));
}

/** Whether some version does: no git creates a ref of one level (`refs/stash`), but 2.41 and newer delete it. */
export function mayBeRefusedByGit(name: string): boolean {
  return isRefusedByGit(name) || !/^refs\/[^/]+\/./s.test(name);
}

/** `receive.hideRefs`: neither advertised to those who push nor written by them. */
export const hiddenFromPushes = ['refs/pull/', 'refs/replace/', 'refs/internal/'] as const;

const closedNamespaces: Readonly<Record<string, string>> = {
  pull: 'refs of pull requests are written by the server',
  internal: 'refs/internal/ belongs to the server',
  // With such a ref every git command would read another object instead of the named one (git-replace(1)).
  replace: 'replacing objects is not supported',
  // git-worktree(1): refs of one working tree, which a server does not have.
  bisect: 'it belongs to a single working tree',
  rewritten: 'it belongs to a single working tree',
  worktree: 'it belongs to a single working tree',
};

/** On a case-insensitive file system, `refs/Heads/main` would be the file of a branch that has rules. */
function problemOfNamespace(namespace: string): string | undefined {
  const lower = namespace.toLowerCase();
  const closed = closedNamespaces[lower];
  if (closed !== undefined) return closed;
  const differs = lower !== namespace && (lower === 'heads' || lower === 'tags');
  return differs ? `use lower case: refs/${lower}/` : undefined;
}
