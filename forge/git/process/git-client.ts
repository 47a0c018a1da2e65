import type { Git, GitRepository } from '../git.ts';
import { GitError } from '../git-error.ts';
import { GitConnection } from './git-connection.ts';
import type { DialGit, WhenReady } from './git-connection.ts';
import { holdReport } from '../transport/deferred-report.ts';
import { sendPush } from './push-client.ts';
import type { RepositoryCall } from './wire.ts';

export interface ConnectedGit extends Git {
  readonly connection: GitConnection;
  /** Calls and transfers that the git process works on. */
  callsInProgress(): number;
}

/**
 * Runs a call where the repository is. `once`: it cannot be repeated elsewhere, since its body is read as it is sent. `looked-up`: it succeeds
 * even on a git process that does not have the repository, so its place is looked up again, not taken from memory.
 */
export type WithConnection = <T>(
  repositoryId: number,
  call: (connection: GitConnection) => Promise<T>,
  how?: 'once' | 'looked-up',
) => Promise<T>;

/** The port, answered by the git process behind a socket, or at the other end of a connection. */
export function connectGit(
  to: string | DialGit,
  whenReady: WhenReady = async () => {},
): ConnectedGit {
  const connection = new GitConnection(to, whenReady);
  return {
    ...gitOver((_id, call) => call(connection)),
    connection,
    callsInProgress: () => connection.inProgress,
    close: async () => connection.close(),
  };
}

/** The port, answered by whichever git process has the repository of a call. */
export function gitOver(reach: WithConnection): Omit<Git, 'close'> {
  return {
    repository: (id) => remoteRepository(reach, id),
    create: (id, defaultBranch) =>
      reach(id, (connection) => connection.callProcess('create', [id, defaultBranch])),
    fork: (sourceId, id, defaultBranch) =>
      reach(sourceId, (connection) =>
        connection.callProcess('fork', [sourceId, id, defaultBranch]),
      ),
    async remove(id) {
      try {
        await reach(id, (connection) => connection.callProcess('remove', [id]), 'looked-up');
      } catch (error) {
        if (!(error instanceof GitError) || error.kind !== 'missing-repository') throw error;
      }
    },
  };
}

function remoteRepository(reach: WithConnection, id: number): GitRepository {
  const call = <C extends RepositoryCall>(name: C, parts: Parameters<GitRepository[C]>) =>
    reach(id, (connection) => connection.call(id, name, parts));
  return {
    id,
    setHead: (branch) => call('setHead', [branch]),
    size: () => call('size', []),
    readRef: (ref, when) => call('readRef', when ? [ref, when] : [ref]),
    listRefs: (prefix) => call('listRefs', [prefix]),
    updateRefs: (updates) => call('updateRefs', [updates]),
    resolveCommit: (revision) => call('resolveCommit', [revision]),
    objectInfo: (object) => call('objectInfo', [object]),
    readCommit: (object) => call('readCommit', [object]),
    readTag: (object) => call('readTag', [object]),
    readTree: (object, options) => call('readTree', [object, options]),
    findPath: (object, path) => call('findPath', [object, path]),
    readBlob: (object) => call('readBlob', [object]),
    streamBlob: (object) => reach(id, (connection) => connection.streamBlob(id, object)),
    streamArchive: (options) => reach(id, (connection) => connection.streamArchive(id, options)),
    writeBlob: (content) => call('writeBlob', [content]),
    writeBlobs: (contents) => call('writeBlobs', [contents]),
    writeTree: (base, changes) => call('writeTree', [base, changes]),
    writeCommit: (commit) => call('writeCommit', [commit]),
    writeTag: (tag) => call('writeTag', [tag]),
    log: (options) => call('log', [options]),
    countCommits: (from, notIn) => call('countCommits', [from, notIn]),
    divergences: (base, tips) => call('divergences', [base, tips]),
    grep: (commit, texts, seconds) => call('grep', [commit, texts, seconds]),
    blame: (commit, path) => call('blame', [commit, path]),
    lastCommits: (commit, folder) => call('lastCommits', [commit, folder]),
    containingRefs: (search) => call('containingRefs', [search]),
    contributors: (tip) => call('contributors', [tip]),
    statistics: (tip) => call('statistics', [tip]),
    mergeBase: (one, other) => call('mergeBase', [one, other]),
    isAncestor: (ancestor, descendant) => call('isAncestor', [ancestor, descendant]),
    diffFiles: (from, to, options) => call('diffFiles', [from, to, options]),
    diffStat: (from, to) => call('diffStat', [from, to]),
    diffText: (from, to) => call('diffText', [from, to]),
    formatPatch: (exclude, include) => call('formatPatch', [exclude, include]),
    mergeTrees: (ours, theirs) => call('mergeTrees', [ours, theirs]),
    rebase: (upstream, head, committer) => call('rebase', [upstream, head, committer]),
    testRebase: (upstream, head) => call('testRebase', [upstream, head]),
    fetchObjects: (sourceId, ids) => call('fetchObjects', [sourceId, ids]),
    largeFilePointers: (head) => call('largeFilePointers', [head]),
    maintain: (kind) => call('maintain', [kind]),
    advertise: (service, protocol) =>
      reach(id, (connection) => connection.advertise(id, service, protocol)),
    uploadPack: (body, protocol) =>
      reach(id, (connection) => connection.uploadPack(id, body, protocol, '/upload-pack'), 'once'),
    serveFetch: (body, protocol) =>
      reach(id, (connection) => connection.uploadPack(id, body, protocol, '/fetch'), 'once'),
    receivePack: (body, options, mayMove) =>
      holdReport((sendProgress) =>
        reach(
          id,
          (connection) => sendPush(connection, id, body, { options, sendProgress, mayMove }),
          'once',
        ),
      ),
  };
}
