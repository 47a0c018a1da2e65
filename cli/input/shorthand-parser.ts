import { inputMap, type InputMap, type InputValue } from '../validation/input-value.ts';

/** What stands behind `@=`: `file://` and `fileb://` become what the file holds, all else stays. */
type ReadFile = (value: string) => string | Uint8Array;

/**
 * `Key=value,Key=[a,b],Key={A=1}`. Purely by syntax: one value is a text, several are a list, and the shape decides later
 * what they mean. Mistakes are ShorthandProblems.
 */
export function parseShorthand(input: string, readFile: ReadFile): InputMap {
  return new ShorthandParser(input, readFile).parameter();
}

const keyLetters = /[A-Za-z0-9\-_.#/:]*/y;

/**
 * A bare word starts with none of `"',=[{`. The first value of a key may hold `=`, `[` and `{` further on but ends at `]` and
 * `}`; values after a comma may hold `]` and `}` but no `=`, so that `A=1,B=2` are two keys.
 */
const firstWord = /(?:\\,|[!#-&(-+\--<>-Z\\-z|-\uffff])(?:\\,|[\s!#-&(-+\--\\^-|~-\uffff])*/y;

const furtherWord = /(?:\\,|[!#-&(-+\--<>-Z\\-z|-\uffff])(?:\\,|[\s!#-&(-+\--<>-\uffff])*/y;

const blanks = /[ \t\n\r\v\f]*/y;

/** Depth of a shorthand parameter. */
const depthMax = 200;

class ShorthandParser {
  readonly #input: string;
  readonly #readFile: ReadFile;
  #index = 0;
  #depth = 0;

  constructor(input: string, readFile: ReadFile) {
    this.#input = input;
    this.#readFile = readFile;
  }

  parameter(): InputMap {
    const map = inputMap();
    for (let afterComma = 0; ;) {
      const key = this.#key();
      const fromFile = this.#assignment();
      const value = this.#values(fromFile);
      if (Object.hasOwn(map, key)) throw secondInstance(this.#input, key, afterComma);
      map[key] = value;
      if (this.#atEnd()) return map;
      afterComma = this.#index + 1;
      this.#expect(',');
    }
  }

  #key(): string {
    return this.#match(keyLetters) ?? '';
  }

  /** Whether the value may come from a file. */
  #assignment(): boolean {
    this.#skipBlanks();
    const fromFile = this.#current() === '@';
    if (fromFile) this.#index += 1;
    this.#expect('=');
    return fromFile;
  }

  #values(fromFile: boolean): InputValue {
    if (this.#atEnd()) return '';
    const first = this.#current();
    if (first === '[') return this.#list(fromFile);
    if (first === '{') return this.#hash();
    return this.#oneOrMore(fromFile);
  }

  /** `a` or `a,b,c`; a word before `=` is the next key, and the list ends before it. */
  #oneOrMore(fromFile: boolean): InputValue {
    const first = this.#firstValue(fromFile);
    this.#skipBlanks();
    if (this.#current() !== ',') return first;
    const items: InputValue[] = [first];
    for (;;) {
      const comma = this.#index;
      this.#expect(',');
      const item = this.#furtherValue(fromFile, comma);
      if (item === undefined) break;
      items.push(item);
      this.#skipBlanks();
      if (this.#atEnd()) break;
    }
    return items.length === 1 ? first : items;
  }

  /** Undefined, with the comma still to be read, when what follows it is no value. */
  #furtherValue(fromFile: boolean, comma: number): string | Uint8Array | undefined {
    if (this.#atEnd()) throw expected(this.#input, '<second>', '<none>', this.#index);
    const quote = this.#current();
    const text = quote === '"' || quote === "'" ? this.#quoted(quote) : this.#bareWord(furtherWord);
    this.#skipBlanks();
    if (text !== undefined && (this.#atEnd() || this.#current() === ','))
      return this.#resolved(text, fromFile);
    // Of two commas in a row the second is the one at which the next key is missing.
    if (text !== undefined || this.#current() !== ',') this.#index = comma;
    return undefined;
  }

  #list(fromFile: boolean): InputValue[] {
    this.#enter();
    this.#expect('[');
    const items: InputValue[] = [];
    while (this.#current() !== ']') {
      items.push(this.#item(fromFile));
      this.#separator(']');
    }
    this.#leave();
    return items;
  }

  #hash(): InputMap {
    this.#enter();
    this.#expect('{');
    const map = inputMap();
    while (this.#current() !== '}') {
      const key = this.#key();
      const fromFile = this.#assignment();
      map[key] = this.#item(fromFile);
      this.#separator('}');
    }
    this.#leave();
    return map;
  }

  #item(fromFile: boolean): InputValue {
    const first = this.#current();
    if (first === '[') return this.#list(fromFile);
    if (first === '{') return this.#hash();
    return this.#firstValue(fromFile);
  }

  /** A comma may stand before the end, and must stand between items. */
  #separator(end: ']' | '}'): void {
    this.#skipBlanks();
    if (this.#current() !== end) this.#expect(',');
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > depthMax)
      throw new ShorthandProblem('syntax', 'Too deeply nested', this.#index);
  }

  #leave(): void {
    this.#index += 1;
    this.#depth -= 1;
  }

  #firstValue(fromFile: boolean): string | Uint8Array {
    const quote = this.#current();
    if (quote !== '"' && quote !== "'")
      return this.#resolved(this.#bareWord(firstWord) ?? '', fromFile);
    const text = this.#quoted(quote);
    if (text !== undefined) return this.#resolved(text, fromFile);
    const name = quote === '"' ? '<double quoted>' : '<singled quoted>';
    throw expected(this.#input, name, '<none>', this.#index);
  }

  #bareWord(pattern: RegExp): string | undefined {
    return this.#match(pattern)
      ?.replaceAll(String.raw`\,`, ',')
      .trimEnd();
  }

  /**
   * Undefined when no quote ends it. When the only quotes left are escaped, the last of them is the end, as the AWS CLI's
   * pattern has it.
   */
  #quoted(quote: string): string | undefined {
    const start = this.#index + 1;
    let end: number | undefined;
    for (let index = start; index < this.#input.length; index += 1) {
      const character = this.#input[index];
      if (character === quote) {
        end = index;
        break;
      }
      const next = this.#input[index + 1];
      if (character === '\\' && (next === '\\' || next === quote)) index += 1;
      if (character === '\\' && next === quote) end = index;
    }
    if (end === undefined) return undefined;
    this.#index = end + 1;
    return this.#input.slice(start, end).replaceAll(`\\${quote}`, quote).replaceAll('\\\\', '\\');
  }

  #resolved(text: string, fromFile: boolean): string | Uint8Array {
    return fromFile ? this.#readFile(text) : text;
  }

  /** Takes the character with the blanks around it. */
  #expect(character: string): void {
    this.#skipBlanks();
    const received = this.#current();
    if (received !== character)
      throw expected(this.#input, character, received ?? 'EOF', this.#index);
    this.#index += 1;
    this.#skipBlanks();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    const match = pattern.exec(this.#input)?.[0];
    if (match !== undefined) this.#index += match.length;
    return match;
  }

  #current(): string | undefined {
    return this.#input[this.#index];
  }

  #atEnd(): boolean {
    return this.#index >= this.#input.length;
  }

  #skipBlanks(): void {
    this.#match(blanks);
  }
}

