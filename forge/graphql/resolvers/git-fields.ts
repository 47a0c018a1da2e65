import { nodeId } from '../../json/node-id.ts';
import { type BranchProtection, contextsOf } from '../../branches/protection-rules.ts';
import { findRules } from '../../branches/protection-store.ts';
import type { AnnotatedTag, Ref, TreeEntry } from '../../git/git.ts';
import { branchOf, type RefName } from '../../git/names.ts';
import { inlineBytesMax } from '../../git-data/read-blob.ts';
import { atLeast } from '../../model/permission.ts';
import { protectedMoveDenial } from '../../ref-updates/protection-checks.ts';
import { type Arguments, optionalObject, optionalText, textArgument } from '../engine/arguments.ts';
import { type Connection, connectList } from '../engine/connection.ts';
import { objectFields, objectId } from './commit-fields.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import { findRef, inGit, isShown, objectNamed, findObjectSource } from './git-objects.ts';
import type { ObjectSource, RefSource, RepositorySource } from './sources.ts';

/** The fields of a repository that read its objects and refs. */
const repositoryFields: Fields<RepositorySource> = {
  ref: async (source, values, context) => {
    await context.access({ id: source.repository.id }, 'git/get-ref');
    return findRef(source, textArgument(values, 'qualifiedName'), context);
  },
  refs: refsOf,
  object: async (source, values, context) => {
    await context.access({ id: source.repository.id }, 'repos/get-content');
    const id = objectId(optionalText(values, 'oid'));
    if (id) return findObjectSource(source, id, context);
    const expression = optionalText(values, 'expression');
    return expression === undefined ? null : objectNamed(source, expression, context);
  },
};

function refsOf(
  at: RepositorySource,
  values: Arguments,
  context: GraphqlContext,
): Connection<RefSource> {
  const prefix = textArgument(values, 'refPrefix');
  const wanted = optionalText(values, 'query')?.toLowerCase();
  const order = optionalObject(values, 'orderBy') ?? {};
  const descending =
    (optionalText(order, 'direction') ?? optionalText(values, 'direction')) === 'DESC';
  const list = async (): Promise<RefSource[]> => {
    await context.access({ id: at.repository.id }, 'git/list-matching-refs');
    const full = prefix.endsWith('/') ? prefix : `${prefix}/`;
    if (!isShown(full) && full !== 'refs/') return [];
    const refs = await inGit(at, context, (git) => git.listRefs(full));
    const found = refs.filter(
      ({ name }) =>
        isShown(name) &&
        (wanted === undefined || name.slice(full.length).toLowerCase().includes(wanted)),
    );
    const byDate = optionalText(order, 'field') === 'TAG_COMMIT_DATE';
    const ordered = byDate ? await orderedByDate(at, found, context) : found;
    return (descending ? ordered.toReversed() : ordered).map(({ name, id, type }): RefSource => ({
      typeName: 'Ref',
      at,
      name,
      id,
      type,
    }));
  };
  return connectList('refs', values, list, ({ name }) => name);
}

/** Oldest commit first. */
async function orderedByDate(
  at: RepositorySource,
  refs: readonly Ref[],
  context: GraphqlContext,
): Promise<Ref[]> {
  const dates = await inGit(at, context, (git) =>
    Promise.all(refs.map(async ({ peeled }) => (await git.readCommit(peeled))?.committer.seconds)),
  );
  return refs
    .map((ref, index) => ({ ref, date: dates[index] ?? 0 }))
    .toSorted((one, other) => one.date - other.date)
    .map(({ ref }) => ref);
}

const refFields: Fields<RefSource> = {
  id: ({ at, name }) => nodeId('Ref', `${at.repository.id}:${name}`),
  name: ({ name }) => name.slice(prefixOf(name).length),
  prefix: ({ name }) => prefixOf(name),
  repository: ({ at }) => at,
  target: ({ at, id }, _values, context) => findObjectSource(at, id, context),
  branchProtectionRule: async (source, _values, context) => {
    const rules = atLeast(source.at.permission, 'admin')
      ? await rulesOf(source, context)
      : undefined;
    return rules ? { repositoryId: source.at.repository.id, rules } : null;
  },
  refUpdateRule: async (source, _values, context) => {
    const rules = await rulesOf(source, context);
    if (!rules) return null;
    const { ports, request } = context;
    const movement = { ref: source.name, how: 'fast-forward' } as const;
    const denial = await ports.database.read((sql) =>
      protectedMoveDenial(sql, source.at.repository.id, request.caller, movement),
    );
    const viewerCanPush = denial === undefined && atLeast(source.at.permission, 'write');
    return { rules, viewerCanPush };
  },
};

function prefixOf(name: RefName): string {
  return name.startsWith('refs/tags/') ? 'refs/tags/' : 'refs/heads/';
}

