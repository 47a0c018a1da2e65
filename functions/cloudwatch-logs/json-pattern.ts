import { invalidLogsParameter } from './logs-operation.ts';

/** Whether a JSON document passes. */
type Condition = (document: unknown) => boolean;

/** Reads a pattern such as `{ ($.level = "ERROR") && ($.time > 5) }`; messages that are not JSON objects never pass. */
export function readJsonPattern(pattern: string): LogFilter {
  const condition = new JsonPattern(pattern).read();
  return (message) => {
    if (!message.startsWith('{')) return false;
    try {
      return condition(JSON.parse(message));
    } catch {
      return false;
    }
  };
}

/** `&&` binds more closely than `||`. */
class JsonPattern {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): Condition {
    this.#expect('{');
    const condition = this.#either();
    this.#expect('}');
    if (this.#next() !== '') throw invalidCharacter(this.#next());
    return condition;
  }

  #either(): Condition {
    const conditions = [this.#both()];
    while (this.#take('||')) conditions.push(this.#both());
    return (document) => conditions.some((condition) => condition(document));
  }

  #both(): Condition {
    const conditions = [this.#one()];
    while (this.#take('&&')) conditions.push(this.#one());
    return (document) => conditions.every((condition) => condition(document));
  }

  #one(): Condition {
    if (!this.#take('(')) return this.#comparison();
    const condition = this.#either();
    this.#expect(')');
    return condition;
  }

  #comparison(): Condition {
    const select = this.#selector();
    if (this.#word('IS')) {
      if (this.#word('NULL')) return (document) => select(document) === null;
      if (this.#word('TRUE')) return (document) => select(document) === true;
      if (this.#word('FALSE')) return (document) => select(document) === false;
      throw invalidLogsParameter('IS in a filter pattern must be followed by NULL, TRUE or FALSE.');
    }
    if (this.#word('NOT')) {
      if (!this.#word('EXISTS')) {
        throw invalidLogsParameter('NOT in a filter pattern must be followed by EXISTS.');
      }
      return (document) => select(document) === undefined;
    }
    const operator = ['!=', '<=', '>=', '=', '<', '>'].find((each) => this.#take(each));
    if (operator === undefined) throw invalidCharacter(this.#next());
    return compared(select, operator, this.#value());
  }

  /** `$.a.b[0]` */
  #selector(): (document: unknown) => unknown {
    this.#expect('$');
    const steps: (string | number)[] = [];
    for (;;) {
      const rest = this.#pattern.slice(this.#at);
      const found = /^(?:\.([\p{L}\p{N}_@-]+)|\[(\d+)\])/u.exec(rest);
      if (!found) break;
      this.#at += found[0].length;
      steps.push(found[1] ?? Number(found[2]));
    }
    if (steps.length === 0) throw invalidCharacter(`$${this.#next()}`);
    return (document) => steps.reduce(memberOf, document);
  }

  #value(): Value {
    this.#skipSpace();
    if (this.#next() === '"') {
      const { text, end } = readQuoted(this.#pattern, this.#at);
      this.#at = end;
      return { text, number: undefined };
    }
    const text = /^[^\s(){}|&"=<>!]+/.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
    if (text === '') throw invalidCharacter(this.#next());
    if (text.startsWith('%')) {
      throw invalidLogsParameter(
        'Regular expressions in filter patterns are not supported by this server.',
      );
    }
    this.#at += text.length;
    return { text, number: numberForm.test(text) ? Number(text) : undefined };
  }

  #word(literal: string): boolean {
    this.#skipSpace();
    const found = new RegExp(`^${literal}\\b`, 'i').test(this.#pattern.slice(this.#at));
    if (found) this.#at += literal.length;
    return found;
  }

  #take(text: string): boolean {
    this.#skipSpace();
    const found = this.#pattern.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) {
      const found = this.#next();
      throw found === ''
        ? invalidLogsParameter(`The filter pattern ends where '${text}' is expected.`)
        : invalidCharacter(found);
    }
  }

  #next(): string {
    this.#skipSpace();
    return this.#pattern.charAt(this.#at);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#pattern.charAt(this.#at))) this.#at += 1;
  }
}

interface Value {
  readonly text: string;
  /** Of values without quotes that are numbers. */
  readonly number: number | undefined;
}

const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function compared(
  select: (document: unknown) => unknown,
  operator: string,
  { text, number }: Value,
): Condition {
  const equals = (found: unknown): boolean =>
    number !== undefined && typeof found === 'number'
      ? found === number
      : isScalar(found) && matches(String(found), text);
  if (operator === '=') return (document) => equals(select(document));
  // A missing value does not match `!=`.
  if (operator === '!=') {
    return (document) => {
      const found = select(document);
      return found !== undefined && !equals(found);
    };
  }
  if (number === undefined) {
    throw invalidLogsParameter(`The operator ${operator} in a filter pattern requires a number.`);
  }
  const holds = orders[operator] ?? ((): boolean => false);
  return (document) => {
    const found = select(document);
    return typeof found === 'number' && holds(found, number);
  };
}

const orders: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function memberOf(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return Reflect.get(value, step);
}

/** `*` stands for any text; found from left to right, so that no pattern takes long. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a message passes a filter. */
export type LogFilter = (message: string) => boolean;

/** A text in double quotes, with `\"` and `\\` in it; `start` is where the first quote stands. */
export function readQuoted(pattern: string, start: number): { text: string; end: number } {
  const found = /^"((?:[^"\\]|\\.)*)"/s.exec(pattern.slice(start));
  if (!found) throw invalidLogsParameter('The filter pattern contains an unclosed quotation mark.');
  const [whole, content = ''] = found;
  return { text: content.replaceAll(/\\(["\\])/g, '$1'), end: start + whole.length };
}

/** With AWS's message. */
export function invalidCharacter(character: string): Error {
  return invalidLogsParameter(`Invalid character(s) in term '${character}'`);
}
