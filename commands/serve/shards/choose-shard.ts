import type { ShardGit } from './git-shards.ts';
import { defaultGitShard, type GitShard } from './shard-store.ts';

/**
 * The shard for a new network of repositories: those that accept new ones get them in turn. One whose git process cannot be asked now is passed
 * over while there are others. Nothing is read for it.
 */
export function chooseShard(
  shards: { of(id: number): Pick<ShardGit, 'statistics'> | undefined },
  listed: () => readonly Pick<GitShard, 'id' | 'acceptsNew'>[],
): () => number {
  let turn = 0;
  return () => {
    const accepting = listed().filter(({ id, acceptsNew }) => acceptsNew && shards.of(id));
    const available = accepting.filter(({ id }) => shards.of(id)?.statistics().isAvailable);
    const candidates = available.length > 0 ? available : accepting;
    turn += 1;
    return candidates[turn % candidates.length]?.id ?? defaultGitShard.id;
  };
}
