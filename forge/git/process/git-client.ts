import type { Git, GitRepository } from '../git.ts';
import { GitConnection } from './git-connection.ts';
import type { DialGit, WhenReady } from './git-connection.ts';
import { holdReport } from '../transport/deferred-report.ts';
import { sendPush } from './push-client.ts';

export interface ConnectedGit extends Git {
  /** Calls and transfers that the git process works on. */
  callsInProgress(): number;
}

/** The port, answered by the git process behind a socket, or at the other end of a connection. */
export function connectGit(
  to: string | DialGit,
  whenReady: WhenReady = async () => {},
): ConnectedGit {
  const connection = new GitConnection(to, whenReady);
  return {
    repository: (id) => remoteRepository(connection, id),
    create: (id, defaultBranch) => connection.callHost('create', [id, defaultBranch]),
    fork: (sourceId, id, defaultBranch) =>
      connection.callHost('fork', [sourceId, id, defaultBranch]),
    remove: (id) => connection.callHost('remove', [id]),
    callsInProgress: () => connection.inProgress,
    close: async () => connection.close(),
  };
}

function remoteRepository(connection: GitConnection, id: number): GitRepository {
  const { call } = connection;
  return {
    id,
    setHead: (branch) => call(id, 'setHead', [branch]),
    size: () => call(id, 'size', []),
    readRef: (ref) => call(id, 'readRef', [ref]),
    listRefs: (prefix) => call(id, 'listRefs', [prefix]),
    updateRefs: (updates) => call(id, 'updateRefs', [updates]),
    resolveCommit: (revision) => call(id, 'resolveCommit', [revision]),
    objectInfo: (object) => call(id, 'objectInfo', [object]),
    readCommit: (object) => call(id, 'readCommit', [object]),
    readTag: (object) => call(id, 'readTag', [object]),
    readTree: (object, options) => call(id, 'readTree', [object, options]),
    findPath: (object, path) => call(id, 'findPath', [object, path]),
    readBlob: (object) => call(id, 'readBlob', [object]),
    streamBlob: (object) => connection.streamBlob(id, object),
    streamArchive: (options) => connection.streamArchive(id, options),
    writeBlob: (content) => call(id, 'writeBlob', [content]),
    writeTree: (base, changes) => call(id, 'writeTree', [base, changes]),
    writeCommit: (commit) => call(id, 'writeCommit', [commit]),
    writeTag: (tag) => call(id, 'writeTag', [tag]),
    log: (options) => call(id, 'log', [options]),
    countCommits: (from, notIn) => call(id, 'countCommits', [from, notIn]),
    divergences: (base, tips) => call(id, 'divergences', [base, tips]),
    grep: (commit, texts, seconds) => call(id, 'grep', [commit, texts, seconds]),
    blame: (commit, path) => call(id, 'blame', [commit, path]),
    lastCommits: (commit, folder) => call(id, 'lastCommits', [commit, folder]),
    contributors: (tip) => call(id, 'contributors', [tip]),
    statistics: (tip) => call(id, 'statistics', [tip]),
    mergeBase: (one, other) => call(id, 'mergeBase', [one, other]),
    isAncestor: (ancestor, descendant) => call(id, 'isAncestor', [ancestor, descendant]),
    diffFiles: (from, to, options) => call(id, 'diffFiles', [from, to, options]),
    diffStat: (from, to) => call(id, 'diffStat', [from, to]),
    diffText: (from, to) => call(id, 'diffText', [from, to]),
    formatPatch: (exclude, include) => call(id, 'formatPatch', [exclude, include]),
    mergeTrees: (ours, theirs) => call(id, 'mergeTrees', [ours, theirs]),
    rebase: (upstream, head, committer) => call(id, 'rebase', [upstream, head, committer]),
    testRebase: (upstream, head) => call(id, 'testRebase', [upstream, head]),
    fetchObjects: (sourceId, ids) => call(id, 'fetchObjects', [sourceId, ids]),
    largeFilePointers: (head) => call(id, 'largeFilePointers', [head]),
    maintain: (kind) => call(id, 'maintain', [kind]),
    advertise: (service, protocol) => connection.advertise(id, service, protocol),
    uploadPack: (body, protocol) => connection.uploadPack(id, body, protocol, '/upload-pack'),
    serveFetch: (body, protocol) => connection.uploadPack(id, body, protocol, '/fetch'),
    receivePack: (body, options, mayMove) =>
      holdReport((sendProgress) =>
        sendPush(connection, id, body, { options, sendProgress, mayMove }),
      ),
  };
}
