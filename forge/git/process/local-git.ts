import { blame } from '../repository/blame.ts';
import { divergences } from '../repository/divergence.ts';
import { lastCommits } from '../repository/last-commits.ts';
import { containingRefs } from '../repository/containing-refs.ts';
import { contributors } from '../repository/contributors.ts';
import { diffFiles, diffStat, diffText, formatPatch } from '../repository/diff.ts';
import { fetchObjects } from '../repository/fetch-objects.ts';
import { largeFilePointers } from '../repository/large-file-pointers.ts';
import { GitError } from '../git-error.ts';
import type { Git, GitRepository } from '../git.ts';
import { gitDirectory } from '../commands/git-directory.ts';
import type { GitProcessState } from '../commands/git-directory.ts';
import { holdReport } from '../transport/deferred-report.ts';
import { grep } from '../repository/grep.ts';
import { countCommits, isAncestor, log, mergeBase } from '../repository/history.ts';
import { maintain } from '../repository/maintenance.ts';
import { measure } from '../repository/measure.ts';
import { mergeTrees } from '../repository/merge.ts';
import {
  objectInfo,
  readBlob,
  readCommit,
  readTag,
  resolveCommit,
  writeBlob,
  writeBlobs,
  writeCommit,
  writeTag,
} from '../repository/objects.ts';
import { closeGitState } from './open-git-state.ts';
import { rebase, testRebase } from '../repository/rebase.ts';
import { receivePack } from '../transport/receive-pack.ts';
import { listRefs, readRef, setHead } from '../repository/refs.ts';
import { initRepository, copyToFork, removeRepository } from '../repository/repository-life.ts';
import { advertise, uploadPack } from '../transport/smart-http.ts';
import { statistics } from '../repository/statistics.ts';
import { streamArchive } from '../transport/stream-archive.ts';
import { streamBlob } from '../transport/stream-blob.ts';
import { findPath, readTree } from '../repository/trees.ts';
import { updateRefs } from '../repository/update-refs.ts';
import { writeTree } from '../repository/write-tree.ts';

/** The port on this machine's repositories, in this process. */
export function localGit(state: GitProcessState): Git {
  return {
    repository: (id) => localRepository(state, id),
    create: (id, defaultBranch) => initRepository(state, id, defaultBranch),
    fork: (sourceId, id, defaultBranch) => copyToFork(state, sourceId, id, defaultBranch),
    remove: (id) => removeRepository(state, id),
    close: () => closeGitState(state),
  };
}

function localRepository(state: GitProcessState, id: number): GitRepository {
  const here = gitDirectory(state, id);
  return {
    id,
    setHead: (branch) => setHead(here, branch),
    size: () => measure(here),
    async readRef(ref, when) {
      if (when === 'after-moves') await state.refMoves.ended(id);
      return readRef(here, ref);
    },
    listRefs: (prefix) => listRefs(here, prefix),
    updateRefs: (updates) => updateRefs(here, updates),
    resolveCommit: (revision) => resolveCommit(here, revision),
    objectInfo: (object) => objectInfo(here, object),
    readCommit: (object) => readCommit(here, object),
    readTag: (object) => readTag(here, object),
    readTree: (object, options) => readTree(here, object, options),
    findPath: (object, path) => findPath(here, object, path),
    readBlob: (object) => readBlob(here, object),
    streamBlob: (object) => streamBlob(here, object),
    streamArchive: (options) => streamArchive(here, options),
    writeBlob: (content) => writeBlob(here, content),
    writeBlobs: (contents) => writeBlobs(here, contents),
    writeTree: (base, changes) => writeTree(here, base, changes),
    writeCommit: (commit) => writeCommit(here, commit),
    writeTag: (tag) => writeTag(here, tag),
    log: (options) => log(here, options),
    countCommits: (from, notIn) => countCommits(here, from, notIn),
    divergences: (base, tips) => divergences(here, base, tips),
    grep: (commit, texts, seconds) => grep(here, commit, texts, seconds),
    blame: (commit, path) => blame(here, commit, path),
    lastCommits: (commit, folder) => lastCommits(here, commit, folder),
    containingRefs: (search) => containingRefs(here, search),
    contributors: (tip) => contributors(here, tip),
    statistics: (tip) => statistics(here, tip),
    mergeBase: (one, other) => mergeBase(here, one, other),
    isAncestor: (ancestor, descendant) => isAncestor(here, ancestor, descendant),
    diffFiles: (from, to, options) => ofDiff(diffFiles(here, from, to, options)),
    diffStat: (from, to) => ofDiff(diffStat(here, from, to)),
    diffText: (from, to) => ofDiff(diffText(here, from, to)),
    formatPatch: (exclude, include) => ofDiff(formatPatch(here, exclude, include)),
    mergeTrees: (ours, theirs) => mergeTrees(here, ours, theirs),
    rebase: (upstream, head, committer) => rebase(here, upstream, head, committer),
    testRebase: (upstream, head) => testRebase(here, upstream, head),
    fetchObjects: (sourceId, ids) => fetchObjects(here, gitDirectory(state, sourceId), ids),
    largeFilePointers: (head) => largeFilePointers(here, head),
    maintain: (kind) => maintain(here, kind),
    advertise: (service, protocol) => advertise(here, service, protocol),
    uploadPack: (request, protocol) => uploadPack(here, request, protocol),
    serveFetch: (request, protocol) => uploadPack(here, request, protocol, true),
    receivePack: (request, options, mayMove) =>
      holdReport((sendProgress) => receivePack(here, request, { options, sendProgress, mayMove })),
  };
}

/** A diff is too large to be shown: the error says so, not that git failed. */
async function ofDiff<T>(diff: Promise<T>): Promise<T> {
  try {
    return await diff;
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    throw new GitError('diff-limit', error.message, { cause: error });
  }
}
