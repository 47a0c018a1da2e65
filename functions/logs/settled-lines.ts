/** Streams are written one by one: only what is older than this is sure to have nothing earlier still to come. */
export const visibleAfterMilliseconds = 200;
