/** `T`, with each property that may be undefined optional instead. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The properties of `values` that are not undefined. Under `exactOptionalPropertyTypes` an optional property takes no undefined:
 * `{ ...present({ path }) }` has a `path` only where there is one.
 */
export function present<const T extends object>(values: T): Present<T>;
export function present(values: object): object {
  return Object.fromEntries(
    Object.entries<unknown>({ ...values }).filter(([, value]) => value !== undefined),
  );
}