/** A mistake in shorthand, with the input and a caret under the position. */
export class ShorthandProblem extends Error {
  /** Where in the input. */
  readonly index: number;
  /** A list of values may end before such a mistake; a key given twice never is the end of a list. */
  readonly kind: 'syntax' | 'duplicate';

  constructor(kind: 'syntax' | 'duplicate', message: string, index: number) {
    super(message);
    this.name = 'ShorthandProblem';
    this.kind = kind;
    this.index = index;
  }
}

function expected(
  input: string,
  wanted: string,
  received: string,
  index: number,
): ShorthandProblem {
  const message = `Expected: '${wanted}', received: '${received}' for input:\n ${pointedAt(input, index)}`;
  return new ShorthandProblem('syntax', message, index);
}

function secondInstance(input: string, key: string, index: number): ShorthandProblem {
  const message = `Second instance of key "${key}" encountered for input:\n${pointedAt(input, index)}\nThis is often because there is a preceding "," instead of a space.`;
  return new ShorthandProblem('duplicate', message, index);
}

/** The caret stands on a line of its own below the line of the mistake; what follows that line comes after it. */
function pointedAt(input: string, index: number): string {
  const lineStart = input.lastIndexOf('\n', index - 1) + 1;
  const lineEnd = input.indexOf('\n', index);
  const end = lineEnd === -1 ? input.length : lineEnd;
  const spaces = index === 0 ? 0 : index - lineStart;
  return `${input.slice(0, end)}\n${' '.repeat(spaces)}^${input.slice(end)}`;
}
