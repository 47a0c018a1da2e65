import { byCodePoint, isList, isMapping, isScalar, type Mapping, sortedKeys } from './data.ts';
import { printedScalar } from './printed-scalar.ts';

interface Terminal {
  readonly terminal: boolean;
}

/**
 * Lines of values with tabs between, for `cut` and `read`: the scalars of a mapping by the order of their names, then
 * what is nested, each line of it after its name in capitals.
 */
export function textLines(value: unknown, terminal: Terminal): string {
  return linesOf(value, undefined, terminal)
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(value: unknown, name: string | undefined, terminal: Terminal): string[] {
  if (isMapping(value)) return mappingLines(value, undefined, name, terminal);
  if (isList(value)) return listLines(value, name, terminal);
  return [printedScalar(value, terminal)];
}

function listLines(
  list: readonly unknown[],
  name: string | undefined,
  terminal: Terminal,
): string[] {
  const mappings = list.filter(isMapping);
  if (mappings.length > 0) {
    const columns = scalarNames(mappings);
    return list.flatMap((item) =>
      isMapping(item) ? mappingLines(item, columns, name, terminal) : linesOf(item, name, terminal),
    );
  }
  const scalars = list.filter(isScalar);
  const lists = list.filter((item) => isList(item));
  return [
    ...scalarListLines(scalars, name, terminal),
    ...lists.flatMap((item) => linesOf(item, name, terminal)),
  ];
}

/** Nested, one line each; at the top, all on one. */
function scalarListLines(
  scalars: readonly unknown[],
  name: string | undefined,
  terminal: Terminal,
): string[] {
  if (scalars.length === 0) return [];
  const printed = scalars.map((item) => printedScalar(item, terminal));
  if (name === undefined) return [printed.join('\t')];
  return printed.map((text) => `${prefix(name, terminal)}\t${text}`);
}

/** `columns`: the names that all mappings of a list have a column for, so that the columns stay in line. */
function mappingLines(
  mapping: Mapping,
  columns: readonly string[] | undefined,
  name: string | undefined,
  terminal: Terminal,
): string[] {
  const names = sortedKeys(mapping);
  const shown = columns ?? names.filter((key) => isScalar(mapping[key]));
  const nested = names.filter((key) => !shown.includes(key));
  const values = shown.map((key) =>
    Object.hasOwn(mapping, key) ? printedScalar(mapping[key], terminal) : '',
  );
  const line = name === undefined ? values : [prefix(name, terminal), ...values];
  return [
    ...(shown.length === 0 ? [] : [line.join('\t')]),
    ...nested.flatMap((key) => linesOf(mapping[key], key, terminal)),
  ];
}

function scalarNames(mappings: readonly Mapping[]): string[] {
  const names = mappings.flatMap((mapping) =>
    Object.keys(mapping).filter((name) => isScalar(mapping[name])),
  );
  return [...new Set(names)].toSorted(byCodePoint);
}

const prefix = (name: string, terminal: Terminal): string =>
  printedScalar(name.toUpperCase(), terminal);
