import type { SignImageUrl } from '../../http/images/image-url.ts';
import { atLeast, type Permission } from '../../model/permission.ts';
import type { RefusedForm, PageForm } from '#web/page-form.ts';
import { textArea } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { LinkText } from './references.ts';
import { changing } from './discussion-side.ts';

/** Who may edit the texts of a page, and which of them is open for it. */
export interface Editing {
  /** Links what the texts of the page name. */
  readonly link: LinkText;
  readonly imageUrl: SignImageUrl;
  readonly form: PageForm | undefined;
  /** The URL of the page, without a query. */
  readonly pageUrl: string;
  /** Which page of the conversation it is. */
  readonly pageNumber: number;
  /** The id of the text that is open, `issuecomment-1`. */
  readonly target: string | undefined;
  readonly viewerId: number | undefined;
  readonly permission: Permission;
}

/** The query of a page of a conversation, with a text that is open there; the first page has none by itself. */
export function pageQuery(pageNumber: number, edited?: string): string {
  const query = new URLSearchParams();
  if (pageNumber !== 1) query.set('page', String(pageNumber));
  if (edited !== undefined) query.set('edit', edited);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** The text that the URL names, or whose form was refused. */
export function editedText(
  query: URLSearchParams,
  refused: RefusedForm | undefined,
): string | undefined {
  if (refused?.act === 'edit-text') return refused.fields.get('target') ?? undefined;
  return query.get('edit') ?? undefined;
}

/** What the forms of texts are about. */
export type TextKind = 'issuecomment' | 'review-comment' | 'review';

const prefixes: Readonly<Record<TextKind, string>> = {
  issuecomment: 'issuecomment-',
  'review-comment': 'discussion_r',
  review: 'pullrequestreview-',
};

/** The id of a text on its page, which `html_url` of the API names as well. */
export function textId(kind: TextKind, id: number): string {
  return `${prefixes[kind]}${id}`;
}

export function readTextId(text: string | null): { kind: TextKind; id: string } | undefined {
  const [, prefix, id] =
    /^(issuecomment-|discussion_r|pullrequestreview-)([1-9]\d{0,14})$/.exec(text ?? '') ?? [];
  if (id === undefined) return undefined;
  const kind =
    prefix === 'issuecomment-'
      ? 'issuecomment'
      : prefix === 'discussion_r'
        ? 'review-comment'
        : 'review';
  return { kind, id };
}

interface Text {
  readonly id: string;
  readonly kind: TextKind;
  readonly authorId: number | null;
  readonly body: string;
}

/** The link that opens the form of a text; nothing for those who may not edit it. */
export function editLink(text: Text, editing: Editing): Html {
  if (!mayEdit(text, editing)) return html``;
  const { pageUrl, pageNumber } = editing;
  return html`<a
    href="${pageUrl}${pageQuery(pageNumber, text.id)}#${text.id}"
    aria-label="Edit the text of ${text.id}"
    >Edit</a
  >`;
}

/** The form of the text that is open, below which it can be deleted; undefined for others. */
export function editForm(text: Text, editing: Editing): Html | undefined {
  const { form, target } = editing;
  if (!form || target !== text.id || !mayEdit(text, editing)) return undefined;
  return html`${form.view(
    'edit-text',
    html`${hidden('target', text.id)} ${form.version('text_version', [text.id, text.body])}
      ${presentText(text, form)}
      ${textArea({
        label: 'Text, in Markdown',
        name: 'text',
        value: form.value('text', text.body),
        required: true,
        prose: true,
      })}
      <span class="actions">
        <button class="primary" type="submit">Save</button>
        <a href="${editing.pageUrl}${pageQuery(editing.pageNumber)}#${text.id}">Cancel</a>
      </span>`,
  )}
  ${
    text.kind === 'review'
      ? ''
      : changing(
          'Delete',
          form.view(
            'delete-text',
            html`${hidden('target', text.id)}
              <button class="danger" type="submit">Delete this comment for good</button>`,
            'line',
          ),
        )
  }`;
}

/** Next to what was written, where that was refused. */
function presentText({ body }: Text, form: PageForm): Html {
  if (form.value('text', body) === body) return html``;
  return html`<details>
    <summary>The present text</summary>
    <pre tabindex="0">${body}</pre>
  </details>`;
}

/** As the operations of the API decide: the author, and for comments people with write access. */
function mayEdit({ kind, authorId }: Text, { form, viewerId, permission }: Editing): boolean {
  if (!form || viewerId === undefined) return false;
  return authorId === viewerId || (kind !== 'review' && atLeast(permission, 'write'));
}
