/** Streams are written one by one: only before lines older than this can no earlier line still appear. */
export const visibleAfterMilliseconds = 200;
