import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';

/** A key of a mapping and its value. */
export interface Entry {
  readonly key: string;
  readonly value: Value;
}

/** A value of a template with the path that leads to it. */
export interface Value {
  readonly node: Node | undefined;
  readonly path: string;
  readonly line: number;
}

/** Aliases in a template, which are counted so that a small document cannot become a huge one. */
const aliasesMax = 100;
/** Problems of a template that are reported; the rest are counted. */
const problemsMax = 50;
/** Values of a template, those of Globals and of aliases each time they are used. */
const valuesMax = 20_000;
/** What `Ref` and `Fn::Sub` may insert into a template in all. */
const insertedCharactersMax = 1024 * 1024;
/** Characters of a key that are shown in a problem of a template. */
const shownKeyCharactersMax = 200;

/**
 * Reads values of a CloudFormation template in YAML or JSON, and collects what is wrong with them, each problem with its line. Of the
 * intrinsic functions, `Ref` and `Fn::Sub` of parameters with a default are resolved.
 */
export class TemplateValues {
  readonly root: Value;
  readonly #file: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #parameters = new Map<string, string>();
  /** Those of Globals are found again in each function. */
  readonly #problems = new Set<string>();
  #moreProblems = 0;
  #aliases = 0;
  #values = 0;
  #insertedCharacters = 0;

