import { invalidLogsParameter } from './logs-operation.ts';
import { readJsonPattern, invalidCharacter, readQuoted, type LogFilter } from './json-pattern.ts';

/**
 * Reads a filter pattern of CloudWatch Logs ("Filter pattern syntax" in its user guide): terms and quoted phrases that a message
 * must contain, `-` before those that it must not, `?` before those of which one is enough, or a pattern over JSON in braces.
 * Patterns in brackets and regular expressions are refused.
 */
export function readFilterPattern(pattern: string): LogFilter {
  const text = pattern.trim();
  if (text === '') return () => true;
  if (text.startsWith('{')) return readJsonPattern(text);
  if (text.startsWith('[')) {
    throw invalidLogsParameter(
      'Space-delimited filter patterns are not supported by this server. Use terms, or a pattern over JSON in braces.',
    );
  }
  return termFilter(readTerms(text));
}

interface Term {
  readonly kind: 'required' | 'optional' | 'excluded';
  readonly text: string;
}

function termFilter(terms: readonly Term[]): LogFilter {
  const of = (kind: Term['kind']): string[] =>
    terms.filter((term) => term.kind === kind).map(({ text }) => text);
  const required = of('required');
  const excluded = of('excluded');
  // Together with other terms, optional ones are ignored (user guide).
  const optional = required.length + excluded.length === 0 ? of('optional') : [];
  return (message) =>
    required.every((term) => message.includes(term)) &&
    !excluded.some((term) => message.includes(term)) &&
    (optional.length === 0 || optional.some((term) => message.includes(term)));
}

const modifiers: Readonly<Record<string, Term['kind']>> = { '?': 'optional', '-': 'excluded' };

function readTerms(pattern: string): Term[] {
  const terms: Term[] = [];
  let at = 0;
  while (at < pattern.length) {
    if (/\s/.test(pattern.charAt(at))) {
      at += 1;
      continue;
    }
    const kind = modifiers[pattern.charAt(at)] ?? 'required';
    if (kind !== 'required') at += 1;
    const { text, end } =
      pattern.charAt(at) === '"' ? readQuoted(pattern, at) : readWord(pattern, at);
    terms.push({ kind, text });
    at = end;
  }
  return terms;
}

function readWord(pattern: string, start: number): { text: string; end: number } {
  const text = /^[^\s"]*/.exec(pattern.slice(start))?.[0] ?? '';
  if (text.startsWith('%')) {
    throw invalidLogsParameter(
      'Regular expressions in filter patterns are not supported by this server.',
    );
  }
  const wrong = /[^\p{L}\p{N}_]/u.exec(text)?.[0] ?? (text === '' ? pattern.charAt(start) : '');
  if (wrong !== '' || text === '') throw invalidCharacter(wrong);
  return { text, end: start + text.length };
}
