import { compare, meet } from '../../commits/compare.ts';
import { findSide, splitRange } from '../../commits/comparison-side.ts';
import { notFound, RefusalError } from '../../errors/api-error.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import type { Commit } from '../../git/git.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { textArea, textField } from '#web/fields.ts';
import { hidden, problemView, tokenFor } from '#web/form.ts';
import { diffScript } from '#web/assets.ts';
import { counted, html, type Html } from '#web/html.ts';
import { commitList, repositoryHead, titleOf } from '../parts/repository-views.ts';
import { readDiffChoice } from '../kit/diff-choice.ts';
import { diffView, shownFilesMax, shownDiff } from '../parts/diff-view.ts';
import { bytes, formPage, page, seeOther, type WebResponse } from '#web/web-response.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { splitFormat } from './commit.ts';
import { type ActContext, numberIn, textOf } from './discussion-acts.ts';

/** Commits on the page of a comparison. */
const commitsMax = 250;

/** A form of a new pull that was refused. */
interface Refused {
  readonly problem: string;
  readonly status: number;
  readonly fields: URLSearchParams;
}

/** Asks for two revisions, and leads to their comparison. */
export async function chooseComparison(context: RepositoryContext): Promise<WebResponse> {
  const { repository, urls, query } = context;
  const name = fullName(repository);
  const base = query.get('base')?.trim() ?? repository.defaultBranch;
  const head = query.get('head')?.trim() ?? '';
  if (base !== '' && head !== '') {
    return { kind: 'redirect', location: urls.compareHtml(name, `${base}...${head}`) };
  }
  return page(
    `${name}: compare`,
    html`${repositoryHead(context)}
      <h2>Compare</h2>
      <p>A branch, a tag or a commit each. For a branch of a fork: <code>OWNER:BRANCH</code>.</p>
      ${sidesForm(context, { base, head })}`,
  );
}

/** How one revision stands to another, and the form that opens a pull; `.diff` and `.patch` behind them are what the API gives. */
export async function showComparison(
  context: RepositoryContext,
  refused?: Refused,
): Promise<WebResponse> {
  const { ports, repository, caller, urls } = context;
  const { name: requested, format } = splitFormat(
    refused ? rangeOf(refused.fields) : (context.path['*'] ?? ''),
  );
  if (!requested.includes('..')) {
    const full = `${repository.defaultBranch}...${context.path['*'] ?? ''}`;
    const location = urls.compareHtml(fullName(repository), full);
    const query = context.query.size === 0 ? '' : `?${context.query.toString()}`;
    return { kind: 'redirect', location: `${location}${query}` };
  }
  const range = splitRange(requested) ?? notFound();
  const base = (await findSide(ports, repository, caller, range.base)) ?? notFound();
  const head = (await findSide(ports, repository, caller, range.head)) ?? notFound();
  const ends = await meet(ports, base, head);
  if (format === 'diff') return bytes(await ends.git.diffText(ends.mergeBase, ends.head));
  if (format === 'patch') return bytes(await ends.git.formatPatch(ends.base, ends.head));
  const pageUrl = urls.compareHtml(fullName(repository), requested);
  const choice = readDiffChoice(context, new URL(pageUrl).pathname);
  const comparison = await compare(ends, { offset: 0, size: commitsMax });
  const files = choice.ignoreWhitespace
    ? await ends.git.diffFiles(ends.mergeBase, ends.head, shownDiff(choice))
    : comparison.files;
  const name = fullName(repository);
  const offered = comparison.aheadBy > 0 && (await isBranch(context, range.base));
  const body = html`${repositoryHead(context)}
    <h2>${requested}</h2>
    ${sidesForm(context, range)}
    <p>
      ${comparison.status}: ${counted(comparison.aheadBy, 'commit')} ahead, ${comparison.behindBy}
      behind · <a href="${pageUrl}.diff">diff</a> · <a href="${pageUrl}.patch">patch</a>
    </p>
    ${offered ? newPullForm(context, range, comparison.commits, refused) : problemView(refused?.problem)}
    ${commitList(comparison.commits, context)}
    <h2 id="files">Files</h2>
    ${await diffView(files.slice(0, shownFilesMax), { fullName: name, sha: head.sha, urls, git: ends.git, colouring: context, choice })}`;
  return {
    ...formPage(`${name}: ${requested}`, body, refused?.status),
    script: diffScript,
    cookies: choice.cookies,
  };
}

