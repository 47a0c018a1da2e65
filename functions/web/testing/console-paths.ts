import { pages } from '../page-table.ts';

/** Names of what the parameters of paths stand for. */
type Names = Readonly<Record<string, string>>;

/** The URL of a page for these names, of which a path may have more or less. */
export function addressFor(path: string, names: Names): string {
  return path.replaceAll(
    /:(\w+)(?:\([^/]*\$\))?/g,
    (_whole, name: string) => names[name] ?? `no-${name}`,
  );
}

/** The URLs of every page of the console. */
export function pagePaths(names: Names): readonly string[] {
  return pages.map(({ path }) => addressFor(path, names));
}
