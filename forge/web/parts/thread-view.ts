import type { Account } from '../../model/account.ts';
import type { Side } from '../../model/diff-lines.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { CurrentPosition } from '../../review-comments/current-positions.ts';
import { inTurns } from '#platform/in-turns.ts';
import { textArea, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { loginOf, orHidden, textCard } from './conversation.ts';
import { type Editing, editForm, editLink, textId } from './editable-text.ts';
import { changing } from './discussion-side.ts';
import type { CommentedLine, LineExtras } from './diff-view.ts';
import { commentText } from './suggestion-view.ts';
import type { PageForm } from '#web/page-form.ts';

interface ThreadsView {
  readonly comments: readonly ReviewComment[];
  readonly positions: ReadonlyMap<number, CurrentPosition>;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly now: number;
  /** The URL of the page with more in its query. */
  readonly urlWith: (query: Readonly<Record<string, string>>) => string;
  /** The line whose form is open. */
  readonly commented: CommentedLine | undefined;
  /** undefined: the viewer may not comment. */
  readonly form: PageForm | undefined;
  readonly mayResolve: boolean;
  /** Whether the viewer may commit suggestions to the head branch, which still has their lines. */
  readonly mayApply: (comment: ReviewComment) => boolean;
  /** The text of the form that is open. */
  readonly prefilled: string;
  readonly editing: Editing;
  readonly texts: ThreadTexts;
}

/** By the ids of comments. */
type ThreadTexts = ReadonlyMap<number, Html>;

interface Thread {
  readonly root: ReviewComment;
  readonly replies: readonly ReviewComment[];
}

/** The texts of comments, with their suggestions. */
export async function threadTexts({
  comments,
  editing,
  positions,
  mayApply,
}: Omit<ThreadsView, 'texts'>): Promise<ThreadTexts> {
  const texts = await inTurns(comments, (comment) => {
    const applicable = positions.has(comment.id) && mayApply(comment);
    const { link, imageUrl } = editing;
    const text = commentText(comment, { link, imageUrl, applicable });
    return [comment.id, orHidden(comment, text)] as const;
  });
  return new Map(texts);
}

/** The threads at the lines of a diff, and the form of the line that a person chose. */
export function threadsInDiff(view: ThreadsView): LineExtras {
  const byLine = Map.groupBy(
    threadsOf(view.comments).filter(({ root }) => view.positions.has(root.id)),
    ({ root }) => keyOf(lineOf(root, view.positions)),
  );
  const chosen = view.commented && keyOf(view.commented);
  return {
    below(line) {
      const key = keyOf(line);
      const threads = byLine.get(key) ?? [];
      const open = key === chosen && view.form ? lineForm(view.form, line, view) : undefined;
      if (threads.length === 0 && open === undefined) return undefined;
      return html`${threads.map((thread) => threadView(thread, view))}${open}`;
    },
    href: view.form && ((line) => `${view.urlWith({ comment: keyOf(line) })}#line`),
  };
}

/** Threads whose lines are no longer in the diff. */
export function outdatedThreads(view: ThreadsView, title: string): Html {
  const outdated = threadsOf(view.comments).filter(({ root }) => !view.positions.has(root.id));
  if (outdated.length === 0) return html``;
  return html`<section class="thread" aria-labelledby="outdated">
    <h2 id="outdated">${title}</h2>
    ${outdated.map(
      (thread) =>
        html`<p><code>${thread.root.position.path}:${thread.root.position.line}</code></p>
          ${threadView(thread, view)}`,
    )}
  </section>`;
}

/** `src/a.ts:R12`, as the URL of the page names a line. */
export function readDiffLine(text: string | null): CommentedLine | undefined {
  const [, path, side, line] = /^(.+):([LR])(\d{1,9})$/s.exec(text ?? '') ?? [];
  if (path === undefined || line === undefined) return undefined;
  return { path, side: side === 'L' ? 'LEFT' : 'RIGHT', line: Number(line) };
}

function keyOf({ path, side, line }: CommentedLine): string {
  return `${path}:${side === 'LEFT' ? 'L' : 'R'}${line}`;
}

function lineOf(
  { id, position }: ReviewComment,
  positions: ReadonlyMap<number, CurrentPosition>,
): { path: string; side: Side; line: number } {
  return {
    path: position.path,
    side: position.side,
    line: positions.get(id)?.line ?? position.line,
  };
}

function threadsOf(comments: readonly ReviewComment[]): Thread[] {
  const replies = Map.groupBy(comments, ({ replyToId }) => replyToId);
  return (replies.get(null) ?? []).map((root) => ({ root, replies: replies.get(root.id) ?? [] }));
}

function threadView({ root, replies }: Thread, view: ThreadsView): Html {
  const { form, mayResolve } = view;
  const done = root.resolved !== undefined;
  const cards = [root, ...replies].map((comment) => commentCard(comment, view));
  const acts = form
    ? html`${changing('Reply', replyForm(form, root.id))}
      ${
        mayResolve
          ? form.row(
              done ? 'unresolve' : 'resolve',
              html`${hidden('thread', String(root.id))}<button type="submit">
                  ${done ? 'Unresolve' : 'Resolve'}
                </button>`,
              'line',
            )
          : ''
      }`
    : '';
  if (!done) return html`<div class="conversation">${cards}${acts}</div>`;
  return html`<details>
    <summary>✓ Resolved thread of ${loginOf(view.accounts, root.authorId)}</summary>
    ${cards}${acts}
  </details>`;
}

function commentCard(comment: ReviewComment, { accounts, editing, now, texts }: ThreadsView): Html {
  const { authorId, body } = comment;
  const text = {
    id: textId('review-comment', comment.id),
    kind: 'review-comment',
    authorId,
    body,
  } as const;
  const card = {
    id: text.id,
    acts: editLink(text, editing),
    author: loginOf(accounts, comment.authorId),
    said: 'commented',
    at: comment.createdAt,
  };
  return textCard(card, editForm(text, editing) ?? texts.get(comment.id) ?? html``, now);
}

/** Of the thread whose reply was refused, with the reason and the text; the others have no id, because there are many. */
function replyForm(form: PageForm, id: number): Html {
  const refused = form.value('thread') === String(id);
  const fields = html`${hidden('thread', String(id))}
    ${textArea({
      label: 'Reply',
      name: 'body',
      value: refused ? form.value('body') : '',
      required: true,
      prose: true,
    })} <button type="submit">Reply</button>`;
  return refused ? form.view('reply', fields) : form.row('reply', fields, 'fields');
}

function lineForm(
  form: PageForm,
  { path, side, line }: CommentedLine,
  { urlWith: addressWith, prefilled }: ThreadsView,
): Html {
  const comment = keyOf({ path, side, line });
  const suggest = `${addressWith({ comment, suggest: '1' })}#line`;
  return html`<div id="line">
    ${side === 'RIGHT' && prefilled === '' ? html`<p><a href="${suggest}">Suggest a change of this line</a></p>` : ''}
    ${form.view(
      'line-comment',
      html`${hidden('path', path)}${hidden('side', side)}${hidden('line', String(line))}
        ${textArea({
          label: `Comment on line ${line} of ${path}`,
          name: 'body',
          value: form.value('body', prefilled),
          required: true,
          prose: true,
        })}
        ${textField({
          label: 'First line, if the comment is on several',
          name: 'start_line',
          type: 'number',
          value: form.value('start_line'),
        })}
        <span class="actions">
          <button class="primary" type="submit" name="as" value="review">Add to your review</button>
          <button type="submit" name="as" value="comment">Comment at once</button>
        </span>`,
    )}
  </div>`;
}
