/** Where a text is written: lines are folded at the first space behind column 80. */
export interface Position {
  readonly column: number;
  /** Of the lines that follow. */
  readonly indent: number;
  /** Keys never do. */
  readonly folds: boolean;
}

/** The lines of a text in YAML 1.2: bare where it reads as itself, else in quotes. */
export function yamlString(text: string, position: Position): string[] {
  if (isPlain(text)) return foldedAtSpaces(text, position, (line) => line);
  if (isSingleQuotable(text)) {
    const [first = '', ...rest] = foldedAtSpaces(`'${text}'`, position, (line) => line);
    return [first, ...rest];
  }
  return doubleQuoted(text, position);
}

function isPlain(text: string): boolean {
  return (
    text !== '' &&
    !/^ | $/.test(text) &&
    !special.test(text) &&
    !/^[#,[\]{}&*!|>'"%@`]|^[-?:](\s|$)|^---|^\.\.\.|:(\s|$)|\s#/.test(text) &&
    !readsAsAnotherType.test(text)
  );
}

const isSingleQuotable = (text: string): boolean => !special.test(text) && !text.includes("'");

/** Line ends, control characters, halves of pairs, and what changes the direction of writing. */
const special =
  /[^\u0020-\u007E\u00A0-\u{10FFFF}]|[\u2028\u2029\uFEFF\uFFFE\uFFFF\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\p{Cs}/u;

/** Booleans, null, numbers, dates, and the two indicators of a merge and a default value. */
const readsAsAnotherType = new RegExp(
  `^(?:${[
    'true|True|TRUE|false|False|FALSE|null|Null|NULL|~|<<|=',
    String.raw`[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+`,
    String.raw`[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)`,
    '[-+]?0b[0-1_]+|[-+]?0o?[0-7_]+|[-+]?[0-9_]+|[-+]?0x[0-9a-fA-F_]+',
    String.raw`[0-9]{4}-[0-9]{2}-[0-9]{2}`,
    String.raw`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?`,
  ].join('|')})$`,
);

/** Characters of a line of YAML before it is folded. */
const widthMax = 80;

/** A single space behind the width becomes a line end, which reads as a space again. */
function foldedAtSpaces(
  text: string,
  { column, indent, folds }: Position,
  finish: (line: string) => string,
): string[] {
  const lines: string[] = [];
  let line = '';
  let start = column;
  for (const [index, piece] of text.split(/(?<! ) (?! )/).entries()) {
    if (index > 0 && folds && start + line.length > widthMax) {
      lines.push(finish(line));
      line = piece;
      start = indent;
    } else line = index === 0 ? piece : `${line} ${piece}`;
  }
  return [...lines, finish(line)];
}

/** Escapes can stand here; a line end after a backslash adds nothing to the text. */
function doubleQuoted(text: string, { column, indent, folds }: Position): string[] {
  const characters = Array.from(text, escapedCharacter);
  const lines: string[] = [];
  let line = '"';
  let start = column;
  for (const [index, character] of characters.entries()) {
    const breakable = index > 0 && index < characters.length - 1 && character === ' ';
    if (folds && breakable && start + line.length > widthMax) {
      lines.push(`${line}\\`);
      // The space would be taken for indentation.
      line = '\\ ';
      start = indent;
    } else line += character;
  }
  return [...lines, `${line}"`];
}

function escapedCharacter(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  if (!special.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase();
  return code <= 0xff ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

const shortEscapes = new Map([
  ['\0', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001B', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);
