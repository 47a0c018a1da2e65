import MarkdownIt, { type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';

let made: MarkdownIt | undefined;

/**
 * The library with the rules of GitHub, made for the first text: no start needs it. HTML in the source is written anew
 * (markup-html.ts), and links allow only what the library takes for safe.
 */
export function markdownLibrary(): MarkdownIt {
  made ??= new MarkdownIt({ html: true, linkify: true })
    .use(limitNesting)
    .use(footnotes)
    .use(alignCells)
    .use(addTaskLists)
    .use(addAlerts)
    .use(linkForeignImages);
  return made;
}

/** Links, images and other parts of a line inside of each other, as CommonMark's own preset of the library has it. */
const inlineNestingMax = 20;
/** Lists and quotations inside of each other count as two and one. */
const blockNestingMax = 100;

/** The library tries each bracket at each level: a long text of brackets would hold up the process for as many times as there are levels. */
function limitNesting(markdown: MarkdownIt): void {
  const set = (maxNesting: number) => (): void => {
    Object.assign(markdown.options, { maxNesting });
  };
  markdown.core.ruler.before('block', 'block_nesting', set(blockNestingMax));
  markdown.core.ruler.before('inline', 'inline_nesting', set(inlineNestingMax));
}

/** As GitHub does: the policy of pages refuses the inline style that the library writes. */
function alignCells(markdown: MarkdownIt): void {
  markdown.core.ruler.push('cell_alignment', ({ tokens }) => {
    for (const token of tokens) {
      const [, side] = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '') ?? [];
      if (side === undefined) continue;
      token.attrs = [...(token.attrs ?? []).filter(([name]) => name !== 'style'), ['align', side]];
    }
  });
}

/** As GitHub does: `- [x] done` is a box. */
function addTaskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.push('task_lists', (state) => {
    const { tokens } = state;
    for (const [index, token] of tokens.entries()) {
      const [item, paragraph] = [tokens[index - 2], tokens[index - 1]];
      if (token.type !== 'inline' || paragraph?.type !== 'paragraph_open') continue;
      if (item?.type !== 'list_item_open') continue;
      const [text] = token.children ?? [];
      const [mark, sign] = /^\[([ xX])\](?: |$)/.exec(text?.content ?? '') ?? [];
      if (text?.type !== 'text' || mark === undefined) continue;
      text.content = text.content.slice(mark.length);
      item.attrJoin('class', 'task-list-item');
      const box = new state.Token('task_box', 'input', 0);
      box.meta = { done: sign !== ' ' };
      token.children?.unshift(box);
    }
  });
  markdown.renderer.rules['task_box'] = (tokens, index) => {
    const done: unknown = tokens[index]?.meta?.done;
    const attributes =
      done === true ? 'aria-label="Completed task" checked ' : 'aria-label="Incomplete task" ';
    return `<input type="checkbox" class="task-list-item-checkbox" ${attributes}disabled> `;
  };
}

/** Of one that is in no other. */
function endOfQuotation(tokens: readonly Token[], from: number): Token | undefined {
  // Not a search from the first token: a text can have tens of thousands.
  for (let at = from + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.type === 'blockquote_close' && token.level === 0) return token;
  }
  return undefined;
}

/** As GitHub does: a quotation that begins with a line `[!NOTE]` is an alert. */
function addAlerts(markdown: MarkdownIt): void {
  markdown.core.ruler.push('alerts', (state) => {
    const { tokens } = state;
    for (const [index, token] of tokens.entries()) {
      const inline = tokens[index + 2];
      if (token.type !== 'blockquote_open' || token.level !== 0 || inline?.type !== 'inline')
        continue;
      const [first, second] = inline.children ?? [];
      const name = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/.exec(first?.content ?? '')?.[1];
      if (first?.type !== 'text' || name === undefined || second?.type !== 'softbreak') continue;
      inline.children?.splice(0, 2);
      token.type = 'alert_open';
      token.tag = 'div';
      token.attrSet('class', `markdown-alert markdown-alert-${name.toLowerCase()}`);
      token.meta = { title: titleOfAlert(name) };
      const end = endOfQuotation(tokens, index);
      if (end) end.tag = 'div';
    }
  });
  markdown.renderer.rules['alert_open'] = (tokens, index, options, _environment, self) => {
    const title: unknown = tokens[index]?.meta?.title;
    return `${self.renderToken(tokens, index, options)}<p class="markdown-alert-title">${String(title)}</p>\n`;
  };
}

function linkForeignImages(markdown: MarkdownIt): void {
  markdown.renderer.rules['foreign_image'] = (tokens, index) => {
    const { escapeHtml } = markdown.utils;
    const token = tokens[index];
    const href: unknown = token?.meta?.href;
    const text = escapeHtml(token?.content || 'image');
    if (typeof href !== 'string') return text;
    return `<a href="${escapeHtml(href)}" rel="nofollow">${text}</a>`;
  };
}

function titleOfAlert(name: string): string {
  return name.charAt(0) + name.slice(1).toLowerCase();
}
