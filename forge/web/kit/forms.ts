import type { WebResponse } from '#web/web-response.ts';

import type { FormContext } from './web-context.ts';

export type FormHandler = (context: FormContext) => Promise<WebResponse>;

/** The forms of a page: each act has a URL below that of the page. */
export type Forms<C> = readonly [
  path: string,
  acts: readonly string[],
  take: (context: C) => Promise<WebResponse>,
];

/** A route for each act, whose name the handler finds in the path. */
export function actRoutes<C>(
  [path, acts, take]: Forms<C>,
  guard: (take: (context: C) => Promise<WebResponse>) => FormHandler,
): readonly (readonly [string, FormHandler])[] {
  const handler = guard(take);
  return acts.map((act) => [
    `${path}/${act}`,
    (context) => handler({ ...context, path: { ...context.path, act } }),
  ]);
}
