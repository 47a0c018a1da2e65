/** The members by which lists are paged. */
import { inQuery, integer, optional, text } from '../shape.ts';

export const marker = optional(text, 'NextMarker of the previous page.', inQuery('Marker'));
export const nextMarker = optional(text, 'Marker for the next page.');

/** How many items a caller may ask for at once; the service gives 50 at most. */
export const maxItems = (max: number) =>
  optional(integer({ min: 1, max }), 'Maximum items per page.', inQuery('MaxItems'));

/** How the lists of this service are paged. */
export const pagesOf = <const I extends string>(items: I) =>
  ({ token: 'Marker', nextToken: 'NextMarker', limit: 'MaxItems', items }) as const;
