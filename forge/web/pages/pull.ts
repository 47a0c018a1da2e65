import { notFound } from '../../errors/api-error.ts';
import { readPage } from '../../http/pagination.ts';
import { mergeability, headLabel, type Pull } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { mergeBaseOf, pullDiff, pullPatch } from '../../pulls/pull-diff.ts';
import { presentSize } from '../../pulls/diff-stat.ts';
import { scheduleMergeabilityCheck } from '../../pulls/mergeability.ts';
import { findPull } from '../../pulls/pull-store.ts';
import { positionsIn } from '../../review-comments/current-positions.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import { mayResolve } from '../../review-comments/resolve-thread.ts';
import { inTurns } from '#platform/in-turns.ts';
import { diffScript } from '#web/assets.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { problemView } from '#web/form.ts';
import { bytes, formPage, type WebResponse } from '#web/web-response.ts';
import { loadPull, type LoadedPull } from '../parts/load-pull.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { conversationView, inSlotIfLong, loginOf, textCard } from '../parts/conversation.ts';
import { type Editing, editedText, pageQuery } from '../parts/editable-text.ts';
import { viewedPaths } from '../../pulls/viewed-files.ts';
import { type DiffChoice, lineUrl, readDiffChoice } from '../kit/diff-choice.ts';
import type { FileChange } from '../../git/file-change.ts';
import type { ObjectId } from '../../git/names.ts';
import { diffView, shownDiff } from '../parts/diff-view.ts';
import { findReferences } from '../parts/references.ts';
import { markdownView } from '../parts/markdown-view.ts';
import { mergeBox } from '../parts/merge-box.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { changeForms, commentForm, pullSide, reviewForm, stateView } from '../parts/pull-views.ts';
import { commitList, repositoryHead } from '../parts/repository-views.ts';
import { hasSuggestion, suggestionOf, suggestionsForm } from '../parts/suggestion-view.ts';
import { outdatedThreads, readDiffLine, threadsInDiff, threadTexts } from '../parts/thread-view.ts';
import { splitFormat } from './commit.ts';

/** Commits on the page of a pull. */
const commitsMax = 250;

/** A pull with its conversation, checks and changes; `.diff` and `.patch` behind its number are what the interface gives. */
export async function showPull(
  context: RepositoryContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { ports, repository, git, caller } = context;
  const { name: text, format } = splitFormat(context.path['number'] ?? '');
  if (!/^[1-9]\d{0,14}$/.test(text)) return notFound();
  const number = Number(text);
  if (format !== undefined) {
    const found = await ports.database.read((sql) => findPull(sql, repository.id, number));
    const pull = found ?? notFound();
    return bytes(await (format === 'diff' ? pullDiff(git, pull) : pullPatch(git, pull)));
  }
  const pageNumber = readPage(context.query).number;
  const stored = await ports.database.read((sql) =>
    loadPull(sql, repository, number, caller, pageNumber),
  );
  const pull = { ...stored.pull, size: await presentSize(git, stored.pull) };
  const loaded = { ...stored, pull };
  if (pull.state === 'open' && mergeability(pull) === 'unknown') {
    scheduleMergeabilityCheck(ports, pull.id);
  }
  const pageUrl = new URL(context.urls.pullHtml(fullName(repository), pull.number)).pathname;
  const form =
    context.session &&
    createPageForm(pageUrl, context.session.secret, refused, pageQuery(pageNumber));
  const choice = readDiffChoice(context, pageUrl);
  const { comments, reviews } = loaded.conversation;
  const texts = [...comments, ...reviews, ...loaded.threads].map(({ body }) => body);
  const editing = {
    imageUrl: context.imageUrl,
    link: await findReferences(context, [pull.body, ...texts]),
    form,
    pageUrl,
    pageNumber,
    target: editedText(context.query, refused),
    viewerId: context.session?.account.id,
    permission: loaded.permission,
  };
  const build = async (): Promise<Html> =>
    html`<div class="columns">
        <div>${await conversation(loaded, context, editing)}</div>
        <aside aria-label="About this pull request">${pullSide(loaded, form)}</aside>
      </div>
      ${await changesView(loaded, context, { editing, refused, choice })}`;
  const parts = await inSlotIfLong(context, texts, build);
  const body = html`${repositoryHead(context)} ${headView(loaded, context)}
  ${problemView(form?.problemLeft())} ${parts}`;
  const title = `${pull.title} · ${fullName(repository)}#${pull.number}`;
  return {
    ...formPage(title, body, refused?.status),
    script: diffScript,
    cookies: choice.cookies,
  };
}

function headView(
  { pull, accounts }: LoadedPull,
  { repository, urls, now }: RepositoryContext,
): Html {
  const pageUrl = urls.pullHtml(fullName(repository), pull.number);
  const author = loginOf(accounts, pull.authorId);
  return html`<h2>${pull.title} <span class="soft">#${pull.number}</span></h2>
    <p>
      ${stateView(pull)} <strong>${author}</strong> ${pull.merge ? 'had' : 'wants to have'}
      ${counted(pull.size.commits, 'commit')} of <code>${headLabel(pull)}</code> merged into
      <code>${repository.owner.login}:${pull.base.ref}</code> · opened
      ${timeElement(pull.createdAt, now)} ${mergedView(pull)}
    </p>
    <p>
      <a href="#files">${counted(pull.size.changedFiles, 'file')}</a>
      <ins>+${pull.size.additions}</ins> <del>−${pull.size.deletions}</del> ·
      <a href="${pageUrl}.diff">diff</a> · <a href="${pageUrl}.patch">patch</a>
    </p>`;

  function mergedView({ merge }: Pull): Html {
    if (!merge) return html``;
    const link = urls.commitHtml(fullName(repository), merge.commit);
    return html`· merged ${timeElement(merge.at, now)} as
      <a href="${link}"><code>${merge.commit.slice(0, 7)}</code></a>`;
  }
}