  constructor(text: string, file: string) {
    this.#file = file;
    this.#document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      lineCounter: this.#lines,
      logLevel: 'silent',
      // The library compares each key with all before it; entries() uses a set.
      uniqueKeys: false,
      // Each error would have an excerpt of the text, which takes seconds where there are thousands.
      prettyErrors: false,
    });
    for (const { pos, message } of this.#document.errors) {
      this.#report(`${file}:${this.#lines.linePos(pos[0]).line}: ${message.split('\n', 1)[0]}`);
    }
    const node = this.#document.contents;
    this.root = { node: isNode(node) ? node : undefined, path: '', line: 1 };
  }

  get problems(): readonly string[] {
    const problems = [...this.#problems];
    return this.#moreProblems === 0 ? problems : [...problems, `and ${this.#moreProblems} more`];
  }

  refuse({ line, path }: Value, problem: string): void {
    this.#report(`${this.#file}:${line}: ${path === '' ? '' : `${path}: `}${problem}`);
  }

  #report(problem: string): void {
    if (this.#problems.has(problem)) return;
    if (this.#problems.size < problemsMax) this.#problems.add(problem);
    else this.#moreProblems += 1;
  }

  setParameter(name: string, value: string): void {
    this.#parameters.set(name, value);
  }

  /** The entries of a mapping; none, with a problem, for anything else. */
  entries(value: Value): Entry[] {
    const node = this.#resolved(value);
    if (isMap(node) && this.#intrinsicOf(node) === undefined) {
      if (!this.#mayRead(node.items.length)) return [];
      const entries = node.items.map((item) => this.#entry(item.key, item.value, value));
      const keys = new Set<string>();
      for (const { key, value: each } of entries) {
        if (keys.has(key)) this.refuse(each, 'the key is not unique.');
        keys.add(key);
      }
      return entries;
    }
    this.refuse(value, 'must be a mapping.');
    return [];
  }

  /** The value of a key that need not be there. */
  find(value: Value, name: string): Value | undefined {
    return this.entries(value).find(({ key }) => key === name)?.value;
  }

  /** As find(), in a mapping that has no other keys. */
  onlyMember(value: Value, name: string): Value | undefined {
    let found: Value | undefined;
    for (const entry of this.entries(value)) {
      if (entry.key === name) found = entry.value;
      else this.refuse(entry.value, 'this property is not supported.');
    }
    return found;
  }

  list<T>(value: Value, item: (value: Value) => T | undefined): T[] {
    const node = this.#resolved(value);
    if (!isSeq(node)) {
      this.refuse(value, 'must be a list.');
      return [];
    }
    if (!this.#mayRead(node.items.length)) return [];
    return node.items.flatMap((each, index) => {
      const read = item(this.#child(each, `${value.path}[${index}]`, value));
      return read === undefined ? [] : [read];
    });
  }

  text(value: Value): string | undefined {
    const node = this.#resolved(value);
    const intrinsic = this.#intrinsicOf(node);
    if (intrinsic !== undefined) return this.#evaluated(intrinsic, value);
    if (isScalar(node)) {
      if (typeof node.value === 'string') return node.value;
      // Numbers and booleans are meant as they are written.
      if (node.value !== null && node.source !== undefined) return node.source;
    }
    this.refuse(value, 'must be a string.');
    return undefined;
  }

  integer(value: Value): number | undefined {
    const text = this.text(value);
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    this.refuse(value, 'must be a whole number.');
    return undefined;
  }

  boolean(value: Value): boolean | undefined {
    const text = this.text(value);
    if (text === undefined) return undefined;
    if (text === 'true' || text === 'false') return text === 'true';
    this.refuse(value, 'must be true or false.');
    return undefined;
  }

  #resolved({ node, ...value }: Value): Node | undefined {
    if (!isAlias(node)) return node;
    this.#aliases += 1;
    if (this.#aliases <= aliasesMax) return node.resolve(this.#document);
    if (this.#aliases === aliasesMax + 1) {
      this.refuse({ node, ...value }, `more than ${aliasesMax} aliases are not supported.`);
    }
    return undefined;
  }

  /** Counts values, so that Globals and aliases cannot multiply them without bound. */
  #mayRead(count: number): boolean {
    this.#values += count;
    if (this.#values <= valuesMax) return true;
    this.refuse(this.root, `the template has more than ${valuesMax} values.`);
    return false;
  }

  #entry(key: unknown, node: unknown, parent: Value): Entry {
    const name = isScalar(key) ? String(key.value) : '';
    const shown = name.slice(0, shownKeyCharactersMax);
    const path = parent.path === '' ? shown : `${parent.path}.${shown}`;
    const value = this.#child(node, path, this.#child(key, path, parent));
    if (!isScalar(key)) this.refuse(value, 'keys must be strings.');
    return { key: name, value };
  }

  /** An empty value has no position of its own. */
  #child(node: unknown, path: string, { line }: Value): Value {
    if (!isNode(node)) return { node: undefined, path, line };
    const start = node.range?.[0];
    return { node, path, line: start === undefined ? line : this.#lines.linePos(start).line };
  }

  #intrinsicOf(node: Node | undefined): Intrinsic | undefined {
    if (node === undefined || isAlias(node)) return undefined;
    if (node.tag?.startsWith('!') === true && node.tag !== '!') {
      return { name: node.tag, argument: isScalar(node) ? node.value : undefined };
    }
    if (!isMap(node) || node.items.length !== 1) return undefined;
    const [item] = node.items;
    const key = isScalar(item?.key) ? item.key.value : undefined;
    if (typeof key !== 'string' || !/^(?:Ref$|Fn::)/.test(key)) return undefined;
    return { name: key, argument: isScalar(item?.value) ? item.value.value : undefined };
  }

  #evaluated({ name, argument }: Intrinsic, value: Value): string | undefined {
    const isRef = name === '!Ref' || name === 'Ref';
    const isSub = name === '!Sub' || name === 'Fn::Sub';
    if (!(isRef || isSub) || typeof argument !== 'string') {
      this.refuse(
        value,
        `${name} is not supported here: only Ref and Fn::Sub of parameters with a default are.`,
      );
      return undefined;
    }
    if (isRef) return this.#parameter(argument, value);
    return this.#substituted(argument, value);
  }

  /** Without an expression: its search for the end of each `${` takes minutes where a template has thousands and no end. */
  #substituted(text: string, value: Value): string | undefined {
    const parts: string[] = [];
    let whole = true;
    let at = 0;
    for (;;) {
      const start = text.indexOf('${', at);
      const end = start === -1 ? -1 : text.indexOf('}', start);
      if (end === -1) break;
      parts.push(text.slice(at, start));
      const reference = text.slice(start + 2, end);
      if (reference.startsWith('!')) {
        parts.push(`\${${reference.slice(1)}}`);
      } else {
        const found = this.#parameter(reference.trim(), value);
        whole &&= found !== undefined;
        parts.push(found ?? '');
      }
      at = end + 1;
    }
    return whole ? parts.join('') + text.slice(at) : undefined;
  }

  #parameter(name: string, value: Value): string | undefined {
    const found = this.#parameters.get(name);
    if (found === undefined) {
      const shown = name.slice(0, shownKeyCharactersMax);
      this.refuse(value, `${shown} is not a parameter of the template with a default.`);
      return undefined;
    }
    this.#insertedCharacters += found.length;
    if (this.#insertedCharacters <= insertedCharactersMax) return found;
    this.refuse(this.root, `parameters insert more than ${insertedCharactersMax} characters.`);
    return undefined;
  }
}

interface Intrinsic {
  /** As it is written. */
  readonly name: string;
  readonly argument: unknown;
}