function sidesForm(
  { repository, urls }: RepositoryContext,
  { base, head }: { readonly base: string; readonly head: string },
): Html {
  return html`<form
    class="line"
    method="get"
    action="${new URL(urls.repositoryHtml(fullName(repository))).pathname}/compare"
  >
    ${textField({ label: 'Base', name: 'base', value: base, required: true })}
    ${textField({ label: 'Compare', name: 'head', value: head, required: true })}
    <button type="submit">Compare</button>
  </form>`;
}

async function isBranch({ git }: RepositoryContext, text: string): Promise<boolean> {
  const branch = parseBranchName(text);
  return branch !== undefined && (await git.readRef(branchRef(branch))) !== undefined;
}

function newPullForm(
  { repository, session, urls, query }: RepositoryContext,
  { base, head }: { readonly base: string; readonly head: string },
  commits: readonly Commit[],
  refused: Refused | undefined,
): Html {
  if (!session) return html`<p class="empty">Sign in to open a pull request.</p>`;
  const [only, ...others] = commits;
  const title = only && others.length === 0 ? titleOf(only) : head.replace(/^.*:/, '');
  const text =
    only && others.length === 0 ? only.message.split('\n').slice(1).join('\n').trim() : '';
  // Links fill in the form, as those of gh do.
  const value = (field: string, otherwise: string): string =>
    (refused?.fields ?? query).get(field) ?? otherwise;
  return html`<section class="card" aria-labelledby="open-pull">
    <header><h2 id="open-pull">Open a pull request</h2></header>
    <div class="body">
      <form
        class="fields"
        method="post"
        action="${new URL(urls.repositoryHtml(fullName(repository))).pathname}/pulls"
      >
        ${tokenFor(session.secret)} ${problemView(refused?.problem)} ${hidden('base', base)}
        ${hidden('head', head)}
        ${textField({
          label: 'Title',
          name: 'title',
          value: value('title', title),
          maxLength: 256,
          required: true,
          prose: true,
        })}
        ${textArea({
          label: 'Description, in Markdown',
          name: 'body',
          value: value('body', text),
          prose: true,
        })}
        <span class="actions">
          <button class="primary" type="submit" name="as" value="ready">Open</button>
          <button type="submit" name="as" value="draft">Open as a draft</button>
        </span>
      </form>
    </div>
  </section>`;
}

/** Opens a pull, and leads to it. */
export function submitNewPull(perform: Perform): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { form, repository, urls } = context;
    const at = { owner: repository.owner.login, repo: repository.name };
    try {
      const reply = await perform(context, 'pulls/create', at, {
        base: form.get('base') ?? '',
        head: form.get('head') ?? '',
        title: form.get('title') ?? '',
        body: textOf(form, 'body'),
        draft: form.get('as') === 'draft',
      });
      const number = reply.kind === 'json' ? numberIn(reply.body, 'number') : undefined;
      if (number === undefined) throw new Error('pulls/create returned no number');
      return seeOther(urls.pullHtml(fullName(repository), number));
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      const { status } = renderRefusal(error.refusal);
      return showComparison(context, {
        problem: refusalSentence(error.refusal),
        status,
        fields: form,
      });
    }
  };
}

function rangeOf(fields: URLSearchParams): string {
  return `${fields.get('base') ?? ''}...${fields.get('head') ?? ''}`;
}