async function conversation(
  loaded: LoadedPull,
  { git, repository, now }: RepositoryContext,
  editing: Editing,
): Promise<Html> {
  const { pull, accounts } = loaded;
  const { form } = editing;
  const card = {
    id: `pull-${pull.number}`,
    author: loginOf(accounts, pull.authorId),
    said: 'opened this',
    at: pull.createdAt,
  };
  const text =
    pull.body === null || pull.body === ''
      ? html`<p class="soft">No description.</p>`
      : markdownView(pull.body, editing);
  const conflicting = pull.state === 'open' && mergeability(pull) === 'conflicting';
  const merged = conflicting ? await git.mergeTrees(pull.base.sha, pull.head.sha) : undefined;
  const conflicts = merged?.kind === 'conflict' ? merged.paths : [];
  return html`${textCard(card, text, now)}
  ${pageLinks(editing.pageUrl, loaded.page, loaded.page.hasOlder)}
  ${await conversationView(loaded.conversation, editing, now)}
  ${mergeBox({ loaded, repository, conflicts, form })}
  ${form ? html`${commentForm(loaded, form)} ${changeForms(loaded, form)}` : signInHint}`;
}

const signInHint = html`<p class="empty">Sign in to comment, review or merge.</p>`;

async function changesView(
  loaded: LoadedPull,
  context: RepositoryContext,
  {
    editing,
    refused,
    choice,
  }: {
    readonly editing: Editing;
    readonly refused: RefusedForm | undefined;
    readonly choice: DiffChoice;
  },
): Promise<Html> {
  const { form, pageUrl } = editing;
  const { ports, repository, git, urls, query, caller, session, now } = context;
  const { pull, pending, threads, accounts, permission } = loaded;
  const range = { from: pull.head.sha, notIn: [pull.base.sha], max: commitsMax, reverse: true };
  const [commits, { mergeBaseSha, files }] = await Promise.all([
    git.log(range),
    changedFiles(pull, git, choice),
  ]);
  const viewed = session && {
    form: form ?? createPageForm(pageUrl, session.secret, undefined),
    paths: await viewedPaths(ports, session.account.id, pull.id, files),
  };
  const diff = { commitSha: pull.head.sha, mergeBaseSha, files };
  const shownThreads = {
    comments: threads,
    positions: threads.length === 0 ? new Map() : await positionsIn(git, threads, diff),
    accounts,
    now,
    urlWith: (more: Readonly<Record<string, string>>) => lineUrl(choice, more),
    commented:
      refused?.act === 'line-comment'
        ? diffLineIn(refused.fields)
        : readDiffLine(query.get('comment')),
    form,
    editing,
    mayApply: ({ reviewId }: ReviewComment) =>
      pull.state === 'open' && loaded.mayPushToHead && reviewId !== pending?.id,
    prefilled:
      query.get('suggest') === '1' ? suggestionOf(files, readDiffLine(query.get('comment'))) : '',
    mayResolve: caller.kind === 'user' && mayResolve(caller, pull, permission),
  };
  const threadView = { ...shownThreads, texts: await threadTexts(shownThreads) };
  const suggesting = await inTurns(threads, hasSuggestion);
  const location = {
    fullName: fullName(repository),
    sha: pull.head.sha,
    urls,
    git,
    colouring: context,
    changed: pull.size.changedFiles,
    choice,
    viewed,
    extras: threadsInDiff(threadView),
  };
  return html`<h2 id="commits">Commits</h2>
    ${commitList(commits, context)}
    ${outdatedThreads(threadView, choice.ignoreWhitespace ? 'Threads on lines that are not shown' : 'Outdated threads')}
    <h2 id="files">Files</h2>
    ${form ? html`<p class="soft">Follow the number of a line to comment on it.</p>` : ''}
    ${form && loaded.mayPushToHead && pull.state === 'open' && suggesting.includes(true) ? suggestionsForm(form) : ''}
    ${await diffView(files, location)} ${form ? reviewForm(loaded, form) : ''}`;
}

async function changedFiles(
  pull: Pull,
  git: RepositoryContext['git'],
  choice: DiffChoice,
): Promise<{ readonly mergeBaseSha: ObjectId | null; readonly files: readonly FileChange[] }> {
  const mergeBase = await mergeBaseOf(git, pull);
  const files = await git.diffFiles(mergeBase, pull.head.sha, shownDiff(choice));
  return { mergeBaseSha: mergeBase ?? null, files };
}

function diffLineIn(fields: URLSearchParams): ReturnType<typeof readDiffLine> {
  const side = fields.get('side') === 'LEFT' ? 'L' : 'R';
  return readDiffLine(`${fields.get('path') ?? ''}:${side}${fields.get('line') ?? ''}`);
}
