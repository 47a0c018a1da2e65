export type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are undefined: what is not set is not there. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filtered by exactly that
  return Object.fromEntries(entries) as Present<T>;
}
