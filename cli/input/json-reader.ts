import {
  Float,
  inputMap,
  type InputMap,
  type InputValue,
  exactInteger,
} from '../validation/input-value.ts';

export type JsonReading =
  | { readonly kind: 'value'; readonly value: InputValue }
  /** What is wrong and where, in the message of the AWS CLI. */
  | { readonly kind: 'problem'; readonly problem: string };

/**
 * JSON, with what `JSON.parse` does not give: messages that say what was expected, with line and column, in the messages that scripts
 * of the AWS CLI know; `2` distinguished from `2.0`; integers of any size.
 */
export function readJson(text: string): JsonReading {
  try {
    return { kind: 'value', value: new JsonReader(text).document() };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const before = text.slice(0, error.index).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const where = `line ${before.length} column ${column} (char ${error.index})`;
    return { kind: 'problem', problem: `${error.message}: ${where}` };
  }
}

class JsonProblem extends Error {
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

/** Depth of a JSON parameter. Deeper than any shape of the service, and shallow enough for the stack. */
const depthMax = 500;
const whitespace = /[ \t\n\r]*/y;
const numeral = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- A control character ends the plain stretch: it is a fault of its own.
const plain = /[^"\\\u0000-\u001f]*/y;
const args: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class JsonReader {
  readonly #text: string;
  #index = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): InputValue {
    this.#skipBlanks();
    const value = this.#value();
    this.#skipBlanks();
    if (this.#index < this.#text.length) throw new JsonProblem('Extra data', this.#index);
    return value;
  }

  #value(): InputValue {
    const first = this.#text[this.#index];
    if (first === '"') return this.#string();
    if (first === '{' || first === '[') return this.#nested(first);
    const literal = args.find(([spelling]) => this.#text.startsWith(spelling, this.#index));
    if (literal !== undefined) {
      this.#index += literal[0].length;
      return literal[1];
    }
    return this.#number();
  }

  #nested(first: '{' | '['): InputValue {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new JsonProblem('Too deeply nested', this.#index);
    const value = first === '{' ? this.#object() : this.#array();
    this.#depth -= 1;
    return value;
  }

  #number(): InputValue {
    numeral.lastIndex = this.#index;
    const match = numeral.exec(this.#text);
    if (match === null) throw new JsonProblem('Expecting value', this.#index);
    this.#index = numeral.lastIndex;
    const [whole, digits = '', fraction, exponent] = match;
    return fraction === undefined && exponent === undefined
      ? exactInteger(digits)
      : new Float(Number(whole));
  }

  #array(): InputValue[] {
    const items: InputValue[] = [];
    this.#index += 1;
    this.#skipBlanks();
    if (this.#takes(']')) return items;
    for (;;) {
      items.push(this.#value());
      this.#skipBlanks();
      if (this.#takes(']')) return items;
      if (!this.#takes(',')) throw new JsonProblem("Expecting ',' delimiter", this.#index);
      this.#skipBlanks();
    }
  }

  #object(): InputMap {
    const map = inputMap();
    this.#index += 1;
    this.#skipBlanks();
    if (this.#takes('}')) return map;
    for (;;) {
      if (this.#text[this.#index] !== '"')
        throw new JsonProblem('Expecting property name enclosed in double quotes', this.#index);
      const key = this.#string();
      this.#skipBlanks();
      if (!this.#takes(':')) throw new JsonProblem("Expecting ':' delimiter", this.#index);
      this.#skipBlanks();
      map[key] = this.#value();
      this.#skipBlanks();
      if (this.#takes('}')) return map;
      if (!this.#takes(',')) throw new JsonProblem("Expecting ',' delimiter", this.#index);
      this.#skipBlanks();
    }
  }

  #string(): string {
    const start = this.#index;
    this.#index += 1;
    let value = '';
    for (;;) {
      plain.lastIndex = this.#index;
      value += plain.exec(this.#text)?.[0] ?? '';
      this.#index = plain.lastIndex;
      const character = this.#text[this.#index];
      if (character === undefined) throw new JsonProblem('Unterminated string starting at', start);
      if (this.#takes('"')) return value;
      if (character !== '\\') throw new JsonProblem('Invalid control character at', this.#index);
      value += this.#escape(start);
    }
  }

  #escape(start: number): string {
    const letter = this.#text[this.#index + 1];
    if (letter === undefined) throw new JsonProblem('Unterminated string starting at', start);
    if (letter === 'u') {
      const digits = this.#text.slice(this.#index + 2, this.#index + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits))
        throw new JsonProblem(String.raw`Invalid \uXXXX escape`, this.#index + 1);
      this.#index += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = escapes[letter];
    if (character === undefined) throw new JsonProblem(String.raw`Invalid \escape`, this.#index);
    this.#index += 2;
    return character;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#index] !== character) return false;
    this.#index += 1;
    return true;
  }

  #skipBlanks(): void {
    whitespace.lastIndex = this.#index;
    whitespace.exec(this.#text);
    this.#index = whitespace.lastIndex;
  }
}
