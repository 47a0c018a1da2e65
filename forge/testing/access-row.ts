import type { GrantedPermission, Permission } from '../model/permission.ts';
import { atLeast } from '../model/permission.ts';
import { holdsAny, type Scope, type Scopes } from '../model/scopes.ts';

/** Who may do what in a repository, said a second time and by hand: the declarations of endpoints are held against it. */
export interface AccessRow {
  /** The lowest permission that will do. */
  readonly permission: GrantedPermission;
  /** When a token must have one of the scopes. What changes something, or shows more than the public sees: always. */
  readonly token: 'always' | 'where private';
  /** Any of these; on public repositories `public_repo` will do for `repo`. */
  readonly scopes: readonly Scope[];
  /** Where `public_repo` will not do for `repo` even on public repositories. */
  readonly publicRepo?: 'not enough';
  /** What those are answered who may read but not do this. 403 names the right, 404 says nothing. */
  readonly denied: 403 | 404;
  readonly archived: 'open' | 'refused';
  /** Method and path below `/repos/:owner/:repo`. */
  readonly operations: readonly string[];
}

/** A user who asks for something in one repository. */
export type MatrixCaller =
  | { readonly kind: 'bad' }
  | { readonly kind: 'anonymous' | 'application' }
  | { readonly kind: 'user'; readonly permission: Permission; readonly scopes: Scopes };

export interface MatrixRepository {
  readonly private: boolean;
  readonly archived: boolean;
}

/** What the caller is answered: a status of refusal, or that it is let in. */
export function expectedResponse(
  row: AccessRow,
  caller: MatrixCaller,
  repository: MatrixRepository,
): 401 | 403 | 404 | 'in' {
  if (caller.kind === 'bad') return 401;
  if (caller.kind !== 'user') {
    if (repository.private) return 404;
    if (row.permission === 'read') return row.token === 'always' ? 401 : 'in';
    if (row.denied === 404) return 404;
    return caller.kind === 'anonymous' ? 401 : 403;
  }
  const suitable = holdsAny(caller.scopes, scopesFor(row, repository));
  if (repository.private && (caller.permission === 'none' || !suitable)) return 404;
  const sufficient = atLeast(
    repository.private ? caller.permission : orRead(caller.permission),
    row.permission,
  );
  if (!sufficient || (row.token === 'always' && !suitable)) return row.denied;
  return repository.archived && row.archived === 'refused' ? 403 : 'in';
}

function scopesFor(row: AccessRow, repository: MatrixRepository): readonly Scope[] {
  const wide = repository.private || row.publicRepo === 'not enough';
  return wide ? row.scopes : [...row.scopes, 'public_repo'];
}

/** Everybody may read what is public. */
function orRead(permission: Permission): Permission {
  return permission === 'none' ? 'read' : permission;
}

/** A method and its paths on each line. */
export function listed(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [method = '', ...paths] = line.trim().split(' ');
      return paths.map((path) => `${method} ${path}`);
    });
}
