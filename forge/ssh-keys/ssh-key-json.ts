import { type Json, timestamp } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { SshKey } from '../model/ssh-key.ts';

/** For everybody: `GET /users/:username/keys`. */
export function representSimpleKey({ id, publicKey, createdAt, lastUsedAt }: SshKey): Json {
  return {
    id,
    key: publicKey,
    created_at: timestamp(createdAt),
    last_used: timestamp(lastUsedAt),
  };
}

export function representUserKey(key: SshKey, urls: Urls): Json {
  return { ...common(key), url: urls.api(`/user/keys/${key.id}`) };
}

export function representDeployKey(key: SshKey, repositoryName: string, urls: Urls): Json {
  return {
    ...common(key),
    url: `${urls.repository(repositoryName)}/keys/${key.id}`,
    added_by: key.addedBy.login,
    enabled: true,
  };
}

/** A key is verified by being usable: it signs in as soon as it is stored. */
function common({ id, publicKey, title, readOnly, createdAt, lastUsedAt }: SshKey): {
  readonly [field: string]: Json;
} {
  return {
    id,
    key: publicKey,
    title,
    verified: true,
    created_at: timestamp(createdAt),
    read_only: readOnly,
    last_used: timestamp(lastUsedAt),
  };
}
