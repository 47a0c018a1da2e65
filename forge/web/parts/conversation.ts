import type { Account } from '../../model/account.ts';
import type { Comment } from '../../model/comment.ts';
import type { StateReason } from '../../model/issue.ts';
import type { IssueEvent, IssueEventDetails } from '../../model/issue-event.ts';
import type { Minimizable } from '../../model/minimized.ts';
import type { Review, ReviewState } from '../../model/review.ts';
import { inTurns } from '#platform/in-turns.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import type { WebContext } from '../kit/web-context.ts';
import { type Editing, editForm, editLink, textId } from './editable-text.ts';
import { markdownView } from './markdown-view.ts';
import { labelMark } from './label-mark.ts';

/** What happened to an issue or pull, in the order of time. */
export interface Conversation {
  readonly comments: readonly Comment[];
  readonly reviews: readonly Review[];
  readonly events: readonly IssueEvent[];
  readonly accounts: ReadonlyMap<number, Account>;
  readonly teams: ReadonlyMap<number, string>;
}

/** Texts of an issue or pull, all together, whose page needs no slot of slow pages. */
const usualCharactersMax = 1024 * 1024;

/** Builds a page from texts; one with unusually long ones waits for a slot, so that no client takes the processor from all others. */
export function inSlotIfLong<T>(
  { inSlot }: Pick<WebContext, 'inSlot'>,
  texts: readonly (string | null)[],
  build: () => Promise<T>,
): Promise<T> {
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return characters > usualCharactersMax ? inSlot(build) : build();
}

export function conversationView(
  conversation: Conversation,
  editing: Editing,
  now: number,
): Promise<Html[]> {
  const { comments, reviews, events } = conversation;
  const items = [
    ...comments.map((comment) => ({
      at: comment.createdAt,
      view: () => commentView(comment, conversation, { editing, now }),
    })),
    ...reviews.map((review) => ({
      at: review.submittedAt ?? now,
      view: () => reviewView(review, conversation, { editing, now }),
    })),
    ...events.map((event) => ({
      at: event.createdAt,
      view: () => eventView(event, conversation, now),
    })),
  ];
  // The sort is stable: at equal times, a comment comes before its effects.
  const inOrder = items.toSorted((one, other) => one.at - other.at);
  return inTurns(inOrder, ({ view }) => view());
}

export function loginOf(accounts: ReadonlyMap<number, Account>, id: number | null): string {
  return (id === null ? undefined : accounts.get(id)?.login) ?? 'ghost';
}

/** A text of a person with its author and time. */
export function textCard(
  card: {
    readonly id: string;
    readonly author: string;
    readonly said: string;
    readonly at: number;
    /** Links of its header. */
    readonly acts?: Html;
  },
  body: Html,
  now: number,
): Html {
  return html`<article class="card" id="${card.id}">
    <header>
      <strong>${card.author}</strong>
      <span class="grow">${card.said} ${timeElement(card.at, now)}</span> ${card.acts}
    </header>
    <div class="body">${body}</div>
  </article>`;
}

/** A comment that is hidden is not shown until a reader opens it. */
export function orHidden({ minimizedReason }: Minimizable, body: Html): Html {
  if (minimizedReason === null) return body;
  return html`<details>
    <summary>This comment is hidden: ${minimizedReason}</summary>
    ${body}
  </details>`;
}

interface TextView {
  readonly editing: Editing;
  readonly now: number;
}

function commentView(
  comment: Comment,
  { accounts }: Conversation,
  { editing, now }: TextView,
): Html {
  const { authorId, body } = comment;
  const text = {
    id: textId('issuecomment', comment.id),
    kind: 'issuecomment',
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
  return textCard(
    card,
    editForm(text, editing) ?? orHidden(comment, markdownView(body, editing)),
    now,
  );
}

const reviewLines: Readonly<Record<ReviewState, { said: string; look: string }>> = {
  PENDING: { said: '● started a review, which only you can see yet,', look: 'waiting' },
  COMMENTED: { said: 'reviewed', look: '' },
  APPROVED: { said: '✓ approved', look: 'good' },
  CHANGES_REQUESTED: { said: '✗ requested changes', look: 'bad' },
  DISMISSED: { said: 'reviewed; the review was dismissed;', look: 'soft' },
};

function reviewView(review: Review, { accounts }: Conversation, { editing, now }: TextView): Html {
  const { said, look } = reviewLines[review.state];
  const author = loginOf(accounts, review.authorId);
  const at = review.submittedAt ?? now;
  const id = textId('review', review.id);
  if (review.body === '') {
    return html`<p class="event" id="${id}">
      <strong>${author}</strong> <span class="${look}">${said}</span> ${timeElement(at, now)}
    </p>`;
  }
  const text = { id, kind: 'review', authorId: review.authorId, body: review.body } as const;
  const card = { id, author, said, at, acts: editLink(text, editing) };
  return textCard(
    card,
    editForm(text, editing) ?? orHidden(review, markdownView(review.body, editing)),
    now,
  );
}

function eventView(event: IssueEvent, conversation: Conversation, now: number): Html {
  return html`<p class="event" id="event-${event.id}">
    <strong>${loginOf(conversation.accounts, event.actorId)}</strong>
    ${eventText(event.eventDetails, conversation)} ${timeElement(event.createdAt, now)}
  </p>`;
}

/** Completed is the usual one. */
function closeReason(reason: StateReason | undefined): string {
  return reason === undefined || reason === 'completed' ? '' : ` as ${reason.replace('_', ' ')}`;
}

function eventText(details: IssueEventDetails, { accounts, teams }: Conversation): Html {
  switch (details.event) {
    case 'labeled':
      return html`added the label ${labelMark(details.label)}`;
    case 'unlabeled':
      return html`removed the label ${labelMark(details.label)}`;
    case 'assigned':
      return html`assigned ${loginOf(accounts, details.assigneeId)}`;
    case 'unassigned':
      return html`unassigned ${loginOf(accounts, details.assigneeId)}`;
    case 'milestoned':
      return html`added this to the milestone ${details.milestoneTitle}`;
    case 'demilestoned':
      return html`removed this from the milestone ${details.milestoneTitle}`;
    case 'renamed':
      return html`changed the title from “${details.from}” to “${details.to}”`;
    case 'locked':
      return html`locked the conversation${details.reason === null ? '' : ` as ${details.reason}`}`;
    case 'unlocked':
      return html`unlocked the conversation`;
    case 'merged':
      return html`<span class="done">merged</span> this as
        <code>${details.commit.slice(0, 7)}</code>`;
    case 'closed':
      return details.commit === undefined
        ? html`<span class="bad">closed</span> this${closeReason(details.reason)}`
        : html`<span class="bad">closed</span> this by <code>${details.commit.slice(0, 7)}</code>`;
    case 'pinned':
      return html`pinned this`;
    case 'unpinned':
      return html`unpinned this`;
    case 'transferred':
      return html`transferred this from another repository`;
    case 'reopened':
      return html`<span class="good">reopened</span> this`;
    case 'review_requested':
      return html`requested a review from ${reviewer(details.reviewerId, details.teamId)}`;
    case 'review_request_removed':
      return html`removed the request for a review from
      ${reviewer(details.reviewerId, details.teamId)}`;
    case 'ready_for_review':
      return html`marked this as ready for review`;
    case 'convert_to_draft':
      return html`made this a draft`;
  }

  function reviewer(accountId: number | undefined, teamId: number | undefined): string {
    if (accountId !== undefined) return loginOf(accounts, accountId);
    return (teamId === undefined ? undefined : teams.get(teamId)) ?? 'a team';
  }
}
