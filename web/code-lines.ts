import { escapeText, html, type Html, trusted } from './html.ts';

interface CodeLines {
  /** The number of the first line. */
  readonly first?: number;
  /** As the highlighter marked them; undefined: without colours. */
  readonly highlighted?: readonly string[] | undefined;
  readonly chosen?: { readonly from: number; readonly to: number } | undefined;
}

/** Lines of code, each with an id and a link to it. The numbers are not copied with the text. */
export function codeLines(
  lines: readonly string[],
  { first = 1, highlighted, chosen }: CodeLines = {},
): Html {
  // Keyboard users reach the text at once, not after a link for every line.
  const spans = lines.map((line, index) => {
    const number = first + index;
    const marked = chosen && number >= chosen.from && number <= chosen.to;
    const attributes = `id="L${number}"${marked ? ' class="chosen"' : ''}`;
    // In one piece: every space would be seen, and a file has thousands of lines.
    return `<span ${attributes}><a href="#L${number}" tabindex="-1">${number}</a>${highlighted?.[index] ?? escapeText(line)}</span>`;
  });
  return html`<pre class="lines" tabindex="0">${trusted(spans.join(''))}</pre>`;
}

/** A text by its lines, without the one after its last line break. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