async function rulesOf(
  { at, name }: RefSource,
  { ports }: GraphqlContext,
): Promise<BranchProtection | undefined> {
  const branch = branchOf(name);
  if (branch === undefined) return undefined;
  return ports.database.read((sql) => findRules(sql, at.repository.id, branch));
}

interface RuleSource {
  readonly repositoryId: number;
  readonly rules: BranchProtection;
}

const ruleFields: Fields<RuleSource> = {
  id: ({ repositoryId, rules }) =>
    nodeId('BranchProtectionRule', `${repositoryId}:${rules.branch}`),
  pattern: ({ rules }) => rules.branch,
  allowsDeletions: ({ rules }) => rules.allowDeletions,
  allowsForcePushes: ({ rules }) => rules.allowForcePushes,
  dismissesStaleReviews: ({ rules }) => rules.reviews?.dismissStale ?? false,
  isAdminEnforced: ({ rules }) => rules.enforceAdmins,
  requiredApprovingReviewCount: ({ rules }) => rules.reviews?.approvals ?? null,
  requiredStatusCheckContexts: ({ rules }) => contextsOf(rules.statusChecks?.checks ?? []),
  requiresApprovingReviews: ({ rules }) => rules.reviews !== undefined,
  requiresStatusChecks: ({ rules }) => rules.statusChecks !== undefined,
  requiresStrictStatusChecks: ({ rules }) => rules.statusChecks?.strict ?? false,
};

const updateRuleFields: Fields<{
  readonly rules: BranchProtection;
  readonly viewerCanPush: boolean;
}> = {
  pattern: ({ rules }) => rules.branch,
  allowsDeletions: ({ rules }) => rules.allowDeletions,
  allowsForcePushes: ({ rules }) => rules.allowForcePushes,
  requiredApprovingReviewCount: ({ rules }) => rules.reviews?.approvals ?? null,
  requiredStatusCheckContexts: ({ rules }) => contextsOf(rules.statusChecks?.checks ?? []),
  requiresCodeOwnerReviews: always(false),
  viewerCanPush: ({ viewerCanPush }) => viewerCanPush,
};

const treeFields: Fields<ObjectSource> = {
  ...objectFields('Tree', ({ id }: ObjectSource) => id),
  entries: async ({ at, id }, _values, context) => {
    const tree = await inGit(at, context, (git) => git.readTree(id));
    return tree?.entries.map((entry) => ({ at, entry })) ?? [];
  },
};

const treeEntryFields: Fields<{ readonly at: RepositorySource; readonly entry: TreeEntry }> = {
  name: ({ entry }) => entry.path,
  path: ({ entry }) => entry.path,
  mode: ({ entry }) => Number.parseInt(entry.mode, 8),
  type: ({ entry }) => entry.type,
  oid: ({ entry }) => entry.id,
  object: ({ at, entry }, _values, context) =>
    entry.type === 'commit' ? null : findObjectSource(at, entry.id, context),
};

const blobFields: Fields<ObjectSource> = {
  ...objectFields('Blob', ({ id }: ObjectSource) => id),
  byteSize: ({ size }) => size,
  isTruncated: ({ size }) => size > inlineBytesMax,
  isBinary: async (source, _values, context) => {
    const content = await contentOf(source, context);
    return content === undefined ? null : content.includes(0);
  },
  text: async (source, _values, context) => {
    const content = await contentOf(source, context);
    return content === undefined || content.includes(0) ? null : content.toString('utf8');
  },
};

/** undefined for blobs that are too large to hold in memory. */
async function contentOf(
  { at, id, size }: ObjectSource,
  { loaders }: GraphqlContext,
): Promise<Buffer | undefined> {
  if (size > inlineBytesMax) return undefined;
  return loaders.blob({ at, id });
}

const tagFields: Fields<ObjectSource> = {
  ...objectFields('Tag', ({ id }: ObjectSource) => id),
  name: async (source, _values, context) => (await tagOf(source, context))?.tag ?? '',
  message: async (source, _values, context) => (await tagOf(source, context))?.message ?? null,
  tagger: async (source, _values, context) => (await tagOf(source, context))?.tagger ?? null,
  target: async (source, _values, context) => {
    const tag = await tagOf(source, context);
    return tag ? findObjectSource(source.at, tag.object, context) : null;
  },
};

function tagOf(
  { at, id }: ObjectSource,
  context: GraphqlContext,
): Promise<AnnotatedTag | undefined> {
  return inGit(at, context, (git) => git.readTag(id));
}

/** Resolvers of git's refs and objects; those of `Repository` belong to its others. */
export const gitResolvers: Resolvers = {
  Repository: repositoryFields,
  Ref: refFields,
  BranchProtectionRule: ruleFields,
  RefUpdateRule: updateRuleFields,
  Tree: treeFields,
  TreeEntry: treeEntryFields,
  Blob: blobFields,
  Tag: tagFields,
};
